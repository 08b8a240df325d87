#!/usr/bin/env python3
"""Writes libilpatch(3) and a manual page for each part of include/ilpatch.h, from its comments.

    man/generate.py FOLDER               the pages, and for each function and struct a link to the page of its part
    man/generate.py --examples FOLDER    the example of each part as PART.c, and what it prints as PART.txt
    man/generate.py --share              how many of the header's lines are comment, by part
    ILPATCH_H=FILE                       another header

How a comment is read:

    /* ---- open an image: ilp_image(3) ---- *   begins a part: what it does, and its page
    text in paragraphs, `words` as in C, *a term*
      - an item of a list
        indented lines, shown as they are
      ILP_E_NOT_PE   when that is returned; belongs to ERRORS
    Example: what it shows. Indented lines follow: functions and main(), or what main() does.
    Prints:  Indented lines follow: the example's output.

A comment right above declarations is about them; one without is about the part. Declarations without a comment belong to the
ones before them, but a function needs one.
"""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER = pathlib.Path(os.environ.get("ILPATCH_H", ROOT / "include/ilpatch.h"))
MOST_LINES = 60  # of a definition in a page: of a longer one, such as the opcodes, the ends are shown
OVERVIEW = "libilpatch"


# ---- the header ----

class Block:
    """A paragraph: kind is text, item, literal, errors, code (of an example) or output."""

    def __init__(self, kind, lines):
        self.kind, self.lines = kind, lines


class Item:
    """A comment and what it is about."""

    def __init__(self, comment, code):
        self.blocks = blocks_of(comment)
        self.code = code
        self.functions = functions_in(code)

    def names(self):
        """What it declares, as mdoc has it."""
        plain = re.sub(r"/\*.*?\*/", "", "\n".join(self.code), flags=re.S)
        tags = re.findall(r"^(?:typedef )?((?:struct|enum) ilp_\w+)(?: \{|;)", plain, re.M)
        types = re.findall(r"^typedef \w+ (ilp_\w+);", plain, re.M)
        macros = re.findall(r"^#define (ILP_\w+)", plain, re.M)
        names = [("Fn", name) for _, name, _ in self.functions]
        names = names or [("Vt", name) for name in tags + types] + [("Dv", name) for name in macros]
        return names if len(names) < 6 else [names[0], (None, "..."), names[-1]]


class Part:
    def __init__(self, page, title, comment):
        self.page, self.title = page, title
        self.blocks = blocks_of(comment)
        self.items = []

    def functions(self):
        return [function for item in self.items for function in item.functions]

    def structs(self):
        code = "\n".join(line for item in self.items for line in item.code)
        return re.findall(r"^struct (ilp_\w+)(?: \{|;)", code, re.M)

    def example(self):
        """Code and output, as lists of lines."""
        return [[line for block in self.blocks if block.kind == kind for line in block.lines] for kind in ("code", "output")]


def functions_in(code):
    """(type, name, arguments) of each function."""
    plain = re.sub(r"/\*.*?\*/", "", "\n".join(code), flags=re.S)
    found = []
    for text in re.findall(r"^ILP_API (.*?\));", plain, re.M | re.S):
        kind, name, rest = re.match(r"(.*?)\b(ilp_\w+)\((.*)\)$", " ".join(text.split())).groups()
        arguments, depth = [""], 0
        for character in rest:
            depth += (character == "(") - (character == ")")
            if character == "," and depth == 0:
                arguments.append("")
            else:
                arguments[-1] += character
        found.append((kind.strip(), name, [argument.strip() for argument in arguments]))
    return found


def text_of(comment):
    """The lines of a comment without its stars."""
    lines = [re.sub(r"^(/\*| \*/?) ?", "", line) for line in comment]
    lines[-1] = re.sub(r" ?\*/$", "", lines[-1])
    return [line.rstrip() for line in lines]


def indent_of(line):
    return len(line) - len(line.lstrip())


def blocks_of(comment):
    blocks, example = [], None
    for line in comment + [""]:
        last = blocks[-1] if blocks else None
        if not line:
            blocks.append(None)
        elif indent_of(line) < 2:
            if last and last.kind == "text":
                last.lines.append(line)
                continue
            example = "code" if line.startswith("Example:") else "output" if line.startswith("Prints:") and example else None
            blocks.append(Block("text", [line]))
        elif re.match(r"  - ", line):
            blocks.append(Block("item", [line[4:]]))
        elif last and last.kind == "item":
            last.lines.append(line.strip())
        elif re.match(r"  ILP_E_\w+(  |$)", line):
            if last and last.kind == "errors":
                last.lines.append(line.strip())
            else:
                blocks.append(Block("errors", [line.strip()]))
        elif last and last.kind == "errors":
            last.lines[-1] += " " + line.strip()
        elif last and last.kind in ("literal", "code", "output"):
            last.lines.append(line)
        else:  # a blank line within what is shown as it is
            kind = example or "literal"
            before = next((block for block in reversed(blocks) if block), None)
            if last is None and before and before.kind == kind:
                while blocks[-1] is None:
                    before.lines.append("")
                    blocks.pop()
                before.lines.append(line)
            else:
                blocks.append(Block(kind, [line]))
    for block in (block for block in blocks if block and block.kind in ("literal", "code", "output")):
        least = min(indent_of(line) for line in block.lines if line)
        block.lines = [line[least:] for line in block.lines]
    return [block for block in blocks if block]


