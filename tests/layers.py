#!/usr/bin/env python3
"""Holds the drawing of docs/ARCHITECTURE.md against the sources: which folder may know which, as the compiler resolves their
includes (cc -MM), and which folder's functions a folder calls (nm, with BUILD). No two files may include each other in a circle,
X.h and X.c count as one file, nor call each other in one, but for those of a few folders. What is loaded into a process (host/, profiler/) neither ends it nor prints where it prints."""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
FOLDERS = ["src", "elt", "host", "profiler", "tools"]
IN_PROCESS = ["host", "profiler"]
OF_THE_PROCESS = set("exit _exit _Exit quick_exit abort atexit raise signal __assert_fail getopt getopt_long optarg optind opterr optopt stdout stderr"
                     " perror printf vprintf __printf_chk __vprintf_chk puts putchar err errx warn warnx error".split())
NAMES = 36  # columns of the drawing; the text about a level follows
# Folders with a circle of calls between files, that is to be opened; and src/verify, where types are made of types.
MAY_CALL_IN_A_CIRCLE = {"profiler", "src/metadata", "src/rules", "src/trace", "src/verify"}
INCLUDES = ["-Iinclude", "-Isrc", "-I."]
FLAGS = ["-std=c11", "-D_GNU_SOURCE", *INCLUDES]


def ranks():
    """The lines between "layers" and the end of that block: one level each, the lowest last."""
    block = re.search(r"^```layers\n(.*?)^```", open("docs/ARCHITECTURE.md").read(), re.M | re.S)
    if not block:
        sys.exit("layers: docs/ARCHITECTURE.md has no drawing (a block that begins with ```layers)")
    levels = [re.findall(r"[a-z]+", line[:NAMES]) for line in block.group(1).splitlines()]
    return {name: level for level, names in enumerate(reversed(levels)) for name in names}


def part(path):
    parts = path.split("/")
    return parts[1] if parts[0] == "src" else parts[0]


def sources():
    found = []
    for folder in FOLDERS:
        for where, _, names in os.walk(folder):
            found += [os.path.join(where, name) for name in names if name.endswith((".c", ".h"))]
    return sorted(found)


def closure(path):
    """All of our own files that a file includes, itself apart."""
    text = subprocess.run(["cc", *FLAGS, "-MM", "-x", "c", path], capture_output=True, text=True)
    if text.returncode != 0:
        sys.exit(f"layers: {text.stderr}")
    names = text.stdout.replace("\\\n", " ").split(":", 1)[1].split()
    return {os.path.normpath(name) for name in names} - {path}


def allowed(rank, lower, upper):
    for name in (lower, upper):
        if name not in rank:
            sys.exit(f"layers: docs/ARCHITECTURE.md does not draw {name}")
    return lower == upper or rank[lower] < rank[upper]


def drawn(path):
    return path.split("/")[0] in FOLDERS


def direct(path, files):
    """The files of its own #include lines."""
    found = set()
    for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', open(path).read(), re.M):
        found |= {path for path in (f"src/{name}", name) if path in files}
    return found


def circles(graph):
    """Groups of more than one that reach each other (Tarjan, without recursion)."""
    index, low, on_stack, stack, groups = {}, {}, set(), [], []
    for root in graph:
        work = [(root, iter(graph[root]))] if root not in index else []
        while work:
            node, edges = work[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                stack.append(node)
                on_stack.add(node)
            below = next((edge for edge in edges if edge not in index or edge in on_stack), None)
            if below is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = stack[stack.index(node):]
                    del stack[-len(group):]
                    on_stack.difference_update(group)
                    groups += [group] if len(group) > 1 else []
            elif below not in index:
                work.append((below, iter(graph[below])))
            else:
                low[node] = min(low[node], index[below])
    return groups


def symbols(path, options):
    text = subprocess.run(["nm", *options, path], capture_output=True, text=True).stdout
    return {line.split()[-1] for line in text.splitlines() if line.strip()}


def objects(build, files):
    return {path: f"{build}/{path[:-2]}.o" for path in files if path.endswith(".c") and os.path.exists(f"{build}/{path[:-2]}.o")}


def main():
    rank, files, bad = ranks(), sources(), []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, needs in zip(files, pool.map(closure, files)):
            bad += [f"{path} includes {need}: {part(path)} may not know {part(need)}"
                    for need in sorted(needs) if drawn(need) and not allowed(rank, part(need), part(path))]
    known = set(files)
    graph = {}
    for path in files:
        graph.setdefault(path[:-2], set()).update(need[:-2] for need in direct(path, known) if need[:-2] != path[:-2])
    bad += ["a circle of includes: " + ", ".join(sorted(group)) for group in circles(graph)]
    build = os.environ.get("BUILD")
    if build:
        compiled = objects(build, files)
        home = {symbol: path for path, o in compiled.items() for symbol in symbols(o, ["--defined-only", "-g"])}
        calls = {path: {home[symbol] for symbol in symbols(o, ["-u"]) if symbol in home} - {path} for path, o in compiled.items()}
        bad += ["a circle of calls: " + ", ".join(sorted(group)) for group in circles(calls)
                if not {os.path.dirname(path) for path in group} <= MAY_CALL_IN_A_CIRCLE]
        for path, o in compiled.items():
            bad += [f"{path} calls {symbol}() of {home[symbol]}: {part(path)} may not know {part(home[symbol])}"
                    for symbol in sorted(symbols(o, ["-u"])) if symbol in home and not allowed(rank, part(home[symbol]), part(path))]
        bad += [f"{path} uses {symbol}, which is the process's"
                for path, o in compiled.items() if part(path) in IN_PROCESS
                for symbol in sorted(symbols(o, ["-u"])) if symbol.split("@")[0] in OF_THE_PROCESS]
    print("\n".join(bad), end="\n" if bad else "")
    sys.exit(1 if bad else 0)


main()
