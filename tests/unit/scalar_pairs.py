#!/usr/bin/env python3
"""Pairs of numbers and their order by Python's fractions, for tests/unit/test_condition_scalar.c:

    scalar_pairs.py SEED COUNT

A line is KIND BITS KIND BITS ORDER, all but the kinds in hexadecimal: s (Int64), u (UInt64), f (Single), d (Double), m (Decimal:
sign, 96 bits, scale as one number). ORDER is -1, 0, 1, or 2 where one is NaN. Most second numbers are near the first."""
import random
import struct
import sys
from fractions import Fraction

LIMIT = 1 << 96


def real_bits(value, kind):
    return int.from_bytes(struct.pack(">" + kind, value), "big")


def real_of(bits, kind):
    return struct.unpack(">" + kind, bits.to_bytes(8 if kind == "d" else 4, "big"))[0]


def value_of(kind, bits):
    """A fraction, an infinity as a float, or None for NaN."""
    if kind == "s":
        return Fraction(bits - (1 << 64) if bits >> 63 else bits)
    if kind == "u":
        return Fraction(bits)
    if kind == "m":
        value = Fraction(bits >> 8 & LIMIT - 1, 10 ** (bits & 0xFF))
        return -value if bits >> 104 else value
    real = real_of(bits, kind)
    if real != real:
        return None
    return real if real in (float("inf"), float("-inf")) else Fraction(real)


def order(a, b):
    if a is None or b is None:
        return 2
    return (a > b) - (a < b)


def anything(rng):
    kind = rng.choice("sufdm")
    size = {"s": 64, "u": 64, "f": 32, "d": 64}.get(kind)
    if kind == "m":
        mantissa = rng.getrandbits(rng.randrange(97))
        return kind, rng.getrandbits(1) << 104 | mantissa << 8 | rng.randrange(29)
    bits = rng.getrandbits(size)
    if kind in "su":
        bits = bits >> rng.randrange(64) if rng.random() < 0.5 else (bits >> rng.randrange(64)) ^ ((1 << 64) - 1)
    elif rng.random() < 0.8:  # where other kinds have numbers, too
        low, high = (127 - 100, 127 + 100) if kind == "f" else (1023 - 100, 1023 + 100)
        shift = 23 if kind == "f" else 52
        bits = bits & ~(((1 << size - 1) - 1) >> shift << shift) | rng.randrange(low, high) << shift
    return kind, bits


def near(rng, value):
    """A number of any kind close to the fraction, or None."""
    kind = rng.choice("sufdm")
    if kind in "su":
        whole = int(value) + rng.randrange(-1, 2)
        low, high = (-(1 << 63), 1 << 63) if kind == "s" else (0, 1 << 64)
        return (kind, whole & (1 << 64) - 1) if low <= whole < high else None
    if kind == "m":
        scale = rng.randrange(29)
        mantissa = abs(int(value * 10 ** scale) + rng.randrange(-1, 2))
        return (kind, (value < 0) << 104 | mantissa << 8 | scale) if mantissa < LIMIT else None
    try:
        bits = real_bits(float(value), kind)
    except OverflowError:
        return None
    return kind, max(0, bits + rng.randrange(-1, 2))


def main():
    rng = random.Random(int(sys.argv[1]))
    count = int(sys.argv[2])
    while count:
        a = anything(rng)
        value = value_of(*a)
        b = near(rng, value) if isinstance(value, Fraction) and rng.random() < 0.9 else anything(rng)
        if b:
            if rng.random() < 0.5:
                a, b = b, a
            print(a[0], f"{a[1]:x}", b[0], f"{b[1]:x}", order(value_of(*a), value_of(*b)))
            count -= 1


main()
