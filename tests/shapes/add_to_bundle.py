"""Adds a file to a single-file program, or another file of that path: add_to_bundle.py PROGRAM OUTPUT PATH FILE [TYPE]

The new manifest comes after the file, at the end. Versions 2 and 6 of the manifest are known."""
import os
import struct
import sys

SIGNATURE = bytes([0x8B, 0x12, 0x02, 0xB9, 0x6A, 0x61, 0x20, 0x38, 0x72, 0x7B, 0x93, 0x02, 0x14, 0xD7, 0xA0, 0x32,
                   0x13, 0xF5, 0xB9, 0xE6, 0xEF, 0xAE, 0x33, 0x18, 0xEE, 0x3B, 0x2D, 0xCE, 0x24, 0xB3, 0x6A, 0xAE])
DEPS_JSON, SYMBOLS = 3, 5

program, output, path, file = sys.argv[1:5]
kind = int(sys.argv[5]) if len(sys.argv) > 5 else SYMBOLS
data = bytearray(open(program, "rb").read())
place = data.index(SIGNATURE) - 8
at = struct.unpack_from("<q", data, place)[0]
major, minor, count = struct.unpack_from("<IIi", data, at)
end = at + 12 + 1 + data[at + 12]
head = bytearray(data[at + 12 : end + 40])
row = 25 if major >= 6 else 17
entries = []
end += 40
for _ in range(count):
    length = data[end + row]
    name_at = end + row + 1
    if length >= 0x80:
        length = (length & 0x7F) | data[name_at] << 7
        name_at += 1
    if data[name_at : name_at + length].decode() != path:
        entries.append(data[end : name_at + length])
    end = name_at + length
contents = open(file, "rb").read()
offset = len(data)
data += contents
name = path.encode()
entries.append(struct.pack("<qq", offset, len(contents)) + bytes(row - 17) + bytes([kind, len(name)]) + name)
if kind == DEPS_JSON:
    struct.pack_into("<qq", head, len(head) - 40, offset, len(contents))
struct.pack_into("<q", data, place, len(data))
data += struct.pack("<IIi", major, minor, len(entries)) + head + b"".join(entries)
open(output, "wb").write(data)
os.chmod(output, 0o755)
