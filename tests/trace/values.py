#!/usr/bin/env python3
"""A script for make_spool: methods whose values are of every kind and distribution, the same each time."""
import random

random.seed(17)
METHODS = {
    'Prices': lambda i: f'{random.gauss(50, 12):.2f}',
    'Skewed': lambda i: repr(random.expovariate(1) ** 6 * 1000),
    'Moments': lambda i: str(638000000000000000 + i * 1000),
    'Few': lambda i: str(i % 5 - 2),
    'Powers': lambda i: str(random.choice([-1, 1]) * (1 << random.randrange(40))),
    'Addresses': lambda i: hex(0x7f0000000000 + random.randrange(1 << 20)),
    'Elapsed': lambda i: f'{random.choice(["", "-", "1."])}0{i % 3}:{i % 60:02}:{random.randrange(60):02}.{random.randrange(10**7):07}',
    'Doubles': lambda i: random.choice(['NaN', 'Infinity', '-Infinity', '1E+17', '-0', '1e308']) if i % 3 else repr(random.uniform(-1, 1)),
    'Find': lambda i: random.choice(['null', '""'] + ['"item%d"' % random.randrange(300)] * 2),
    'IsOpen': lambda i: random.choice(['true', 'true', 'false']),
    'Level': lambda i: random.choice(['Gold', 'New', 'Red, 0x8', '2024-02-29', "'x'", '{X=1, Name="a"}', 'object (Shop.Line)', 'threw System.Exception']),
    'Mixed': lambda i: random.choice(['1', '00:00:01', 'unknown (explicit tail calls)', 'x' * 130 + str(i % 3)]),
}


def word(text):
    return text.replace('%', '%25').replace(' ', '%20')


print('runtime CoreCLR%2010.0\nprocess 42 1700000000000000000 dotnet%20Shop.dll')
for number, name in enumerate(METHODS, 1):
    print(f'method {number} Shop.dll Shop.Values {name} void%20()')
print('method 99 Shop.dll Shop.Program Main void%20()')
for thread in 1, 2:
    print(f'thread {thread} {4240 + thread}\n> 99')
    for i in range(15000):
        number = random.randrange(len(METHODS)) + 1
        print(f'+{random.randrange(100, 90000)}\n> {number}')
        print(f'u {number}' if i % 100 == 7 else f'< {number} {word(list(METHODS.values())[number - 1](i))}')
    print('< 99\nend')
print('exit')