def read_header():
    """The parts, the first of which is the comment that the header begins with."""
    lines = HEADER.read_text().split("\n")
    parts, comment, at = [], [], 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("/*"):
            end = at
            while "*/" not in lines[end]:
                end += 1
            text = text_of(lines[at:end + 1])
            at = end + 1
            banner = re.match(r"---- (.*): (ilp_\w+)\(3\) -+ ?\*?$", text[0])
            if not parts:
                parts.append(Part(OVERVIEW, text[0].split(": ", 1)[1].rstrip("."), text[1:]))
            elif banner:
                parts.append(Part(banner[2], banner[1], text[1:]))
            elif at < len(lines) and lines[at]:
                comment = text
            else:
                parts[-1].items.append(Item(text, []))
        elif re.match(r"#if(def __cplusplus| defined)", line):  # C++, and how functions are exported
            while not lines[at].startswith("#endif"):
                at += 1
        elif not line or re.match(r"#(ifndef|endif|include|define ILPATCH_H)", line):
            at += 1
        else:
            code = []
            while lines[at] and not lines[at].startswith("/*"):
                code.append(lines[at])
                at += 1
            item = Item(comment, code)
            if not comment and item.functions:
                sys.exit(f"{HEADER}: {item.functions[0][1]}() has no comment")
            if not comment and parts[-1].items:
                item = parts[-1].items.pop()
                item.code += code
            parts[-1].items.append(item)
            comment = []
    return parts


# ---- mdoc ----

def plain(text):
    """Text without what roff takes for itself."""
    text = text.replace("\\", "\\e")
    return "\\&" + text if text[:1] in (".", "'") else text


def shown(line):
    """A line that is shown as it is."""
    line = plain(line)
    for character, name in (("-", "\\-"), ("^", "\\(ha"), ("~", "\\(ti"), ("`", "\\(ga"), ("'", "\\(aq")):
        line = line.replace(character, name)
    return line


def quoted(text):
    return '"' + plain(text).replace('"', "\\(dq") + '"' if " " in text or '"' in text else plain(text)


WORD = re.compile(r"""(?P<open>[(\[]*)(?:(?P<Fn>ilp_\w+)\(\)|(?P<Xr>[\w.]+)\((?P<section>[13])\)|(?P<Dv>(?:ILP_E?_?|UINT|SIZE_)[A-Z0-9_]+|NULL)
    |(?P<Vt>(?:struct|enum)[ ]ilp_\w+|ilp_[a-z_]+)|`(?P<Li>[^`]+)`|\*(?P<Em>[\w -]+)\*|(?P<Pa>(?:[\w*-]+/)+[\w.*-]+\.[a-zA-Z]+))
    (?P<close>[)\].,:;?]*)$""", re.X)


def prose(lines):
    """Lines of mdoc: macros by themselves, and each sentence on a line of its own."""
    text = re.sub(r"\b(struct|enum)\s+(ilp_)", r"\1\0\2", " ".join(lines))
    text = re.sub(r"`[^`]+`", lambda found: found[0].replace(" ", "\0"), text)
    out, line = [], []

    def end_line():
        if line:
            out.append(plain(" ".join(line)))
            line.clear()

    for word in text.split():
        word = word.replace("\0", " ")
        found = WORD.match(word)
        if found:
            end_line()
            macro = next(name for name in ("Fn", "Xr", "Dv", "Vt", "Li", "Em", "Pa") if found[name])
            words = [*found["open"], quoted(found[macro]), *([found["section"]] if macro == "Xr" else []), *found["close"]]
            out.append(f".{'Ql' if macro == 'Li' else macro} {' '.join(words)}")
        else:
            line.append(word.replace("\\", "\\e"))
            if re.search(r"[.?][)\"]*$", word):
                end_line()
            elif len(" ".join(line)) > 70:
                end_line()
    end_line()
    return out


def literal(lines):
    return [".Bd -literal -offset indent", *(shown(line) for line in lines), ".Ed"]


