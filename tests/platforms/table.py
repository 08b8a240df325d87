#!/usr/bin/env python3
"""The table of platforms in docs/SUPPORT.md:  table.py [--write] CELLS PAGE

CELLS has lines `part TAB column TAB text`, as tests/platforms/run.sh writes them. Without --write each cell has to be in PAGE as it is there; cells that
did not run are not compared. With it the table is written again: cells that did not run keep their text.
"""
import sys

# The rows: a file of parts/, and what the page calls it.
ROWS = {
    'i686': 'Linux x86, 32 bits',
    'musl': 'Linux x64, musl',
    'old_linux': 'Linux x64, glibc 2.28',
    'windows': 'Windows x64 (wine64)',
    'mono': 'Mono 6.8 on Linux x86 and 64-bit Arm',
    'windows32': 'Windows x86 (built only)',
    'arm64': 'Linux on 64-bit Arm, under qemu',
}
# The columns: the word that parts give to `ran`, and the heading.
COLUMNS = {
    'library': 'library', 'units': 'unit tests', 'command': 'command', 'bytes': 'same bytes', 'run': '`run`', 'attach': '`attach`', 'trace': '`trace`, fast hooks',
    'values': 'values', 'note': 'besides',
}
BEGIN, END = '<!-- made by tests/platforms/table.py -->', '<!-- end -->'


def read(page):
    """The cells of the page, by (part, column)."""
    text = page.split(BEGIN)[1].split(END)[0]
    by_title = {title: part for part, title in ROWS.items()}
    cells = {}
    for line in text.splitlines()[3:]:
        fields = [field.strip() for field in line.strip().strip('|').split('|')]
        if fields[0] in by_title:
            for column, field in zip(COLUMNS, fields[1:]):
                cells[by_title[fields[0]], column] = field
    return cells


def table(cells):
    lines = ['| platform | ' + ' | '.join(COLUMNS.values()) + ' |', '|---' * (len(COLUMNS) + 1) + '|']
    for part, title in ROWS.items():
        lines.append('| ' + title + ' | ' + ' | '.join(cells.get((part, column), '–') for column in COLUMNS) + ' |')
    return '\n'.join(lines)


def main(arguments):
    write = arguments[:1] == ['--write']
    cells_path, page_path = arguments[write:]
    with open(page_path, encoding='utf-8') as file:
        page = file.read()
    there = read(page)
    new = {}
    with open(cells_path, encoding='utf-8') as file:
        for line in file:
            part, column, text = line.rstrip('\n').split('\t')
            if part not in ROWS or column not in COLUMNS:
                sys.exit(f'table.py has no row {part} or no column {column}')
            new[part, column] = text
    if write:
        there.update(new)
        before, rest = page.split(BEGIN)
        with open(page_path, 'w', encoding='utf-8') as file:
            file.write(before + BEGIN + '\n' + table(there) + '\n' + END + rest.split(END, 1)[1])
        return
    wrong = [f'{part}, {column}: {text}, and the page has {there.get((part, column), "nothing")}' for (part, column), text in new.items()
             if there.get((part, column)) != text]
    if wrong:
        sys.exit('\n'.join(wrong))


main(sys.argv[1:])
