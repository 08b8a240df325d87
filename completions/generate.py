#!/usr/bin/env python3
"""Writes what shells and the manual page say about options, from host/options.def.

    completions/generate.py            writes the part between the two marks of each file
    completions/generate.py --check    prints the files whose part is another one, and fails if there are any

What is around the marks is written by hand.
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "begin of host/options.def", "end of host/options.def"
TAKERS = ("INSPECT LIST DUMP DIFF RESTORE RULES RULES_EXPLAIN RUN ATTACH DETACH PS DOCTOR TRACE REPORT TAIL VERIFY RESOLVE EXPLAIN "
          "BUNDLE").split()
REPEATED = {"RULES", "WHERE", "REFERENCE_PATH"}
ONE_OF = {"OUTPUT", "IN_PLACE", "TARGET_STDERR"}  # where the output goes
SUFFIXES = {"ASSEMBLY": "dll", "XML": "xml", "JSON": "json", "KEY": "snk"}
STRINGS = r'((?:"(?:[^"\\]|\\.)*"\s*)+|NULL)'


def text_of(literals):
    """The text of C string literals; None for NULL."""
    if literals.startswith("NULL"):
        return None
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', literals)
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], "".join(parts))


def words_of(name):
    """The words of a list, from the table that has it."""
    if not name:
        return []
    if name == "REASON":
        table, row = "include/ilpatch/reasons.def", r'^ILP_REASON\(\w+, *\d+, *\w+, *"([^"]+)"'
    elif name == "FORMAT":
        table, row = "tools/export/formats.def", r'^FORMAT\(\w+, *"([^"]+)"'
    else:
        lists = (ROOT / "host/option_words.h").read_text().replace("\\\n", "")
        found = re.search(rf"^#define {name}_WORDS\(X\)(.*)", lists, re.M)
        if found:
            return re.findall(r'"([^"]+)"', found[1])
        table, row = "include/ilpatch/rules.def", rf'^ILP_WORD\({name}, *\w+, *"([^"]+)"'
    words = re.findall(row, (ROOT / table).read_text(), re.M)
    assert words, f"{table} has no words of {name}"
    return words


def check_text(option, command):
    """A help text names all words of its option, or none of them."""
    named = [word for word in option.words if re.search(rf"\b{word}\b", option.text)]
    assert option.kind != "WORD" or named in ([], option.words), \
        f"--{option.name} of {command} names only {' '.join(named)} of {' '.join(option.words)}"


class Option:
    """One option as one command takes it."""

    def __init__(self, name, letter, kind, words, argument, text):
        self.name, self.letter, self.kind, self.words = name, letter, kind, words
        self.optional = argument.startswith("[=")
        self.argument = argument.strip("[=]")
        self.text = text.replace("\n", " ")
        self.short = "print a help text" if name == "help" else re.split(r"[;:(]|\. ", self.text)[0].strip()
        self.one_of = self.repeated = False

    def spellings(self):
        return ([f"-{self.letter}"] if self.letter else []) + [f"--{self.name}"]


def read_table():
    """{command: [Option]}: what each command takes, in the table's order."""
    table = (ROOT / "host/options.def").read_text()
    table = table[table.index("#define TAKES"):]
    options, commands = {}, {taker.lower(): [] for taker in TAKERS}
    row = re.compile(rf'^OPTION\((\w+), "([^"]+)", (0|\'.\'), (\w+), "([^"]*)"\)|'
                     rf'^TAKES\((\w+), ([\w| \n]+), "([^"]*)",\s*{STRINGS}\)', re.M)
    for found in row.finditer(table):
        if found[1]:
            options[found[1]] = (found[2], found[3].strip("'0"), found[4], words_of(found[5]))
            continue
        text = text_of(found[9])
        takers = found[7].replace("\n", " ").split("|")
        for taker in TAKERS if "ALL_COMMANDS" in found[7] else [taker.strip() for taker in takers]:
            if text is not None and taker != "PROFILER":
                option = Option(*options[found[6]], found[8], text)
                option.one_of, option.repeated = found[6] in ONE_OF, found[6] in REPEATED
                check_text(option, taker.lower())
                commands[taker.lower()].append(option)
    commands["rules"] = commands.pop("rules_explain")
    return commands


def by_spelling(commands):
    """Each option once, those of `inspect` first."""
    seen = {}
    for options in commands.values():
        for option in options:
            seen.setdefault(option.name, option)
    return seen.values()


# ---- bash ----

def bash(commands):
    lines = ["_ilpatch_options() {", "    case $1 in"]
    for command, options in commands.items():
        spelled = " ".join(spelling for option in options for spelling in option.spellings())
        lines.append(f"        {command}) echo {spelled} ;;")
    lines += ["    esac", "}", "", "# Completes what follows an option; fails if that is not a value.", "_ilpatch_value() {",
              "    case $1 in"]
    for option in by_spelling(commands):
        if not option.argument or option.optional:
            continue
        if option.kind == "WORD":
            action = f"_ilpatch_words {' '.join(option.words)}"
        elif option.kind == "WORD_LIST":
            action = f"_ilpatch_word_list {' '.join(option.words)}"
        elif option.kind in SUFFIXES:
            action = "_ilpatch_files '*." + "".join(f"[{c}{c.upper()}]" for c in SUFFIXES[option.kind]) + "'"
        else:
            action = {"FILE": "_ilpatch_files '*'", "FOLDER": "_ilpatch_files ''"}.get(option.kind, "COMPREPLY=()")
        lines.append(f"        {' | '.join(option.spellings())}) {action} ;;")
    return lines + ["        *) return 1 ;;", "    esac", "    return 0", "}"]


