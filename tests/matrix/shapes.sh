#!/bin/bash
# Builds programs of the table:  tests/matrix/shapes.sh OUT SHAPE...
#
# OUT/SHAPE becomes a folder as a user has it. What cannot be built is absent, and OUT/SHAPE.log says why. ILPATCH_TEST_RUNTIME: programs for
# that version, with its own host and compilers or those of the nearest patch that has them (tests/runtime/versions/table.txt).
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

out=$(realpath "$1")
shift
here=$PWD/tests/matrix
need_sdk matrix >/dev/null
scratch matrix-shapes
export TMPDIR=$tmp
trap 'rm -rf "$tmp"' EXIT

# What makes a program one for $ILPATCH_TEST_RUNTIME. NuGet serves no ASP.NET Core for 3.1, which the SDK would like to have at hand.
tools=()
[ -z "${ILPATCH_TEST_RUNTIME-}" ] || tools=(-p:RuntimeFrameworkVersion="$("$older_runtimes/table.sh" tools "$version")"
    -p:RollForward=Disable -p:DisableTransitiveFrameworkReferenceDownloads=true)
# The host of 3.1 extracts a single-file program, where its PDB has to be, too.
case ${ILPATCH_TEST_RUNTIME-} in 3.1.*) tools+=(-p:IncludeSymbolsInSingleFile=true) ;; esac

# publish SHAPE FOLDER PROJECT OPTION...: each with a copy of the sources, since builds share obj/ otherwise
publish() {
    local shape=$1 folder=$2 project=$3
    shift 3
    mkdir -p "$tmp/$shape"
    cp -r "$here/app" "$here/vb" "$here/fsharp" "$here/plugin" "$tmp/$shape"
    # A property does not reach the restore.
    sed -i "s/net10\.0/${refs##*/}/" "$tmp/$shape"/*/*proj
    timeout 1800 dotnet publish "$tmp/$shape/$project" -v q -o "$folder" "${tools[@]}" "$@" >>"$out/$shape.log" 2>&1 || return
    [ ${#tools[@]} -eq 0 ] || [ ! -e "$folder/App.runtimeconfig.json" ] || sed -i "s/\(\"version\": \)\"[^\"]*\"/\1\"$version\"/" "$folder/App.runtimeconfig.json"
}

app() { # SHAPE OPTION...
    local shape=$1
    shift
    publish "$shape" "$out/$shape.new" app -c Release "$@"
}

references_of_mono() { printf -- '-r:%s ' /usr/lib/mono/4.5-api/mscorlib.dll /usr/lib/mono/4.5-api/System.dll; }

build() { # SHAPE
    local shape=$1 new=$out/$1.new
    case $shape in
        release) app "$shape" --no-self-contained ;;
        debug) publish "$shape" "$new" app -c Debug --no-self-contained ;;
        self-contained) app "$shape" --self-contained ;;
        ready-to-run) app "$shape" --no-self-contained -p:PublishReadyToRun=true ;;
        composite) app "$shape" --self-contained -p:PublishReadyToRun=true -p:PublishReadyToRunComposite=true ;;
        single-file) app "$shape" --no-self-contained -p:PublishSingleFile=true ;;
        single-file-whole) app "$shape" --self-contained -p:PublishSingleFile=true ;;
        single-file-compressed) app "$shape" --self-contained -p:PublishSingleFile=true -p:EnableCompressionInSingleFile=true ;;
        single-file-ready-to-run) app "$shape" --self-contained -p:PublishSingleFile=true -p:PublishReadyToRun=true ;;
        trimmed) app "$shape" --self-contained -p:PublishTrimmed=true ;;
        trimmed-single-file) app "$shape" --self-contained -p:PublishTrimmed=true -p:PublishSingleFile=true ;;
        plug-ins)
            publish "$shape" "$new" plugin/Host.csproj -c Release --no-self-contained &&
                publish "$shape" "$new/plugins/one" plugin/Plugin.csproj -c Release
            ;;
        visual-basic) publish "$shape" "$new" vb -c Release --no-self-contained ;;
        fsharp) publish "$shape" "$new" fsharp -c Release --no-self-contained ;;
        mono-mdb)
            have mcs && mkdir -p "$new" &&
                mcs -debug -langversion:7 -out:"$new/App.exe" "$here/app/Program.cs" "$here/app/Values.cs" >"$out/$shape.log" 2>&1
            ;;
        mono-pdb)
            # shellcheck disable=SC2046
            have mono && mkdir -p "$new" &&
                dotnet exec "$csc" -nologo -noconfig -nostdlib -deterministic -debug:portable -optimize+ $(references_of_mono) \
                    -out:"$new/App.exe" "$here/app/Program.cs" "$here/app/Values.cs" >"$out/$shape.log" 2>&1
            ;;
        *) echo "shapes.sh: no shape '$shape'" >&2; exit 2 ;;
    esac
}

for shape; do
    [ ! -d "$out/$shape" ] || continue
    rm -rf "$out/$shape.new"
    build "$shape" && mv "$out/$shape.new" "$out/$shape"
    rm -rf "$out/$shape.new" "${tmp:?}/$shape"
done
