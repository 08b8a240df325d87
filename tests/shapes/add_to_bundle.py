"""Adds a file to a single-file program: add_to_bundle.py PROGRAM OUTPUT PATH FILE

The new manifest comes after the file, at the end. Versions 2 and 6 of the manifest are known."""
import os
import struct
import sys

SIGNATURE = bytes([0x8B, 0x12, 0x02, 0xB9, 0x6A, 0x61, 0x20, 0x38, 0x72, 0x7B, 0x93, 0x02, 0x14, 0xD7, 0xA0, 0x32,
                   0x13, 0xF5, 0xB9, 0xE6, 0xEF, 0xAE, 0x33, 0x18, 0xEE, 0x3B, 0x2D, 0xCE, 0x24, 0xB3, 0x6A, 0xAE])
SYMBOLS = 5

program, output, path, file = sys.argv[1:]
data = bytearray(open(program, "rb").read())
place = data.index(SIGNATURE) - 8
manifest = bytes(data[struct.unpack_from("<q", data, place)[0]:])
major, minor, count = struct.unpack_from("<IIi", manifest)
contents = open(file, "rb").read()
offset = len(data)
data += contents
struct.pack_into("<q", data, place, len(data))
name = path.encode()
data += struct.pack("<IIi", major, minor, count + 1) + manifest[12:]
data += struct.pack("<qq", offset, len(contents)) + (struct.pack("<q", 0) if major >= 6 else b"") + bytes([SYMBOLS, len(name)]) + name
open(output, "wb").write(data)
os.chmod(output, 0o755)