# ---- zsh ----

def zsh_quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_option(option, options):
    text = re.sub(r"([][\\:])", r"\\\1", option.short)
    others = [spelling for other in options if other.one_of and option.one_of and other is not option
              for spelling in other.spellings()]
    spelled = option.spellings()
    exclusive = "- *" if option.name == "help" else " ".join((spelled if len(spelled) > 1 else []) + others)
    head = "*" if option.repeated else f"({exclusive})" if exclusive else ""
    argument = option.argument.lower().replace(",...", "")
    action = ""
    if option.argument:
        values = {"WORD": f"({' '.join(option.words)})", "WORD_LIST": f"_values -s , {argument} {' '.join(option.words)}",
                  "FILE": "_files", "FOLDER": "_files -/", "TEXT": "", "NUMBER": ""}
        suffix = SUFFIXES.get(option.kind)
        action = f":{argument}:" + (f'_files -g "*.(#i){suffix}(-.)"' if suffix else values[option.kind])
    tail = ("=-" if option.optional else "") + f"[{text}]" + (":" if option.optional else "") + action
    if len(spelled) == 1:
        return zsh_quoted(head + spelled[0] + tail)
    return (zsh_quoted(head) if head else "") + "{" + ",".join(spelled) + "}" + zsh_quoted(tail)


def zsh(commands):
    lines = ["_ilpatch_set_options() {", "    case $1 in"]
    for command, options in commands.items():
        lines.append(f"        {command})")
        lines.append("            options=(")
        lines += ["                " + zsh_option(option, options) for option in options]
        lines += ["            )", "            ;;"]
    return lines + ["    esac", "}"]


# ---- fish ----

def fish_quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_value(option):
    if not option.argument or option.optional:
        return ""
    if option.kind == "WORD":
        return " -x -a " + fish_quoted(" ".join(option.words))
    if option.kind == "WORD_LIST":
        return " -x -a " + fish_quoted(f"(__fish_append , {' '.join(option.words)})")
    if option.kind in SUFFIXES:
        return " -x -a " + fish_quoted(f"(__fish_complete_suffix .{SUFFIXES[option.kind]})")
    return {"FILE": " -r -F", "FOLDER": " -x -a '(__fish_complete_directories)'"}.get(option.kind, " -x")


def fish(commands):
    lines = []
    for command, options in commands.items():
        for option in options:
            letter = f" -s {option.letter}" if option.letter else ""
            lines.append(f"complete -c ilpatch -n '__ilpatch_is {command}'{letter} -l {option.name}{fish_value(option)}"
                         f" -d {fish_quoted(option.short)}")
    return lines


# ---- PowerShell ----

def powershell_quoted(text):
    return "'" + text.replace("'", "''") + "'"


def powershell(commands):
    lines = ["$options = @{"]
    for command, options in commands.items():
        lines.append(f"    {command} = @(")
        for option in options:
            for spelling in option.spellings():
                lines.append(f"        , @({powershell_quoted(spelling)}, {powershell_quoted(option.short)})")
        lines.append("    )")
    lines += ["}", "$values = @{"]
    for option in by_spelling(commands):
        if option.words:
            words = ", ".join(powershell_quoted(word) for word in option.words)
            lines.append(f"    '--{option.name}' = @({words})")
    return lines + ["}"]


# ---- the manual page ----

def roff(text):
    """Lines of up to 78 characters; each sentence begins one."""
    sentences = re.split(r"(?<=\.) (?=[A-Z])", text[0].upper() + text[1:] + "." * (not text.endswith(".")))
    lines = [line for sentence in sentences for line in textwrap.wrap(sentence, 78, break_on_hyphens=False)]
    return [("\\&" if line[0] in ".'" else "") + line.replace("\\", "\\e") for line in lines]


def man(commands):
    lines = []
    for option in by_spelling(commands):
        argument = f" Ns Op = Ns Ar {option.argument}" if option.optional else f" Ar {option.argument}" if option.argument else ""
        spelled = [f"Fl {spelling[1:]}{argument}" for spelling in option.spellings()]
        lines.append(".It " + " , ".join(spelled))
        texts = {}
        for command, options in commands.items():
            for same in options:
                if same.name == option.name:
                    texts.setdefault(same.text, []).append(command)
        for text, takers in texts.items():
            if len(texts) > 1 or len(takers) < len(commands):
                lines.append(".Cm " + " , ".join(takers) + " :")
            lines += roff(text)
            lines.append(".br")
        lines.pop()
    return lines


FILES = {
    "completions/ilpatch.bash": bash,
    "completions/_ilpatch": zsh,
    "completions/ilpatch.fish": fish,
    "completions/ilpatch.ps1": powershell,
    "man/ilpatch.1": man,
}


def main():
    commands = read_table()
    stale = []
    for name, lines_of in FILES.items():
        path = ROOT / name
        old = path.read_text()
        lines = old.split("\n")
        begin, end = (next(i for i, line in enumerate(lines) if mark in line) for mark in (BEGIN, END))
        new = "\n".join(lines[:begin + 1] + lines_of(commands) + lines[end:])
        if new != old:
            stale.append(name)
            if "--check" not in sys.argv[1:]:
                path.write_text(new)
    if stale:
        print("\n".join(stale))
    return bool(stale) and "--check" in sys.argv[1:]


if __name__ == "__main__":
    sys.exit(main())
