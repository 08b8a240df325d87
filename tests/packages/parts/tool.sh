# Ilpatch.Tool: the command as a tool of the SDK, installed from the local feed, used and uninstalled.
# shellcheck shell=bash

tool_package() {
    local bin=$tmp/tools
    pack Ilpatch.Tool || return 0
    check 'tool: files' 'README.md tools/any/any/DotnetToolSettings.xml' "$(packed Ilpatch.Tool)"
    check 'tool: files for a platform' "$(printf 'tools/any/linux-x64/%s\n' DotnetToolSettings.xml MyProfiler.dll ilpatch libilpatch_profiler.so libmono-profiler-ilpatch.so | paste -sd ' ')" \
        "$(packed Ilpatch.Tool.linux-x64 | sed 's/^README.md //')"
    (cd "$tmp" && dotnet tool install Ilpatch.Tool --version "$version" --tool-path "$bin" --configfile "$tmp/nuget.config") >"$tmp/log" 2>&1 ||
        { fail 'tool: install' "$(head -n 3 "$tmp/log" | tr '\n' ' ')"; return; }
    check 'tool: version' "$("$ilpatch" --version)" "$("$bin/ilpatch" --version)"

    cp samples/Shop.exe "$tmp/tool.exe"
    "$bin/ilpatch" -q --inspect-returns "$tmp/tool.exe"
    check 'tool: exit code' 0 $?
    "$ilpatch" -q --inspect-returns -o "$tmp/command.exe" samples/Shop.exe
    same 'tool: same bytes' "$tmp/command.exe" "$tmp/tool.exe"
    "$ilpatch" -q --inspect-returns "$tmp/none.exe" 2>"$tmp/expected"
    "$bin/ilpatch" -q --inspect-returns "$tmp/none.exe" 2>"$tmp/said"
    check 'tool: exit code of an error' 3 $?
    same 'tool: standard error' "$tmp/expected" "$tmp/said"
    "$bin/ilpatch" inspect --inspect-returns -q --embed -o - - <samples/Shop.exe >"$tmp/piped.exe" 2>"$tmp/said"
    "$ilpatch" inspect --inspect-returns -q --embed -o - - <samples/Shop.exe >"$tmp/expected.exe" 2>"$tmp/said"
    same 'tool: standard input and output' "$tmp/expected.exe" "$tmp/piped.exe"
    [ -s "$tmp/piped.exe" ] || fail 'tool: standard output' "nothing is written"

    # The profiler beside it: values, arguments with spaces, the program's exit code, and a signal.
    "$bin/ilpatch" run -q --where '<method name="Discount"/>' -- dotnet exec samples/Shop.exe >"$tmp/out" 2>"$tmp/values"
    check 'tool: run' 'Shop.Program::Discount -> 10 (System.Int32)/Shop.Program::Discount -> null' "$(sort "$tmp/values" | paste -sd /)"
    "$bin/ilpatch" run -q -- sh -c 'exit 7' 2>"$tmp/said"
    check 'tool: exit code of a program' 7 $?
    "$bin/ilpatch" run -q -- sleep 60 2>"$tmp/said" &
    sleep 0.5
    kill -TERM $!
    wait $! 2>/dev/null
    check 'tool: ended by a signal' 143 $?

    (cd "$tmp" && dotnet tool uninstall Ilpatch.Tool --tool-path "$bin") >"$tmp/log" 2>&1 || fail 'tool: uninstall' "$(tail -n 1 "$tmp/log")"
    check 'tool: uninstalled' '' "$(find "$bin" -name '*ilpatch*')"
}
tool_package
