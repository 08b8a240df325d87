#!/usr/bin/env python3
"""Holds ilpatch against files that are meant to take long or much memory:  bounds.py FOLDER ILPATCH

Each job works on each family of inputs at two sizes, the second four times the first. Instructions are
those that Cachegrind counts. They may grow by FACTOR times what the input grows by: that is linear, and
what logarithms add; or they are FEW for each byte of the larger input and of the output, however they
have grown. On a larger file the peak of resident memory is bounded, see TIMES.

Prints "ok NAME" or "FAIL NAME: why" for each. BOUNDS=all takes all pairs of job and family, else some;
BOUNDS_PAIRS those that match an expression; BOUNDS_VERBOSE=1 prints what was measured.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor

folder, ilpatch = sys.argv[1:3]
everything = os.environ.get('BOUNDS') == 'all'
verbose = bool(os.environ.get('BOUNDS_VERBOSE'))
wanted = re.compile(os.environ.get('BOUNDS_PAIRS', ''))

GROWTH = 4
SMALL = 24 << 10
LARGE = 3 << 20
FACTOR = 1.3
FEW = 1500
FEW_OF = {'apply': 60000, 'bundle-patch': 500, 'bundle-write': 0}  # apply: rules that nothing looks up; run.sh has the limit
SECONDS = 120  # for what hangs

# ---- inputs ----


def spool(*lines):
    """A process with three methods and a thread that does what `lines` say."""
    methods = [f'method {i} App.dll T M{i} void%20()' for i in (1, 2, 3)]
    return ['process 42 1700000000000000000 dotnet%20App.dll', *methods, 'thread 1 4243', *lines, 'end', 'exit']


def spool_deep(size):
    return spool(f'down {size // 4} 1', f'up {size // 4} 1')


def spool_saw(size):
    """Up and down between one call and a stack of a thousand."""
    return spool(*(f'{word} 1000 1' for _ in range(size // 4000) for word in ('down', 'up')))


def spool_methods(size):
    methods = [f'method {i} App.dll Company.Type{i} Method{i} void%20()' for i in range(4, size // 50)]
    calls = [line for i in range(4, size // 50) for line in (f'> {i}', '+10', f'< {i}')]
    return spool()[:-2] + methods + calls + ['end', 'exit']


def spool_values(size):
    return spool(*(f'repeat 1 1 value{i}' for i in range(size // 16)))


def spool_paths(size):
    """No two calls by the same path, up to 3^12 of them."""
    calls = []
    for i in range(size // 60):
        ids = [1 + i // 3**digit % 3 for digit in range(12)]
        calls += [f'> {method}' for method in ids] + [f'< {method}' for method in reversed(ids)]
    return spool(*calls)


def spool_numbers(size):
    """Methods that return 64 numbers each, at as many times."""
    methods = [f'method {i} App.dll T M{i} int32%20()' for i in range(4, 4 + size // 1000)]
    calls = [line for k in range(64) for i in range(4, 4 + size // 1000) for line in (f'= {i} {i * 64 + k}', '+100')]
    return spool()[:-2] + methods + calls + ['end', 'exit']


def spool_tiny_methods(size):
    methods = [f'method {i} m t n s' for i in range(4, size // 30)]
    calls = [line for i in range(4, size // 30) for line in (f'= {i} {i}', '+10')]
    return spool()[:-2] + methods + calls + ['end', 'exit']


def spool_processes(size):
    return [line for i in range(size // 60) for line in (f'process {i + 1} 1 d', f'thread 1 {i + 5000}', '> 1', 'end', 'exit')]


def spool_threads(size):
    lines = spool()[:-3]
    for i in range(size // 60):
        lines += [f'thread {i + 1} {i + 5000}', f'name worker{i}', '> 1', '+5', '< 1', 'end']
    return lines + ['exit']


SPOOLS = {function.__name__: function for function in
          (spool_deep, spool_saw, spool_methods, spool_values, spool_paths, spool_numbers, spool_tiny_methods, spool_processes, spool_threads)}


def bundle(files):
    """A single-file program: (path, type, bytes, unpacked size) each, after 64 bytes that are no host."""
    signature = bytes([0x8B, 0x12, 0x02, 0xB9, 0x6A, 0x61, 0x20, 0x38, 0x72, 0x7B, 0x93, 0x02, 0x14, 0xD7, 0xA0, 0x32,
                       0x13, 0xF5, 0xB9, 0xE6, 0xEF, 0xAE, 0x33, 0x18, 0xEE, 0x3B, 0x2D, 0xCE, 0x24, 0xB3, 0x6A, 0xAE])
    places, contents = {}, bytearray(64)
    rows = bytearray()
    for path, kind, data, unpacked in files:
        if id(data) not in places:
            contents += bytes(-len(contents) % 16)
            places[id(data)] = len(contents)
            contents += data
        rows += struct.pack('<QQQB', places[id(data)], unpacked or len(data), len(data) if unpacked else 0, kind)
        rows += bytes([len(path)]) + path.encode()
    contents[:4] = b'\x7fELF'
    contents[16:24] = struct.pack('<Q', len(contents))
    contents[24:56] = signature
    head = struct.pack('<III', 6, 0, len(files)) + b'\x05an-id' + bytes(32) + struct.pack('<Q', 0)
    return bytes(contents + head + rows)


def bundle_many(size):
    data = b'x' * 16
    return bundle([(f'file{i}.txt', 0, data, 0) for i in range(min(size // 40, 65000))])


def bundle_equal(size):
    data = b'x' * 16
    return bundle([('file.txt', 0, data, 0) for _ in range(min(size // 40, 65000))])


def deflated(data):
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packed.compress(data) + packed.flush()


PACKED_BYTES = 16 << 10  # of each file of bundle_packed


def bundle_packed(size):
    """Files that unpack to many times as many bytes."""
    data = deflated(bytes(PACKED_BYTES))
    return bundle([(f'file{i}.txt', 0, bytes(bytearray(data)), PACKED_BYTES) for i in range(size // 1024)])


def bundle_lying(size):
    """A file that says it unpacks to a thousand times as many bytes, and does not."""
    data = deflated(b''.join(struct.pack('<I', i * 2654435761 % (1 << 32)) for i in range(size // 4)))
    return bundle([('file.txt', 0, data, len(data) * 1000)])


BUNDLES = {function.__name__: function for function in (bundle_many, bundle_equal, bundle_packed, bundle_lying)}


def rules_many(size):
    return '<rules>\n' + ''.join(f'<include name="r{i}"><type name="T{i}"/></include>\n' for i in range(size // 50)) + '</rules>\n'


def rules_equal(size):
    return '<rules>\n' + '<include><method like="*a*b*"/></include>\n' * (size // 44) + '</rules>\n'


def rules_wide(size):
    return '<rules><include><any>' + '<method name="M"/>' * (size // 18) + '</any></include></rules>\n'


def rules_long_name(size):
    return f'<rules><include><type name="{"n" * size}"/></include></rules>\n'


def rules_empty(size):
    return '<rules>' + '<include/>' * (size // 10) + '</rules>\n'


def rules_regex(size):
    """Short expressions that become much code."""
    return '<rules>\n' + '<include><method regex="((a{99}){99}){4}"/></include>\n' * (size // 50) + '</rules>\n'


def rules_when(size):
    return '<rules>\n' + '<include when="value =~ \'^a\'"/>\n'.replace("'", '&quot;') * (size // 45) + '</rules>\n'


def rules_attributes(size):
    """Each is compared with each."""
    return '<rules ' + ' '.join(f'xmlns:a{i}="u"' for i in range(size // 15)) + '><include/></rules>\n'


def rules_namespaces(size):
    """As many as an element may have, of every element."""
    spaces = ' '.join(f'xmlns:a{i}="u"' for i in range(255))
    return f'<rules {spaces}>\n' + f'<include {spaces}/>\n' * (size // 6000) + '<include/>' * (size // 20) + '</rules>\n'


def rules_comment(size):
    return f'<rules><!--{"x" * size}--><include/></rules>\n'


def rules_by_type(size):
    """None that is found by a name."""
    return '<rules>\n' + ''.join(f'<include><return type="T{i}"/></include>\n' for i in range(size // 50)) + '</rules>\n'


RULES = {function.__name__: function for function in (rules_many, rules_equal, rules_wide, rules_long_name, rules_empty, rules_regex, rules_when, rules_attributes, rules_namespaces, rules_comment, rules_by_type)}

# ---- jobs ----

# Of a command: {in}, the file; {out}, what is written.
JOBS = {
    'dump': ['dump', '{in}'],
    'list': ['list', '{in}'],
    'list-json': ['list', '--json', '--sort', 'returns', '{in}'],
    'verify': ['verify', '{in}'],
    'verify-json': ['verify', '--json', '--unverifiable', '--unknown', '{in}'],
    'patch': ['--inspect-returns', '-q', '-o', '{out}', '{in}'],
    'patch-verify': ['--inspect-returns', '--verify', '-q', '-o', '{out}', '{in}'],
    'patch-beside': ['--inspect-returns', '-q', '-o', '{out}', '{in}'],
    'sources': ['--rules', '{rules}', '-n', '-q', '{in}'],
    'restore': ['restore', '{in}'],
    'embed': ['--inspect-returns', '--embed', '-q', '-o', '{out}', '{in}'],
    'compact': ['--inspect-returns', '--compact', '-q', '-o', '{out}', '{in}'],
    'report': ['--inspect-returns', '--report', '{out}', '-n', '-q', '{in}'],
    'explain': ['rules', 'explain', '--where', '<type extends="System.Object"/>', '{in}', 'M'],
    'explain-json': ['rules', 'explain', '--json', '--where', '<type extends="System.Object"/>', '{in}', 'M'],
    'tail-list': ['tail', 'list', '{in}'],
    'tail-add': ['tail', 'add', '-q', '-o', '{out}', '{in}'],
    'resolve': ['resolve', '{in}'],
    'diff': ['diff', '{in}', '{other}'],
    'diff-json': ['diff', '--json', '{in}', '{other}'],
    **{f'trace-{form}': ['report', '--format', form, '-o', '{out}', '{in}']
       for form in ('text', 'values', 'values-json', 'values-html', 'lines', 'chrome', 'speedscope', 'folded', 'otlp', 'html')},
    'bundle-list': ['bundle', 'list', '{in}'],
    'bundle-patch': ['--inspect-returns', '-n', '-q', '{in}'],
    'bundle-write': ['{in}'],
    'rules-check': ['rules', 'check', '{in}'],
    'apply': ['--rules', '{in}', '-n', '-q', '{other}'],
    'resolve-deps': ['resolve', '{in}'],
}

# What does a job that is no command's.
PROGRAMS = {'bundle-write': f'{folder}/bundle_changes'}

# Beside these the files of hostile.c, for all other jobs.
FAMILIES = {'trace-': SPOOLS, 'bundle-': BUNDLES, 'rules-': RULES, 'apply': RULES, 'resolve-deps': {'deps_many': None}}

# What `make check` takes: of each job the families that it is most about.
USUAL = {
    'dump': 'huge_name nested_chain',
    'list': 'shared_signature many_returns',
    'list-json': 'broken_MethodDef',
    'verify': """overlapping_bodies many_returns equal_clauses extends_circle nested_circle many_nested doubling_bases endless_bases
        doubling_structs high_stack overloads scope_chain broken_Field broken_TypeSpec""",
    'patch': 'growing_branches attributes_of_one overlapping_runs broken_NestedClass symbols_shared_points symbols_shared_steps symbols_lying',
    'patch-beside': 'symbols_points',
    'restore': 'symbols_rows',
    'embed': 'overlapping_names',
    'compact': 'shared_locals',
    'report': 'nested_chain',
    'explain': 'interface_lattice',
    'explain-json': 'interface_lattice',
    'tail-add': 'many_calls growing_branches',
    'diff': 'shared_locals many_returns',
    'diff-json': 'shared_locals many_returns',
    'trace-text': 'spool_deep spool_values spool_tiny_methods spool_threads',
    'trace-html': 'spool_paths',
    'trace-values': 'spool_values spool_numbers spool_processes',
    'bundle-list': 'bundle_equal',
    'bundle-patch': 'bundle_many bundle_packed bundle_lying',
    'bundle-write': 'bundle_many bundle_equal',
    'rules-check': 'rules_wide rules_long_name rules_empty rules_regex rules_when rules_attributes rules_namespaces',
    'resolve-deps': 'deps_many',
}


JSON_SIGNS = 50000  # of a .deps.json: host/resolve/json_file.c


def write(path, data):
    with open(path, 'wb' if isinstance(data, bytes) else 'w') as file:
        file.write(data)


def hostile(family, size, path, *symbols):
    """How many bytes are inflated from it."""
    done = subprocess.run([f'{folder}/hostile', family, str(size), path, *symbols], stdout=subprocess.PIPE, check=True)
    return int(done.stdout or 0)


def size_of(work):
    return sum(os.path.getsize(f'{work}/{file}') for file in os.listdir(work))


def make(job, family, size, work):
    """The input in the folder `work`: its path, and how large it is with what is inflated."""
    if family in SPOOLS:
        subprocess.run([f'{folder}/make_spool', f'{work}/in.spool'], input='\n'.join(SPOOLS[family](size)) + '\n', text=True, check=True)
        return f'{work}/in.spool', os.path.getsize(f'{work}/in.spool')
    if family in BUNDLES:
        write(f'{work}/in', BUNDLES[family](size))
        inflated = {'bundle_packed': size // 1024 * PACKED_BYTES, 'bundle_lying': size}.get(family, 0)
        return f'{work}/in', os.path.getsize(f'{work}/in') + inflated
    if family in RULES:
        write(f'{work}/in.xml', RULES[family](size))
        if job == 'apply':
            hostile('call_chain', size, f'{work}/other.dll')
        return f'{work}/in.xml', size_of(work)
    beside = [f'{work}/in.pdb'] if job == 'patch-beside' or job == 'restore' and family.startswith('symbols') else []
    unpacked = hostile('many_references' if job == 'resolve-deps' else family, size, f'{work}/in.dll', *beside)
    if job.startswith('diff'):
        hostile(family, size + size // 16, f'{work}/other.dll')
    if job == 'sources':
        write(f'{work}/rules.xml', '<rules><include><source like="*x*y*"/></include></rules>')
    if job in ('resolve-deps', 'restore'):
        count = min(size // 100, JSON_SIGNS // 15)
        targets = {f'Package{i}/1.0.0': {'runtime': {f'lib/Missing{i}.dll': {}}} for i in range(count)}
        libraries = {name: {'type': 'package', 'path': name.lower()} for name in targets}
        write(f'{work}/in.deps.json', json.dumps({'runtimeTarget': {'name': 'net8.0'}, 'targets': {'net8.0': targets}, 'libraries': libraries}))
    if job == 'restore':
        subprocess.run([ilpatch, '--inspect-returns', '-q', f'{work}/in.dll'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not os.path.exists(f'{work}/in.dll.orig'):
            raise Unfit('nothing was patched, so there is nothing to restore')
    if job == 'patch-verify':  # what the patch makes is read again, whether it is written or not
        made = f'{work}/patched'
        subprocess.run([ilpatch, '--inspect-returns', '-q', '-o', made, f'{work}/in.dll'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        unpacked += os.path.getsize(made) if os.path.exists(made) else 0
        for file in [file for file in os.listdir(work) if not file.startswith('in.')]:
            os.remove(f'{work}/{file}')
    return f'{work}/in.dll', size_of(work) + unpacked


# ---- what is measured ----


class Failure(Exception):
    pass


class Unfit(Exception):
    """The job has nothing to do with this input."""


def run(job, family, size, measure):
    """What `measure` makes of a command and its output's path; bytes of input; of output."""
    work = f'{folder}/{job}.{family}.{size}'
    os.mkdir(work)
    path, read = make(job, family, size, work)
    out, text = f'{work}/out', f'{work}/text'
    command = [PROGRAMS.get(job, ilpatch)] + [word.replace('{in}', path).replace('{out}', out).replace('{other}', f'{work}/other.dll').replace('{rules}', f'{work}/rules.xml') for word in JOBS[job]]
    result = measure(command, text, f'{work}/count')
    written = sum(os.path.getsize(f'{work}/{file}') for file in os.listdir(work) if file.startswith(('out', 'text')))
    shutil.rmtree(work)
    return result, read, written


