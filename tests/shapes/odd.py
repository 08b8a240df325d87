"""Makes odd assemblies of a plain one:  odd.py PLAIN FOLDER   writes FOLDER/NAME.exe for each oddity below.

The metadata is taken apart into rows and heaps, changed, and put together again after the last section. Nothing of
ilpatch is used, so what it makes of these files is compared with an independent reading of ECMA-335.
"""
import struct
import sys

# ---- tables (II.22): columns are u2, u4, a heap (S, G, B), a table, or a coded index --------------------------

CODED = {
    "TypeDefOrRef": (2, [0x02, 0x01, 0x1B]),
    "HasConstant": (2, [0x04, 0x08, 0x17]),
    "HasCustomAttribute": (5, [0x06, 0x04, 0x01, 0x02, 0x08, 0x09, 0x0A, 0x00, 0x0E, 0x17, 0x14, 0x11, 0x1A, 0x1B,
                               0x20, 0x23, 0x26, 0x27, 0x28, 0x2A, 0x2C, 0x2B]),
    "HasFieldMarshal": (1, [0x04, 0x08]),
    "HasDeclSecurity": (2, [0x02, 0x06, 0x20]),
    "MemberRefParent": (3, [0x02, 0x01, 0x1A, 0x06, 0x1B]),
    "HasSemantics": (1, [0x14, 0x17]),
    "MethodDefOrRef": (1, [0x06, 0x0A]),
    "MemberForwarded": (1, [0x04, 0x06]),
    "Implementation": (2, [0x26, 0x23, 0x27]),
    "CustomAttributeType": (3, [None, None, 0x06, 0x0A, None]),
    "ResolutionScope": (2, [0x00, 0x1A, 0x23, 0x01]),
    "TypeOrMethodDef": (1, [0x02, 0x06]),
}
TABLES = {
    0x00: "2 S G G G", 0x01: "ResolutionScope S S", 0x02: "4 S S TypeDefOrRef 0x04 0x06", 0x03: "0x04",
    0x04: "2 S B", 0x05: "0x06", 0x06: "4 2 2 S B 0x08", 0x07: "0x08", 0x08: "2 2 S", 0x09: "0x02 TypeDefOrRef",
    0x0A: "MemberRefParent S B", 0x0B: "2 HasConstant B", 0x0C: "HasCustomAttribute CustomAttributeType B",
    0x0D: "HasFieldMarshal B", 0x0E: "2 HasDeclSecurity B", 0x0F: "2 4 0x02", 0x10: "4 0x04", 0x11: "B",
    0x12: "0x02 0x14", 0x13: "0x14", 0x14: "2 S TypeDefOrRef", 0x15: "0x02 0x17", 0x16: "0x17", 0x17: "2 S B",
    0x18: "2 0x06 HasSemantics", 0x19: "0x02 MethodDefOrRef MethodDefOrRef", 0x1A: "S", 0x1B: "B",
    0x1C: "2 MemberForwarded S 0x1A", 0x1D: "4 0x04", 0x1E: "4 4", 0x1F: "4", 0x20: "4 2 2 2 2 4 B S S", 0x21: "4",
    0x22: "4 4 4", 0x23: "2 2 2 2 4 B S S B", 0x24: "4 0x23", 0x25: "4 4 4 0x23", 0x26: "4 S B",
    0x27: "4 4 S S Implementation", 0x28: "4 4 S Implementation", 0x29: "0x02 0x02", 0x2A: "2 2 TypeOrMethodDef S",
    0x2B: "MethodDefOrRef B", 0x2C: "0x2A TypeDefOrRef",
}
SORTED = 0x16003301FA00
POINTERS = {0x04: 0x03, 0x06: 0x05, 0x08: 0x07, 0x14: 0x13, 0x17: 0x16}  # rows of the first are named by the second


