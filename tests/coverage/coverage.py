#!/usr/bin/env python3
"""What tests have executed, from what gcc's --coverage leaves in a build folder (`make coverage`).

    coverage.py BUILD              lines and branches of each folder
    coverage.py BUILD -g TESTS     the same after these TESTS; fails below their gates in gates.txt
    coverage.py BUILD PATH...      the same for the files below PATH, those with most missing first
    coverage.py BUILD -m FILE...   lines and branches of FILE that nothing has executed

A branch is a way out of a condition, as gcov counts them: `a && b` has four. A line or branch of a header counts as executed if one of
the files that include it did so. Functions of excluded.txt are left out.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PARTS = ('src', 'elt', 'host', 'profiler', 'tools')


def rows(name, columns):
    """The lines of a table, without comments."""
    for line in (HERE / name).read_text().splitlines():
        if line.strip() and not line.startswith('#'):
            yield line.split(None, columns - 1)


def gcov(notes):
    command = ['gcov', '--json-format', '--stdout', '--branch-probabilities', *notes]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'{done.stderr}What was counted is not of this build: run `make coverage` again.')
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{')]


class Coverage:
    def __init__(self, build):
        self.lines = collections.Counter()  # (file, line)
        self.branches = collections.Counter()  # (file, line, function, number)
        self.functions = {}  # (file, line): its function
        notes = sorted(str(path) for part in (*PARTS, 'tests') for path in (build / part).rglob('*.gcno'))
        if not notes:
            sys.exit(f'{build} is no build with --coverage (make coverage)')
        jobs = os.cpu_count() or 1
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for documents in pool.map(gcov, (notes[i::4 * jobs] for i in range(4 * jobs))):
                for document in documents:
                    for file in document['files']:
                        if file['file'].startswith(tuple(part + '/' for part in PARTS)):
                            self.add(file)

    def add(self, file):
        name = file['file']
        for line in file['lines']:
            number, function = line['line_number'], line.get('function_name', '')
            self.lines[name, number] += line['count']
            self.functions[name, number] = function
            for i, branch in enumerate(line['branches']):
                self.branches[name, number, function, i] += branch['count']

    def exclude(self, name, function):
        """Leaves a function out. Returns whether something of it was missing."""
        lines = [key for key in self.lines if key[0] == name and self.functions[key] == function]
        branches = [key for key in self.branches if key[0] == name and key[2] == function]
        missing = any(not self.lines.pop(key) for key in lines)
        missing = any([not self.branches.pop(key) for key in branches]) or missing
        return missing

    def totals(self, group):
        """For each group(file), which may be None: [lines, executed, branches, executed]."""
        totals = collections.defaultdict(lambda: [0, 0, 0, 0])
        for at, counts in ((0, self.lines), (2, self.branches)):
            for key, count in counts.items():
                if group(key[0]) is not None:
                    total = totals[group(key[0])]
                    total[at] += 1
                    total[at + 1] += count > 0
        return totals

    def show_missing(self, name):
        branches = collections.defaultdict(list)
        for (file, number, _, _), count in self.branches.items():
            if file == name:
                branches[number].append('+' if count else '-')
        for number, text in enumerate(pathlib.Path(name).read_text().splitlines(), 1):
            ways = ''.join(branches[number])
            if self.lines.get((name, number)) == 0:
                print(f'{name}:{number}: {"never":9} {text}')
            elif '-' in ways:
                print(f'{name}:{number}: {ways:9} {text}')


def percent(part, whole):
    return 100 * part / whole if whole else 100


def show(name, total):
    lines, run, branches, taken = total
    print(f'{name:40} {percent(run, lines):6.2f} % of {lines:6} lines  '
          f'{percent(taken, branches):6.2f} % of {branches:6} branches')


def show_folders(coverage):
    bad = 0
    for name, function, _ in rows('excluded.txt', 3):
        if not coverage.exclude(name, function):
            print(f'FAIL excluded.txt: {function} of {name} is executed, or is not there')
            bad += 1
    for name, total in sorted(coverage.totals(os.path.dirname).items()):
        show(name, total)
    return bad


def check_gates(coverage, after):
    bad = 0
    print()
    for tests, paths, lines, branches in rows('gates.txt', 4):
        if tests != after:
            continue
        below = tuple(path + '/' for path in paths.split('+'))
        total = coverage.totals(lambda name: paths if name.startswith(below) else None)[paths]
        show(paths, total)
        for what, gate, at in ('lines', lines, 0), ('branches', branches, 2):
            if percent(total[at + 1], total[at]) < float(gate):
                print(f'FAIL {paths}: less than {gate} % of {what}')
                bad += 1
    return bad


def main(build, *paths):
    coverage = Coverage(pathlib.Path(build))
    if not paths or paths[0] == '-g':
        bad = show_folders(coverage) + sum(check_gates(coverage, tests) for tests in paths[1:])
        return 1 if bad else 0
    for name, function, _ in rows('excluded.txt', 3):
        coverage.exclude(name, function)
    if paths[0] == '-m':
        for name in paths[1:]:
            coverage.show_missing(name)
        return 0
    totals = coverage.totals(lambda name: name if name.startswith(paths) else None)
    for name, total in sorted(totals.items(), key=lambda item: item[1][1] - item[1][0] + item[1][3] - item[1][2]):
        show(name, total)
    return 0


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