def instructions(command, text, count):
    with open(text, 'wb') as log:
        done = subprocess.run(['valgrind', '--tool=cachegrind', '--cache-sim=no', '--cachegrind-out-file=/dev/null',
                               f'--log-file={count}'] + command, stdout=log, stderr=subprocess.STDOUT, timeout=SECONDS * 10)
    with open(count) as log:
        found = re.search(r'I +refs: +([0-9,]+)', log.read())
    if done.returncode < 0 or not found:
        raise Failure(f'ended with {done.returncode}')
    return int(found.group(1).replace(',', ''))


def peak(command, text, _):
    done = subprocess.run([f'{folder}/peak', str(SECONDS), text] + command, stdout=subprocess.PIPE, text=True, check=True)
    status, kilobytes = map(int, done.stdout.split())
    if status & 0x7F:
        raise Failure(f'ended by signal {status & 0x7F}')
    return kilobytes << 10


TIMES = 3  # so many times what is read, besides what is written


def most_memory(read, written):
    return TIMES * read + (16 << 20) + written


def check_time(job, family):
    few, small, _ = run(job, family, SMALL, instructions)
    many, large, output = run(job, family, SMALL * GROWTH, instructions)
    grown, bytes_grown = many / few, large / small
    if grown > FACTOR * bytes_grown and many > FEW_OF.get(job, FEW) * (large + output):
        raise Failure(f'{few} instructions for {small} bytes, {many} for {large}')
    return f'{many / large:.0f} instructions a byte, {grown:.1f} times for {bytes_grown:.1f} times as large'