class Metadata:
    def __init__(self, root):
        length, = struct.unpack_from("<I", root, 12)
        self.version = root[16:16 + length]
        self.flags, count = struct.unpack_from("<HH", root, 16 + length)
        at = 20 + length
        self.streams = []
        for _ in range(count):
            offset, size = struct.unpack_from("<II", root, at)
            end = root.index(b"\0", at + 8)
            self.streams.append([root[at + 8:end].decode(), root[offset:offset + size]])
            at = (end + 4) & ~3
        self.read_tables(self.stream("#~"))

    def stream(self, name):
        return next(data for known, data in self.streams if known == name)

    def replace(self, name, data):
        next(s for s in self.streams if s[0] == name)[1] = data

    def sizes(self, table):
        """The widths of a table's columns."""
        for column in TABLES[table].split():
            if column in ("2", "4"):
                yield int(column)
            elif column in "SGB":
                yield 4 if self.heaps >> "SGB".index(column) & 1 else 2
            elif column in CODED:
                bits, tables = CODED[column]
                yield 4 if max(len(self.rows.get(t, ())) for t in tables) >= 1 << 16 - bits else 2
            else:
                target = int(column, 16)
                most = max(len(self.rows.get(target, ())), len(self.rows.get(POINTERS.get(target, -1), ())))
                yield 4 if most >= 1 << 16 else 2

    def read_tables(self, data):
        self.heaps = data[6]
        valid, self.sorted = struct.unpack_from("<QQ", data, 8)
        at = 24
        self.rows = {}
        for table in range(64):
            if valid >> table & 1:
                self.rows[table] = [None] * struct.unpack_from("<I", data, at)[0]
                at += 4
        for table, rows in self.rows.items():
            form = "<" + "".join({2: "H", 4: "I"}[size] for size in self.sizes(table))
            for i in range(len(rows)):
                rows[i] = list(struct.unpack_from(form, data, at))
                at += struct.calcsize(form)

    def tables(self):
        rows = {table: self.rows[table] for table in sorted(self.rows) if self.rows[table]}
        data = struct.pack("<IBBBBQQ", 0, 2, 0, self.heaps, 1, sum(1 << t for t in rows), self.sorted)
        data += b"".join(struct.pack("<I", len(r)) for r in rows.values())
        for table, table_rows in rows.items():
            form = "<" + "".join({2: "H", 4: "I"}[size] for size in self.sizes(table))
            data += b"".join(struct.pack(form, *row) for row in table_rows)
        return data + bytes(-len(data) % 4)

    def string(self, text):
        """Adds a name; its offset."""
        heap = self.stream("#Strings").rstrip(b"\0") + b"\0"
        self.replace("#Strings", heap + text.encode() + b"\0")
        return len(heap)

    def name(self, offset):
        heap = self.stream("#Strings")
        return heap[offset:heap.index(b"\0", offset)].decode()

    def root(self):
        for stream in self.streams:
            if stream[0] in ("#~", "#-") and stream[1] is not None:
                stream[1] = self.tables()
        head = struct.pack("<4sHHII", b"BSJB", 1, 1, 0, len(self.version)) + self.version
        head += struct.pack("<HH", self.flags, len(self.streams))
        names = [name.encode() + bytes(4 - len(name.encode()) % 4) for name, _ in self.streams]
        at = len(head) + sum(8 + len(name) for name in names)
        body = b""
        for name, (_, data) in zip(names, self.streams):
            data += bytes(-len(data) % 4)
            head += struct.pack("<II", at + len(body), len(data)) + name
            body += data
        return head + body


class Assembly:
    """A PE32 file whose last section grows to hold other metadata."""

    def __init__(self, data):
        self.data = bytearray(data)
        self.pe, = struct.unpack_from("<I", data, 0x3C)
        self.count, = struct.unpack_from("<H", data, self.pe + 6)
        self.table = self.pe + 24 + struct.unpack_from("<H", data, self.pe + 20)[0]
        rva, = struct.unpack_from("<I", data, self.pe + 24 + 96 + 14 * 8)
        self.cli = self.offset(rva)
        rva, size = struct.unpack_from("<II", data, self.cli + 8)
        self.metadata = Metadata(bytes(data[self.offset(rva):self.offset(rva) + size]))

    def section(self, i):
        return struct.unpack_from("<IIII", self.data, self.table + 40 * i + 8)

    def offset(self, rva):
        for i in range(self.count):
            _, start, raw_size, raw = self.section(i)
            if start <= rva < start + raw_size:
                return raw + rva - start
        raise ValueError("no section has this RVA")

    def bytes(self):
        root = self.metadata.root()
        size, start, raw_size, raw = self.section(self.count - 1)
        data = self.data[:raw + raw_size]
        rva = start + raw_size
        data += root + bytes(-len(root) % 512)
        at = self.table + 40 * (self.count - 1)
        struct.pack_into("<IIII", data, at + 8, raw_size + len(root), start, len(data) - raw, raw)
        struct.pack_into("<I", data, at + 36, 0x40000040)  # not discardable
        struct.pack_into("<II", data, self.cli + 8, rva, len(root))
        struct.pack_into("<I", data, self.pe + 24 + 56, (rva + len(root) + 0x1FFF) & ~0x1FFF)
        return bytes(data)


