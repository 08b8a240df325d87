# The image of packaging/docker, as far as that can be tried without a container engine: what it copies is there, is not ignored, and works when it is copied to
# the same places below a folder; the packages that it installs have these names.
# shellcheck shell=bash

docker_image() {
    local file=packaging/docker/Dockerfile root=$tmp/image from to package
    while read -r _ from to; do
        case $from in build/*) from=$build/${from#build/} ;; esac
        [ -e "$from" ] && mkdir -p "$root$(dirname "$to")" && cp "$from" "$root$to" || fail "docker: COPY $from" "it is not there"
    done < <(grep '^COPY ' "$file")
    check 'docker: what is copied is not ignored' '' \
        "$(grep '^COPY ' "$file" | while read -r _ from _; do grep -qxF "!$from" "$file.dockerignore" || echo "$from"; done)"
    # shellcheck disable=SC2013
    for package in $(sed -n 's/.*--no-install-recommends \(.*\) .*/\1/p' "$file"); do
        dpkg-query -W "$package" >"$tmp/log" 2>&1 || skip "docker: $package" 'not installed here, so its name is not checked'
    done
    # ENTRYPOINT and CMD, as they are
    local entry command
    entry=$(sed -n 's/^ENTRYPOINT \["\(.*\)"\]$/\1/p' "$file")
    command=$(sed -n 's/^CMD \["\(.*\)"\]$/\1/p' "$file")
    passes 'docker: entry point' "$root$entry" "$command"
    check 'docker: the profiler is found' 1 "$("$root$entry" run --print-env | grep -c "$root/usr/local/lib/ilpatch/libilpatch_profiler.so")"
}
docker_image