def check_memory(job, family):
    memory, read, written = run(job, family, LARGE, peak)
    if memory > most_memory(read, written):
        raise Failure(f'{memory >> 10} KB for an input of {read >> 10} KB and an output of {written >> 10} KB')
    return f'{memory >> 10} KB for {read >> 10} KB and {written >> 10} KB'


CHECKS = {'time': check_time, 'memory': check_memory}
if not shutil.which('valgrind'):
    del CHECKS['time']
    print('skip time: no valgrind (./setup.sh test)')


def check(pair):
    lines = []
    for what, work in CHECKS.items():
        name = f'{what}:{pair[0]}:{pair[1]}'
        try:
            measured = work(*pair)
            lines.append(f'ok {name}' + (f' ({measured})' if verbose else ''))
        except Unfit as why:
            usual = pair[1] in USUAL.get(pair[0], '').split()
            lines.append(f'{"FAIL" if usual else "skip"} {name}: {why}')
        except (Failure, subprocess.SubprocessError) as why:
            lines.append(f'FAIL {name}: {why}')
    return lines


def all_pairs():
    assemblies = subprocess.run([f'{folder}/hostile', 'list'], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    for job in JOBS:
        others = next((families for prefix, families in FAMILIES.items() if job.startswith(prefix)), assemblies)
        for family in others:
            if everything or family in USUAL.get(job, '').split():
                yield job, family


chosen = [pair for pair in all_pairs() if wanted.search(':'.join(pair))]
missing = [] if everything or wanted.pattern else [
    f'{job}:{family}' for job, names in USUAL.items() for family in names.split() if (job, family) not in chosen]
for name in missing:
    print(f'FAIL {name}: there is no such family')
failed = bool(missing)
with ThreadPoolExecutor(os.cpu_count()) as pool:
    for results in pool.map(check, chosen):
        print('\n'.join(results), flush=True)
        failed = failed or any(line.startswith('FAIL') for line in results)
sys.exit(failed)
