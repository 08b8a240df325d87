#!/usr/bin/env python3
"""The corpus: each assembly is read, round-tripped, patched in both layouts, verified, compared, and compiled.

    corpus.py run FILES RESULTS     FILES has a path a line; RESULTS grows by a line (JSON) for each, and a run that was ended goes on after them
    corpus.py list ROOTS [N SEED]   prints the files of the corpus, each content once, or N of them
    corpus.py fixed ROOTS FIXED     prints those of a fixed list; what is not there is named on standard error
                                    and writes the sums of all into RESULTS.measured
    corpus.py page MEASURED         prints docs/CORPUS.md, by such sums

Two .NET processes for each processor stay: the checker (tests/runtime/real/compare) and the compiler (tests/runtime/real/jitall). The
environment has ILPATCH, CHECKER, COMPILER, MONO_HARNESS (may be empty), SCRATCH, FRAMEWORK, ASPNET and INSPECTOR.
"""
import collections
import hashlib
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time

SUFFIXES = (".dll", ".exe", ".netmodule", ".winmd")
COMMAND_LIMIT = 300  # seconds, for what hangs
SERVER_LIMIT = 1800
SERVER_MEMORY = 1500 << 20  # bytes: a larger process is replaced
MADE_WRONG = re.compile(r"/tests/files/(verify|tail)/[^/]*$")
RULES = "<rules><exclude/></rules>"

# ---- which files ----


