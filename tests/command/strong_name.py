#!/usr/bin/env python3
"""Verifies strong-name signatures with nothing but arithmetic:  strong_name.py KEY FILE...

KEY is a public key as in Assembly.PublicKey. Prints for each FILE: none (no flag, or no place for a signature), public (only zeros), valid HASH, or invalid.
Written from ECMA-335 II.6.2.1.3, II.25.3.3 and RFC 8017, 8.2.2.
"""
import hashlib
import struct
import sys

HASHES = {0x8004: ("sha1", "3021300906052b0e03021a05000414"),
          0x800C: ("sha256", "3031300d060960864801650304020105000420"),
          0x800D: ("sha384", "3041300d060960864801650304020205000430"),
          0x800E: ("sha512", "3051300d060960864801650304020305000440")}


def u32(data, at):
    return struct.unpack_from("<I", data, at)[0]


def verify(data, key):
    coff = u32(data, 0x3C) + 4
    count, optional_size = struct.unpack_from("<H", data, coff + 2)[0], struct.unpack_from("<H", data, coff + 16)[0]
    optional = coff + 20
    directories = optional + (112 if data[optional] == 0x0B and data[optional + 1] == 2 else 96)
    table = optional + optional_size
    sections = [struct.unpack_from("<8sIIII", data, table + 40 * i)[1:] for i in range(count)]

    def offset(rva):
        return next(raw + rva - at for _, at, size, raw in sections if at <= rva < at + size)

    cli = offset(u32(data, directories + 14 * 8))
    place, length = u32(data, cli + 32), u32(data, cli + 36)
    if not u32(data, cli + 16) & 8 or place == 0:
        return "none"
    place = offset(place)
    signature = data[place:place + length]
    if not any(signature):
        return "public"
    plain = bytearray(data)
    plain[optional + 64:optional + 68] = bytes(4)
    plain[directories + 32:directories + 40] = bytes(8)
    spans = [plain[:table + 40 * count]]
    for _, _, size, raw in sections:
        if raw <= place < raw + size:
            spans += [plain[raw:place], plain[place + length:raw + size]]
        else:
            spans.append(plain[raw:raw + size])
    name, prefix = HASHES[u32(key, 4)]
    digest = hashlib.new(name, b"".join(bytes(span) for span in spans)).digest()
    bits, exponent = u32(key, 24), u32(key, 28)
    modulus = int.from_bytes(key[32:32 + bits // 8], "little")
    found = pow(int.from_bytes(signature, "little"), exponent, modulus).to_bytes(bits // 8, "big")
    tail = bytes.fromhex(prefix) + digest
    wanted = b"\0\1" + b"\xFF" * (bits // 8 - len(tail) - 3) + b"\0" + tail
    return f"valid {name}" if found == wanted else "invalid"


with open(sys.argv[1], "rb") as file:
    public_key = file.read()
for path in sys.argv[2:]:
    with open(path, "rb") as file:
        print(verify(file.read(), public_key))