def errors_of(block):
    out = [".Bl -tag -width Ds"]
    for line in block.lines:
        name, text = line.split(None, 1)
        out += [f".It Bq Er {name}", *prose([text])]
    return out + [".El"]


def body(blocks, kinds=("text", "item", "literal")):
    """Blocks as mdoc."""
    out, items = [], []
    for block, after in zip(blocks, blocks[1:] + [None]):
        if block.kind == "text" and block.lines[-1].endswith("with:") and after and after.kind == "errors":
            block.lines[-1] = block.lines[-1][:-1] + " what ERRORS has."
    for block in [block for block in blocks if block.kind in kinds] + [None]:
        if items and (not block or block.kind != "item"):
            out += [".Bl -bullet", *items, ".El"]
            items = []
        if block and block.kind == "item":
            items += [".It", *prose(block.lines)]
        elif block and block.kind == "text":
            out += ([".Pp"] if out else []) + prose(block.lines)
        elif block:
            out += literal(block.lines)
    return out


def without_example(blocks):
    start = next((at for at, block in enumerate(blocks) if block.kind == "text" and block.lines[0].startswith("Example:")), None)
    return blocks if start is None else blocks[:start]


def example_of(part):
    """The section with the example: its text without the word, code, output."""
    rest = part.blocks[len(without_example(part.blocks)):]
    if not rest:
        return []
    rest[0].lines[0] = rest[0].lines[0].split(": ", 1)[1]
    rest[0].lines[0] = rest[0].lines[0][0].upper() + rest[0].lines[0][1:]
    return [".Sh EXAMPLES", *body(rest, ("text", "code", "output"))]


def definition(code):
    """Types as they are in the header, without what is too long for a page."""
    if len(code) > MOST_LINES:
        code = code[:4] + ["    ..."] + code[-2:]
    return literal(code)


def described(item):
    names = item.names()
    out = [".It " + " , ".join(f"{macro} {quoted(name)}" if macro else name for macro, name in names)] if names else []
    out += body(item.blocks)
    if item.code and not item.functions:
        out += [] if re.match(r"struct \w+;$", "\n".join(item.code)) else definition(item.code)
    elif any(not line.startswith(("ILP_API", " ")) for line in item.code):  # types beside functions
        types = type_lines(item.code)
        out += [] if all(re.match(r"struct \w+;$", line) for line in types) else definition(types)
    return out


def type_lines(code):
    """Of declarations those that are no functions."""
    text = re.sub(r"^ILP_API .*?;( /\*.*?\*/)?\n?", "", "\n".join(code) + "\n", flags=re.M | re.S)
    return text.strip("\n").split("\n") if text.strip() else []


def descriptions(part):
    """Text of the part, then its declarations in their order."""
    out, listed = body(without_example(part.blocks)), False
    for item in part.items:
        if item.code and not listed:
            out.append(".Bl -tag -width Ds")
        elif not item.code and listed:
            out.append(".El")
        if not item.code and out:
            out.append(".Pp")
        listed = bool(item.code)
        out += described(item)
    return out + ([".El"] if listed else [])


def errors_section(part):
    out = []
    general = [block for block in part.blocks if block.kind == "errors"]
    for block in general:
        out += ["Functions of this part that return", ".Vt ilp_status", "return", ".Dv ILP_OK", "or:", *errors_of(block)]
    for item in part.items:
        for block in (block for block in item.blocks if block.kind == "errors"):
            names = [line for _, name, _ in item.functions for line in (f".Fn {name}", "and")][:-1]
            out += ([".Pp"] if out else []) + [*names, "can also fail with:" if general else "can fail with:", *errors_of(block)]
    return [".Sh ERRORS", *out] if out else []


def synopsis(part):
    out = [".Sh LIBRARY", f".Nm {OVERVIEW} ,", ".Fl lilpatch", ".Sh SYNOPSIS", ".In ilpatch.h"]
    for kind, name, arguments in part.functions():
        out += [f".Ft {quoted(kind)}", f".Fo {name}", *(f".Fa {quoted(argument)}" for argument in arguments), ".Fc"]
    return out


def see_also(part, parts):
    """The pages of what is named, and the overview."""
    homes = {name: other.page for other in parts for _, name, _ in other.functions()}
    blocks = part.blocks + [block for item in part.items for block in item.blocks]
    text = "\n".join(line for block in blocks for line in block.lines)
    pages = {homes[name] for name in re.findall(r"\b(ilp_\w+)\(", text) if name in homes}
    pages |= set(re.findall(r"\b(ilp_\w+)\(3\)", text)) | {OVERVIEW}
    pages = sorted(pages - {part.page})
    return [".Sh SEE ALSO", *(f".Xr {page} 3 ," for page in pages[:-1]), f".Xr {pages[-1]} 3"] if pages else []