# ---- oddities ------------------------------------------------------------------------------------------------

def plain(a):
    """Nothing but the place of the metadata is different."""


def streams_reversed(a):
    a.metadata.streams.reverse()


def streams_more(a):
    """Unknown streams, one with the longest name that there is."""
    a.metadata.streams[1:1] = [["#Junk", b"junk" * 5], ["x" * 31, b"\xFF" * 8], ["#Schema", b""]]


def long_version(a):
    a.metadata.version = b"v4.0.30319" + bytes(242)


def uncompressed(a):
    """The table stream is called #-, as edit and continue leaves it."""
    next(s for s in a.metadata.streams if s[0] == "#~")[0] = "#-"


def pointers(a):
    """#-, and runs of fields, methods, parameters go through tables of their own; the methods are in reversed order."""
    uncompressed(a)
    rows = a.metadata.rows
    for target, pointer in POINTERS.items():
        if rows.get(target):
            rows[pointer] = [[i + 1] for i in range(len(rows[target]))]
    methods, count = rows[0x06], len(rows[0x06])
    ends = [row[5] for row in methods[1:]] + [len(rows[0x08]) + 1]
    params = [list(range(row[5], end)) for row, end in zip(methods, ends)]
    rows[0x06] = methods[::-1]
    rows[0x05] = [[i] for i in range(count, 0, -1)]
    rows[0x07] = []
    for row, run in zip(rows[0x06], params[::-1]):
        row[5] = len(rows[0x07]) + 1
        rows[0x07] += [[rid] for rid in run]
    remap(a, 0x06, {i: count + 1 - i for i in range(1, count + 1)})


def remap(a, table, new):
    """Rows of a table have moved: every column that refers to it, but runs, and tokens in code are not touched."""
    rows = a.metadata.rows
    for number, table_rows in rows.items():
        for c, column in enumerate(TABLES[number].split()):
            for row in table_rows:
                if column in CODED and table in CODED[column][1]:
                    bits, tables = CODED[column]
                    if tables[row[c] & (1 << bits) - 1] == table and row[c] >> bits in new:
                        row[c] = new[row[c] >> bits] << bits | row[c] & (1 << bits) - 1
                elif column == "0x%02X" % table and number not in (0x02, 0x03, 0x05):
                    row[c] = new.get(row[c], row[c])
    token = struct.unpack_from("<I", a.data, a.cli + 20)[0]
    if token >> 24 == table:
        struct.pack_into("<I", a.data, a.cli + 20, table << 24 | new[token & 0xFFFFFF])
    move_tokens(a, table, new)


def move_tokens(a, table, new):
    """Tokens in code: of call, callvirt, newobj, ldftn and ldtoken, in the bodies of the plain program."""
    for row in a.metadata.rows[0x06]:
        if row[0] == 0:
            continue
        at = a.offset(row[0])
        if a.data[at] & 3 == 2:
            start, size = at + 1, a.data[at] >> 2
        else:
            start, size = at + 12, struct.unpack_from("<I", a.data, at + 4)[0]
        i = start
        while i < start + size:
            i = instruction(a.data, i, table, new)


def instruction(data, i, table, new):
    """Steps over one instruction; ECMA-335 III.1.9 has the operands that the plain program uses."""
    op = data[i]
    two = op == 0xFE
    if two:
        i += 1
        op = data[i]
    wide = {0x06, 0x07, 0x15, 0x16, 0x1C} if two else {
        0x20, 0x22, 0x27, 0x28, 0x29, 0x38, 0x39, 0x3A, 0x3B, 0x3C, 0x3D, 0x3E, 0x3F, 0x40, 0x41, 0x42, 0x43, 0x44,
        0x6F, 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x79, 0x7B, 0x7C, 0x7D, 0x7E, 0x7F, 0x80, 0x81, 0x8C, 0x8D, 0x8F,
        0xA3, 0xA4, 0xA5, 0xC2, 0xC6, 0xD0, 0xDD}
    short = {0x12} if two else {0x0E, 0x0F, 0x10, 0x11, 0x12, 0x13, 0x1F} | set(range(0x2B, 0x38)) | {0xDE}
    if op in wide:
        token, = struct.unpack_from("<I", data, i + 1)
        if token >> 24 == table and (two or op not in range(0x38, 0x45)):
            struct.pack_into("<I", data, i + 1, table << 24 | new[token & 0xFFFFFF])
        return i + 5
    if op in short:
        return i + 2
    if not two and op in (0x21, 0x23):
        return i + 9
    if not two and op == 0x45:
        return i + 5 + 4 * struct.unpack_from("<I", data, i + 1)[0]
    return i + 1


