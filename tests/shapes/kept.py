"""What must stay when a file is patched:  kept.py BEFORE AFTER

Every section of BEFORE has in AFTER the same RVA, size and flags, and the same bytes, but for the field of the CLI header
that leads to the metadata, and for the debug directory. Directories are the same but those of debugging and certificates.
What is new follows, where a loader maps it. A checksum fits. Prints what is not so.
"""
import struct
import sys

CERTIFICATE, DEBUG, BOUND_IMPORT, CLI = 4, 6, 11, 14


class Image:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.pe, = struct.unpack_from("<I", self.data, 0x3C)
        self.machine, count = struct.unpack_from("<HH", self.data, self.pe + 4)
        optional = self.pe + 24
        plus = struct.unpack_from("<H", self.data, optional)[0] == 0x20B
        table = optional + struct.unpack_from("<H", self.data, self.pe + 20)[0]
        self.section_alignment, self.file_alignment = struct.unpack_from("<II", self.data, optional + 32)
        self.size_of_image, self.size_of_headers, self.checksum = struct.unpack_from("<III", self.data, optional + 56)
        self.checksum_at = optional + 64
        at = optional + (112 if plus else 96)
        self.directories = [struct.unpack_from("<II", self.data, at + 8 * i) for i in range(16)]
        self.sections = [struct.unpack_from("<8sIIIIIIHHI", self.data, table + 40 * i) for i in range(count)]

    def contents(self, section):
        return bytearray(self.data[section[4]:section[4] + section[3]])


def hide(image, section, contents, rva, size):
    """Zeros in the place of what may change."""
    at = rva - section[2]
    if 0 <= at < len(contents):
        contents[at:at + size] = bytes(size)


def checksum(image):
    data = bytearray(image.data)
    data[image.checksum_at:image.checksum_at + 4] = bytes(4)
    data += bytes(len(data) % 2)
    total = 0
    for word, in struct.iter_unpack("<H", data):
        total = (total + word & 0xFFFF) + (total + word >> 16)
    return total + len(image.data)


def differences(before, after):
    if before.machine != after.machine:
        yield "another machine"
    for i, (old, new) in enumerate(zip(before.directories, after.directories)):
        if old != new and i not in (CERTIFICATE, DEBUG, BOUND_IMPORT):
            yield "directory %d is %s, not %s" % (i, new, old)
    if after.directories[CERTIFICATE] != (0, 0):
        yield "a certificate"
    for old, new in zip(before.sections, after.sections):
        if old[:4] != new[:4] or old[9] != new[9]:
            yield "section %s has another header" % old[0]
        pair = [before.contents(old), after.contents(new)]
        for contents in pair:
            hide(before, old, contents, before.directories[CLI][0] + 8, 8)
            hide(before, old, contents, *before.directories[DEBUG])
        if pair[0] != pair[1]:
            yield "section %s has other bytes" % old[0]
    if len(after.sections) != len(before.sections) + 1:
        yield "%d sections" % len(after.sections)
    end = after.size_of_headers
    for _, size, rva, raw_size, raw, *_ in after.sections:
        aligned = (end + after.section_alignment - 1) & -after.section_alignment
        if rva != aligned:
            yield "a section at 0x%X, not 0x%X" % (rva, aligned)
        if raw % after.file_alignment or raw_size % after.file_alignment or raw + raw_size > len(after.data):
            yield "a section's bytes are misplaced"
        end = rva + size
    if after.size_of_image != (end + after.section_alignment - 1) & -after.section_alignment:
        yield "SizeOfImage is 0x%X" % after.size_of_image
    if after.checksum != (checksum(after) if before.checksum else 0):
        yield "CheckSum is 0x%X" % after.checksum


found = list(differences(Image(sys.argv[1]), Image(sys.argv[2])))
print("\n".join(found))
sys.exit(1 if found else 0)