def head(part):
    date = re.search(r"^\.Dd .*", (ROOT / "man/ilpatch.1").read_text(), re.M)[0]
    names = list(dict.fromkeys([part.page] + [name for _, name, _ in part.functions()]))
    return [date, f".Dt {part.page.upper()} 3", ".Os", ".Sh NAME", *(f".Nm {name} ," for name in names[:-1]), f".Nm {names[-1]}",
            f".Nd {part.title}"]


def page(part, parts):
    return [*head(part), *synopsis(part), ".Sh DESCRIPTION", *descriptions(part), *example_of(part), *errors_section(part),
            *see_also(part, parts)]


def overview(first, parts):
    groups = [".Bl -tag -width Ds"]
    for part in parts:
        groups += [f".It Xr {part.page} 3", *prose([part.title[0].upper() + part.title[1:] + "."])]
    tables = sorted((ROOT / "include/ilpatch").glob("*.def"))
    files = [".Sh FILES", ".Bl -tag -width Ds", ".It Pa ilpatch.h", "The interface, with the text of these pages."]
    for table in tables:
        lines = re.match(r"/\* (.*?)(?:\n \*\n|\*/)", table.read_text(), re.S)[1]
        files += [f".It Pa ilpatch/{table.name}", *prose([re.sub(r"\n \*", " ", lines).strip()])]
    pages = sorted(part.page for part in parts)
    return [*head(first), *synopsis(first), ".Sh DESCRIPTION", *descriptions(first), ".Ss The parts", *groups, ".El", *files, ".El",
            *example_of(first), ".Sh SEE ALSO", ".Xr ilpatch 1 ,", *(f".Xr {page} 3 ," for page in pages[:-1]), f".Xr {pages[-1]} 3",
            ".Sh STANDARDS", "ECMA-335, 6th edition, and the Portable PDB format."]


# ---- what is written ----

def write_pages(folder, parts):
    pages = {part.page: page(part, parts) for part in parts[1:]}
    pages[OVERVIEW] = overview(parts[0], parts[1:])
    for name, lines in pages.items():
        text = "\n".join(lines) + "\n"
        (folder / f"{name}.3").write_text(text.replace(f".Xr {name} 3", f".Nm {name}"))
    links = {"ilpatch": OVERVIEW}
    for part in parts:
        links.update({name: part.page for name in [name for _, name, _ in part.functions()] + part.structs()})
    for name in links.keys() - pages.keys():
        (folder / f"{name}.3").symlink_to(f"{links[name]}.3")


def write_examples(folder, parts):
    """The first part's example is what the others begin with."""
    prelude, _ = parts[0].example()
    for part in parts[1:]:
        code, output = part.example()
        if not any(line.startswith("int main(") for line in code):
            code = ["int main(void)", "{", *("    " + line if line else "" for line in code), "}"]
        (folder / f"{part.page}.c").write_text("\n".join(prelude + [""] + code) + "\n")
        (folder / f"{part.page}.txt").write_text("".join(line + "\n" for line in output))


def print_share():
    """Lines with a comment alone, of all that are not blank; and the same without lists of enumerators."""
    shares, part, inside, listing = {}, OVERVIEW, False, False
    for line in HEADER.read_text().split("\n"):
        banner = re.match(r"/\* ---- .*: (ilp_\w+)\(3\) -", line)
        part = banner[1] if banner else part
        comment = inside or bool(re.match(r"\s*/\*", line))
        inside = "*/" not in line if comment else False
        listing = bool(re.match(r"(typedef )?enum .*\{", line)) or (listing and not line.startswith("}"))
        if line.strip():
            counts = shares.setdefault(part, [0, 0, 0])
            counts[0] += comment
            counts[1] += 1
            counts[2] += not comment and bool(re.match(r"\s+ILP_\w+( = \w+)?,?( /\*.*\*/)?$", line)) and listing
    rows = list(shares.items()) + [("all", [sum(counts) for counts in zip(*shares.values())])]
    for name, (comment, all_lines, listed) in rows:
        print(f"{name:18} {comment:5} of {all_lines:5} lines: {100 * comment // all_lines:3} %; "
              f"without enumerators {100 * comment // max(1, all_lines - listed):3} %")


def main():
    parts = read_header()
    if sys.argv[1:] == ["--share"]:
        print_share()
    elif len(sys.argv) == 3 and sys.argv[1] == "--examples":
        write_examples(pathlib.Path(sys.argv[2]), parts)
    elif len(sys.argv) == 2:
        pathlib.Path(sys.argv[1]).mkdir(parents=True)
        write_pages(pathlib.Path(sys.argv[1]), parts)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