def find_roots(path):
    """(kind, name, folder) for each root that is there."""
    for line in open(path, encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            kind, name, folder = line.rstrip("\n").split("\t")
            folder = re.sub(r"\$(\w+)", lambda match: os.environ["ROOT_" + match[1]], folder)
            if os.path.isdir(folder):
                yield kind, name, os.path.realpath(folder)


def find_left(roots):
    """Files of the project that nothing can be read from, and why."""
    lines = (line.rstrip("\n").split("\t") for line in open(roots, encoding="utf-8") if line.startswith("left\t"))
    return {file: reason for _, file, reason in lines}


def content_hash(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def find_corpus(roots):
    """Each content once, with the first of its files; and how many files there are."""
    contents = {}
    files = 0
    left = {os.path.realpath(file) for file in find_left(roots)}
    for kind, name, folder in find_roots(roots):
        if kind != "corpus":
            continue
        for parent, folders, names in os.walk(folder):
            folders.sort()
            for file in sorted(names):
                path = os.path.join(parent, file)
                # One with its original beside it was patched, and would be patched from that.
                if file.lower().endswith(SUFFIXES) and os.path.isfile(path) and not os.path.islink(path) and file + ".orig" not in names \
                        and path not in left:
                    files += 1
                    contents.setdefault(content_hash(path), (name, path))
    return contents, files


def list_corpus(roots, count=None, seed="1"):
    contents, files = find_corpus(roots)
    # In no order, so that what is done at any time is a sample of all, and of a machine with a few more files nearly the same one.
    chosen = [contents[content] for content in sorted(contents, key=lambda content: hashlib.sha256((seed + content).encode()).digest())]
    if count is not None:
        chosen = chosen[:int(count)]
    print("# " + json.dumps({"files": files, "different": len(contents), "chosen": len(chosen), "seed": count and seed,
                             "left": find_left(roots)}))
    for name, path in chosen:
        print(f"{name}\t{path}")


def list_fixed(roots, fixed):
    folders = {name: folder for _, name, folder in find_roots(roots)}
    for line in open(fixed, encoding="utf-8"):
        if not line.strip() or line.startswith("#"):
            continue
        name, file = line.rstrip("\n").split("\t")
        path = os.path.realpath(os.path.join(folders.get(name, "/nonexistent"), file))
        if os.path.isfile(path):
            print(f"{name}\t{path}")
        else:
            print(f"{name} has no {file}", file=sys.stderr)


# ---- processes ----


class Server:
    """A process that answers a line with a line. One that dies or hangs is started again for the next."""

    def __init__(self, command, environment):
        self.command, self.environment, self.process = command, environment, None

    def query(self, *words):
        """The words of the answer, or None if the process ended."""
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                            text=True, errors="replace", env=self.environment)
        process = self.process
        hung = threading.Timer(SERVER_LIMIT, process.kill)
        hung.start()
        try:
            process.stdin.write("\t".join(words) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
            # What is compiled may print when it is loaded.
            while answer and answer.split("\t")[0] not in ("same", "differs", "unread"):
                answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        hung.cancel()
        if not answer or self.memory() > SERVER_MEMORY:
            self.close()
        return answer.rstrip("\n").split("\t") if answer else None

    def memory(self):
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def close(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


def command(*words, environment=None):
    """Exit code, standard output, standard error; a signal's number is negative."""
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=COMMAND_LIMIT, env=environment, check=False)
    except subprocess.TimeoutExpired:
        return -9, b"", f"it did not end in {COMMAND_LIMIT} seconds".encode()
    return done.returncode, done.stdout, done.stderr


# ---- one file ----


class Failed(Exception):
    """What should not be: the step, and what."""


def reason(message):
    """A message without what is of this file alone."""
    text = message.decode(errors="replace").strip().split("\n")[-1]
    text = re.sub(r"^ilpatch: .*?: ", "", text)
    return re.sub(r" \(at offset 0x[0-9A-Fa-f]+\)$", "", text)[:200]


class Worker:
    def __init__(self, number):
        get = os.environ.get
        self.ilpatch, self.harness, self.inspector = get("ILPATCH"), get("MONO_HARNESS"), get("INSPECTOR")
        self.framework = [get("FRAMEWORK"), get("ASPNET")]
        self.mono = os.path.realpath(get("ROOT_mono"))
        self.folder, self.scratch, self.files = os.path.join(get("SCRATCH"), str(number)), None, 0
        quiet = dict(os.environ, ILPATCH_COUNT="1", ILPATCH_OUTPUT="/dev/null")
        self.quiet = quiet
        self.checker = Server(["dotnet", get("CHECKER"), "--serve"], quiet)
        # Native code of ReadyToRun images would be taken for methods that have not changed.
        self.compiler = Server(["dotnet", get("COMPILER"), "--serve"], dict(quiet, DOTNET_ReadyToRun="0"))

    def close(self):
        self.checker.close()
        self.compiler.close()

    def one(self, root, path):
        # Each file in a folder of its own: a runtime that has loaded a file takes it again for another one at the same path.
        shutil.rmtree(self.folder, ignore_errors=True)
        self.files += 1
        self.scratch = os.path.join(self.folder, str(self.files))
        for folder in ("same", "delta", "compact"):
            os.makedirs(os.path.join(self.scratch, folder))
        row = {"root": root, "path": path, "bytes": os.path.getsize(path), "times": {}}
        self.steps(path, row)
        return row

    def step(self, name, function, path, row, *arguments):
        """What the function returns, or None if it failed, which is in the row then. Other steps go on."""
        begin = time.monotonic()
        try:
            return function(path, row, *arguments)
        except Exception as failed:  # whatever is wrong with one file, the others are still looked at
            what = str(failed) if isinstance(failed, Failed) else f"{name}: {failed!r}"
            row["failure"] = row["failure"] + "; " + what if "failure" in row else what
            return None
        finally:
            row["times"][name] = round(row["times"].get(name, 0) + time.monotonic() - begin, 4)

    def steps(self, path, row):
        # What `ilpatch verify` and `ilpatch tail` have to find; runtimes refuse it, or do anything.
        self.made_wrong = MADE_WRONG.search(path) is not None
        if not self.step("dump", self.dump, path, row):
            return
        embed = self.step("round trip", self.round_trip, path, row)
        patched = [layout for layout in ("delta", "compact") if self.step(layout, self.patch, path, row, layout, embed)]
        for layout in patched:
            self.step("compare", self.compare, path, row, layout)
        # Bodies are the same in both layouts: every other file is compiled from the one or the other.
        if patched and row["changed"] and not self.made_wrong:
            layout = patched[hash_of(path) % len(patched)]
            self.step("JIT", self.compile, path, row, layout)
            if self.harness and not row["embedded"] and path.startswith(self.mono + "/") and "-api/" not in path:
                self.step("Mono", self.compile_on_mono, path, row, layout)

    def dump(self, path, row):
        code, text, error = command(self.ilpatch, "dump", path)
        if code == 3:
            row["unreadable"] = reason(error)
            # Who else reads it?
            answer = self.checker.query(path, path, "delta", "", "")
            row["read by other"] = bool(answer) and answer[0] == "same"
            return False
        if code not in (0, 1) or not text:
            raise Failed(f"dump: exit code {code}: {reason(error)}")
        return True

    def round_trip(self, path, row):
        """Nothing is selected: the file is what it was. True for a core library, which is refused without --embed."""
        out = os.path.join(self.scratch, "same", os.path.basename(path))
        rules = os.path.join(self.scratch, "none.xml")
        with open(rules, "w", encoding="ascii") as file:
            file.write(RULES)
        options = ["--rules", rules, "-q", "-o", out]
        code, _, error = command(self.ilpatch, *options, path)
        embed = code == 3 and b"a core library" in error
        if embed:
            code, _, error = command(self.ilpatch, "--embed", *options, path)
        if code not in (0, 1, 3):
            raise Failed(f"round trip: exit code {code}: {reason(error)}")
        if os.path.exists(out):
            with open(path, "rb") as before, open(out, "rb") as after:
                if before.read() != after.read():
                    raise Failed("round trip: other bytes, though nothing was changed")
            row["round trip"] = True
        elif code != 3:
            raise Failed(f"round trip: no file, exit code {code}: {reason(error)}")
        return embed

    def inspect(self, path, out, report, *options):
        code, _, error = command(self.ilpatch, "--inspect-returns", *options, "-q", "--report", report, "-o", out, path)
        if code not in (0, 1, 3):
            raise Failed(f"--inspect-returns {' '.join(options)}: exit code {code}: {reason(error)}")
        with open(report, encoding="utf-8") as file:
            return code, error, json.load(file)["modules"][0]

    def were_wrong(self, path, findings):
        """Whether each finding is in a method that has an error without being patched: what it has wrongly on the stack is boxed, too."""
        _, text, _ = command(self.ilpatch, "verify", "--json", path)
        before = {finding["token"] for finding in json.loads(text)["files"][0]["findings"] if finding["kind"] == "error"}
        return all(finding["token"] in before for finding in findings)

    def patch(self, path, row, layout, embed):
        """False for a file that is refused."""
        out = os.path.join(self.scratch, layout, os.path.basename(path))
        report = os.path.join(self.scratch, layout + ".json")
        options = ["--layout", "keep" if layout == "delta" else "compact"] + ["--embed"] * bool(embed)
        code, error, module = self.inspect(path, out, report, *options, *["--verify"] * (not self.made_wrong))
        if module.get("error") == "NOT_VERIFIED" and self.were_wrong(path, module["findings"]):
            row["wrong before"] = len(module["findings"])
            code, error, module = self.inspect(path, out, report, *options)
        if code == 3:
            if module.get("error") in (None, "NOT_VERIFIED", "INTERNAL"):
                raise Failed(f"{layout}: {module.get('error')}: {reason(error)}")
            row.setdefault("refused", {})[layout] = module["error"]
            return False
        if not os.path.exists(out):
            if module.get("left") == "inspector" or b"the inspector itself" in error:
                row.setdefault("refused", {})[layout] = "the inspector itself"
                return False
            raise Failed(f"{layout}: no file, exit code {code}: {reason(error)}")
        summary = module["summary"]
        row["changed"] = row.get("changed", False) or summary["sites"] > 0
        if layout == "delta":
            row["embedded"] = bool(embed)
            row["native code"] = module["written"]["nativeCodeDropped"]
            row["answers"] = {name: n for name, n in summary.items() if n and name not in ("methods", "sites")}
            row["methods"], row["sites"] = summary["methods"], summary["sites"]
            for name in ("facade", "referenceAssembly"):
                if name in module:
                    row["answers"] = {}
                    row["kind"] = name
        row.setdefault("size", {})[layout] = os.path.getsize(out)
        return True

    def compare(self, path, row, layout):
        folder = os.path.dirname(path)
        around = [folder, self.mono + "/4.5", self.mono + "/4.5/Facades"] if path.startswith(self.mono) else [folder, *self.framework]
        report = os.path.join(self.scratch, layout + ".json")
        kind = layout + "+embed" * row.get("embedded", False)
        answer = self.checker.query(path, os.path.join(self.scratch, layout, os.path.basename(path)), kind, report, *around)
        if answer is None:
            raise Failed(f"compare {layout}: the checker ended")
        if answer[0] == "differs":
            raise Failed(f"compare {layout}: {answer[2]}")
        if answer[0] == "unread":
            row["not compared"] = answer[2]
            return
        bodies, inspected, sites = map(int, answer[1].split())
        if layout == "delta":
            row["bodies"] = bodies
        if sites != row["sites"]:
            raise Failed(f"compare {layout}: {sites} sites, the report has {row['sites']}")

    def compile(self, path, row, layout):
        if row["embedded"]:
            row["not compiled"] = "a core library (tests/runtime/corelib runs them)"
            return
        patched = os.path.join(self.scratch, layout, os.path.basename(path))
        answer = self.compiler.query(path, patched, os.path.dirname(path), *self.framework, os.path.dirname(self.inspector))
        if answer is None:
            # Which of the two?
            answer = self.compiler.query(path, path, os.path.dirname(path), *self.framework)
            if answer is not None:
                raise Failed("JIT: the runtime ends")
            row["not compiled"] = "the runtime ends"
        elif answer[0] == "differs":
            raise Failed(f"JIT {layout}: {answer[2]}")
        elif answer[0] == "unread":
            row["not compiled"] = re.sub(r"'.*?'", "'...'", answer[2]).replace("FILE", "...")[:160]
        else:
            row["compiled"] = int(answer[1].split()[0])

    def compile_on_mono(self, path, row, layout):
        def compiled(file, folders):
            """Exit code and reason; what the harness sums up, without the number of failures; the failures. Mono prints more between them."""
            environment = dict(self.quiet, MONO_PATH=":".join(folders))
            code, text, error = command("mono", "-O=-aot", self.harness, file, environment=environment)
            lines = text.decode(errors="replace").replace(file, "FILE").splitlines()
            summary = next((line for line in reversed(lines) if re.match(r"\d+ methods, ", line)), None)
            return code, reason(error), summary and re.sub(r"\d+ failed", "", summary), {line for line in lines if re.match("0x|type ", line)}

        patched = os.path.join(self.scratch, layout, os.path.basename(path))
        code, why, before, failures = compiled(path, [os.path.dirname(path)])
        if code != 0 or not before:
            row["not compiled by Mono"] = "the runtime ends" if code < 0 or code > 3 else why
            return
        code, why, after, now = compiled(patched, [os.path.dirname(patched), os.path.dirname(self.inspector), os.path.dirname(path)])
        if code != 0 or not after:
            raise Failed(f"Mono: exit code {code}: {why}")
        added = sorted(now - failures)
        if added:
            raise Failed(f"Mono: {len(added)} new failures: {added[0]}")
        if before != after:
            raise Failed(f"Mono: {before}; now {after}")
        row["compiled by Mono"] = int(before.split()[0])


def hash_of(text):
    return hashlib.sha256(text.encode(errors="surrogateescape")).digest()[0]


# ---- all files ----


def read_results(path):
    rows = {}
    if os.path.exists(path):
        for line in open(path, encoding="utf-8"):
            row = json.loads(line)
            rows[row["path"]] = row
    return rows


def drop_half_line(path):
    """The run was ended there."""
    if os.path.exists(path):
        with open(path, "rb+") as file:
            file.truncate(file.read().rfind(b"\n") + 1)


def run(files, results):
    lines = [line.rstrip("\n") for line in open(files, encoding="utf-8", errors="surrogateescape")]
    head = next((json.loads(line[2:]) for line in lines if line.startswith("#")), {})
    wanted = [line.split("\t") for line in lines if not line.startswith("#")]
    drop_half_line(results)
    done = read_results(results)
    todo, jobs = queue.Queue(), int(os.environ.get("JOBS") or os.cpu_count())
    for root, path in wanted:
        if path not in done:
            todo.put((root, path))
    total, count = todo.qsize(), 0
    print(f"{len(wanted)} files, {len(wanted) - total} of them done before", file=sys.stderr)
    lock = threading.Lock()
    with open(results, "a", encoding="utf-8") as file:
        begin = time.monotonic()

        def work(number):
            nonlocal count
            worker = Worker(number)
            while True:
                try:
                    root, path = todo.get_nowait()
                except queue.Empty:
                    break
                row = worker.one(root, path)
                with lock:
                    count += 1
                    file.write(json.dumps(row, sort_keys=True) + "\n")
                    file.flush()
                    if "failure" in row:
                        print(f"{path}: {row['failure']}", file=sys.stderr)
                    if count % 500 == 0:
                        print(f"{count} of {total}, {time.monotonic() - begin:.0f} s", file=sys.stderr)
            worker.close()

        threads = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    rows = read_results(results)
    rows = [rows[path] for _, path in wanted if path in rows]
    sums = measure(rows)
    sums.update(corpus=head, machine={"processors": os.cpu_count(), "at a time": jobs, "load": round(os.getloadavg()[2])})
    with open(results + ".measured", "w", encoding="utf-8") as file:
        json.dump(sums, file, indent=1, sort_keys=True)
        file.write("\n")
    for failure in sums["failures"]:
        print("FAIL " + failure)
    return 1 if sums["failures"] or len(rows) < len(wanted) else 0


# ---- sums ----


def measure(rows):
    sums = {"roots": {}, "times": {}, "answers": collections.Counter(), "unreadable": collections.Counter(),
            "unreadable, read by the other": 0, "refused": collections.Counter(), "not compared": collections.Counter(),
            "not compiled": collections.Counter(), "not compiled by Mono": collections.Counter(), "wrong before": 0, "failures": []}
    for row in rows:
        root = sums["roots"].setdefault(row["root"], collections.Counter())
        root["files"] += 1
        root["bytes"] += row["bytes"]
        for name, seconds in row["times"].items():
            step = sums["times"].setdefault(name, {"files": 0, "seconds": 0})
            step["files"] += 1
            step["seconds"] += seconds
        if "unreadable" in row:
            root["unreadable"] += 1
            sums["unreadable"][kind_of(row["unreadable"])] += 1
            sums["unreadable, read by the other"] += row["read by other"]
            continue
        for layout, why in row.get("refused", {}).items():
            sums["refused"][f"{layout}: {why}"] += 1
        if "size" in row:
            root["patched" if row["changed"] else "nothing to patch"] += 1
        elif "failure" not in row:
            root["refused"] += 1
        for name in ("methods", "sites", "bodies", "compiled", "compiled by Mono"):
            root[name] += row.get(name, 0)
        root["precompiled"] += row.get("native code", False)
        sums["wrong before"] += "wrong before" in row
        sums["answers"].update(row.get("answers", {}))
        for name in ("not compared", "not compiled", "not compiled by Mono"):
            if name in row:
                sums[name][row[name]] += 1
        if "failure" in row:
            root["failures"] += 1
            sums["failures"].append(f"{row['path']}: {row['failure']}")
    for step in sums["times"].values():
        step["seconds"] = round(step["seconds"], 1)
    return sums


def kind_of(message):
    return re.sub(r"0x[0-9A-Fa-f]+|\d+|\"[^\"]*\"", "N", message)


def number(value):
    return f"{value:,}"


def table(head, rows):
    if not rows:
        yield "None."
        return
    yield "| " + " | ".join(head) + " |"
    yield "|" + "|".join("---" for _ in head) + "|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def page(sums):
    columns = ["files", "unreadable", "refused", "nothing to patch", "patched", "precompiled", "methods", "sites", "compiled",
               "compiled by Mono", "failures"]
    roots = sums["roots"]
    total = {name: sum(root.get(name, 0) for root in roots.values()) for name in columns}
    with open(os.path.join(os.path.dirname(__file__), "page.txt"), encoding="utf-8") as file:
        text = file.read()
    made = {
        "FILES": [which_files(sums["corpus"])],
        "ROOTS": table(["root", *columns], [[name, *(number(root.get(c, 0)) for c in columns)] for name, root in sorted(roots.items())] +
                       [["all", *(number(total[c]) for c in columns)]]),
        "ANSWERS": table(["outcome", "methods"], [[f"`{name}`", number(n)] for name, n in by_count(sums["answers"])]),
        "UNREADABLE": table(["why", "files"], [[name, number(n)] for name, n in by_count(sums["unreadable"])]),
        "OTHER": [f"System.Reflection.Metadata reads {sums['unreadable, read by the other']} of them."],
        "WRONG": [f"{sums['wrong before']} files have methods with errors that get one more error when a wrong value on the stack is boxed; they are patched "
                  "without `--verify`."],
        "REFUSED": table(["layout: status", "files"], [[name, number(n)] for name, n in by_count(sums["refused"])]),
        "COMPARED": table(["why", "files"], [[name, number(n)] for name, n in by_count(sums["not compared"])]),
        "COMPILED": table(["runtime", "why", "files"], [[runtime, name, number(n)] for runtime, key in
                                                        (("CoreCLR", "not compiled"), ("Mono", "not compiled by Mono"))
                                                        for name, n in by_count(sums[key])]),
        "TIME": [how_long(sums)],
        "TIMES": table(["step", "files", "seconds", "ms for each"],
                       [[name, number(step["files"]), f"{step['seconds']:.0f}", f"{1000 * step['seconds'] / step['files']:.1f}"]
                        for name, step in sums["times"].items()]),
        "FAILURES": [f"{total['failures']} failures."] + [f"* {failure}" for failure in sums["failures"]],
    }
    for name, lines in made.items():
        text = text.replace(f"@{name}@", "\n".join(lines))
    print(text, end="")


def which_files(corpus):
    left = "".join(f"\n* {file}: {reason}." for file, reason in sorted(corpus["left"].items()))
    left = f"\n\nThese files of the project, which have errors on purpose, are left out:\n{left}" if left else ""
    all_of_them = f"The machine has {number(corpus['files'])} assembly files, {number(corpus['different'])} of them different."
    if not corpus["seed"]:
        return f"{all_of_them} These are the results.{left}"
    return f"{all_of_them} These are the results of a **sample**: {number(corpus['chosen'])} of these, by seed {corpus['seed']}.{left}"


def how_long(sums):
    machine, corpus = sums["machine"], sums["corpus"]
    hours = sum(step["seconds"] for step in sums["times"].values()) / machine["at a time"] / 3600
    text = (f"{machine['at a time']} files at a time on {machine['processors']} processors, with other load: the load average was {machine['load']}. "
            f"This took {hours:.1f} hours")
    return text + ("." if not corpus["seed"] else f"; all files would take {hours * corpus['different'] / corpus['chosen']:.1f}.")


def by_count(counter):
    return sorted(counter.items(), key=lambda entry: (-entry[1], entry[0]))


def main():
    word, *arguments = sys.argv[1:]
    if word == "list":
        list_corpus(*arguments)
    elif word == "fixed":
        list_fixed(*arguments)
    elif word == "run":
        sys.exit(run(*arguments))
    elif word == "page":
        with open(arguments[0], encoding="utf-8") as file:
            page(json.load(file))
    else:
        sys.exit(__doc__)


main()
