#!/usr/bin/env python3
"""On x86 Windows a function takes its arguments off the stack, so one of the wrong size breaks its caller:  stdcall.py BUILD

Holds the names that the compiler gave (_name@BYTES) against corprof.def, for callbacks, and against the documented prototypes, for hooks and for what
the DLL exports."""
import re
import subprocess
import sys

EIGHT_BYTES = {'ULONGLONG', 'LONGLONG', 'uint64_t', 'int64_t'}
HOOKS = {f'elt_{name}{generation}': size for generation, sizes in {1: (4, 4, 4), 2: (16, 16, 12), 3: (4, 4, 4)}.items()
         for name, size in zip(('enter', 'leave', 'tailcall'), sizes)}
EXPORTS = {'DllGetClassObject': 12, 'DllCanUnloadNow': 0}


def expected_callbacks():
    text = open('profiler/clr/corprof.def', encoding='utf-8').read().replace('\\\n', ' ')
    found = {}
    for name, args in re.findall(r'^CALLBACK\(\d+,\s*\d+,\s*(\w+),\s*ARGS\d+(?:\((.*)\))?\)', text, re.M):
        types = [part.strip() for part in args.split(',')] if args else []
        found['ignore_' + name] = 4 + sum(8 if part in EIGHT_BYTES else 4 for part in types)
    return found


def named(path):
    text = subprocess.run(['i686-w64-mingw32-nm', path], capture_output=True, text=True, check=True).stdout
    return {name: int(size) for name, size in re.findall(r' [tT] _(\w+)@(\d+)$', text, re.M)}


def main(build):
    wrong = []
    count = 0
    for path, expected in (('profiler/clr/callback.o', expected_callbacks()), ('libilpatch_elt.a', HOOKS), ('profiler/clr/class_factory.o', EXPORTS)):
        found = named(f'{build}/{path}')
        wrong += [f'{name}: {found.get(name)} bytes, expected {size}' for name, size in expected.items() if found.get(name) != size]
        count += len(expected)
    print('\n'.join(wrong) if wrong else f'{count} functions')
    sys.exit(1 if wrong else 0)


main(sys.argv[1])
