#!/usr/bin/env python3
"""A single-file program of .NET 6, but for its host, which starts nothing:  make_bundle.py OUT TYPE:PATH=FILE...

TYPE is what the manifest calls a file: 1 assembly, 3 deps, 4 config, 5 symbols. With a z before it the file is compressed.
"""
import struct
import sys
import zlib

SIGNATURE = bytes.fromhex('8b1202b96a612038727b930214d7a03213f5b9e6efae3318ee3b2dce24b36aae')
HOST = 64  # bytes; the offset of the manifest is at 16, the signature after it


def text(string):
    raw = string.encode()
    return bytes([len(raw)]) + raw


def main(out, files):
    data = bytearray(b'\x7fELF'.ljust(16, b'\0') + bytes(8) + SIGNATURE).ljust(HOST, b'\0')
    rows, places = b'', {3: (0, 0), 4: (0, 0)}
    for file in files:
        kind, path = file.split(':', 1)
        path, source = path.split('=', 1)
        with open(source, 'rb') as stream:
            whole = stream.read()
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = packer.compress(whole) + packer.flush() if kind[0] == 'z' else b''
        number = int(kind.lstrip('z'))
        data += bytes(-len(data) % 16)
        places[number] = (len(data), len(packed or whole))
        rows += struct.pack('<QQQB', len(data), len(whole), len(packed), number) + text(path)
        data += packed or whole
    struct.pack_into('<Q', data, 16, len(data))
    data += struct.pack('<III', 6, 0, len(files)) + text('an-id')
    data += struct.pack('<QQQQQ', *places[3], *places[4], 1) + rows
    with open(out, 'wb') as stream:
        stream.write(data)


main(sys.argv[1], sys.argv[2:])