def edit_and_continue(a):
    """Tables of edit and continue, whose rows only an editor reads."""
    uncompressed(a)
    a.metadata.rows[0x1E] = [[0x06000001, 0], [0x02000002, 1]]
    a.metadata.rows[0x1F] = [[0x06000001], [0x02000002]]


def unsorted(a):
    """Custom attributes, generic parameters' constraints and the like in reversed order, and Sorted says so."""
    for table in (0x0B, 0x0C, 0x0D, 0x10, 0x18, 0x1C, 0x1D):
        if a.metadata.rows.get(table):
            a.metadata.rows[table].reverse()
    a.metadata.sorted = 0


def unsorted_uncompressed(a):
    """The same as #-, where runtimes look at Sorted."""
    unsorted(a)
    uncompressed(a)


def duplicates(a):
    """Rows of TypeRef, MemberRef, AssemblyRef and TypeSpec that say what others say."""
    for table in (0x01, 0x0A, 0x1B, 0x23):
        if a.metadata.rows.get(table):
            a.metadata.rows[table] += [list(row) for row in a.metadata.rows[table]]


def odd_names(a):
    """Control characters, right-to-left marks, 1,000 characters, no character at all."""
    names = {"Square": "\x01\x1b[31m\u202e", "Name": "n" * 1000, "Unused": "", "Half": "a\nb\t\"<&>\u2028"}
    for row in a.metadata.rows[0x06]:
        if a.metadata.name(row[3]) in names:
            row[3] = a.metadata.string(names[a.metadata.name(row[3])])


def same_names(a):
    """Private methods have one name for all, as obfuscators do where signatures differ."""
    new = a.metadata.string("a")
    for row in a.metadata.rows[0x06]:
        if a.metadata.name(row[3]) in ("Square", "Name", "Half", "Unused"):
            row[3] = new


def lost_body(a):
    """A method that is never called has its body nowhere."""
    for row in a.metadata.rows[0x06]:
        if a.metadata.name(row[3]) == "Unused":
            row[0] = 0x7FFFFFF0


def junk_body(a):
    """The same, with a body that is no IL: its last byte before ret is an opcode that does not exist."""
    for row in a.metadata.rows[0x06]:
        if a.metadata.name(row[3]) == "Unused":
            a.data[a.offset(row[0]) + 1] = 0xA6


def section_names(a):
    for i, name in enumerate((b"\0" * 8, b"\xFF\xFEodd..", b"\x01\x02\x03")[:a.count]):
        a.data[a.table + 40 * i:a.table + 40 * i + 8] = name.ljust(8, b"\0")


def wide_heaps(a):
    """Indexes into heaps have four bytes, though two would do."""
    heaps = a.metadata.heaps
    a.metadata.heaps = 7
    assert heaps != 7


def empty_streams(a):
    """Streams without a byte."""
    a.metadata.streams[1:1] = [["#Empty", b""], ["#None", b""]]


def native_allowed(a):
    """ILONLY is not set, as in images that hold native code."""
    flags, = struct.unpack_from("<I", a.data, a.cli + 16)
    struct.pack_into("<I", a.data, a.cli + 16, flags & ~1)


def extra_bytes(a):
    """Something follows the last section, as what installers append."""
    whole = a.bytes()
    return whole + b"appended" * 100


def dos_stub(a):
    """Another stub, and text where nothing is read."""
    a.data[0x40:a.pe] = (b"this is no stub " * 16)[:a.pe - 0x40]


ODDITIES = [plain, streams_reversed, streams_more, long_version, uncompressed, pointers, edit_and_continue, unsorted,
            unsorted_uncompressed, duplicates, odd_names, same_names, lost_body, junk_body, section_names,
            wide_heaps, empty_streams, native_allowed, extra_bytes, dos_stub]

if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        original = file.read()
    for oddity in ODDITIES:
        assembly = Assembly(original)
        made = oddity(assembly)
        with open("%s/%s.exe" % (sys.argv[2], oddity.__name__.replace("_", "-")), "wb") as file:
            file.write(made or assembly.bytes())
