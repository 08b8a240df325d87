#!/usr/bin/env python3
"""A process that has files mapped, so that it looks like one that has loaded them: what `ilpatch ps` and `attach` take it for.

    mapped_process.py PIDFILE [--socket] FILE...

With --socket it listens on a diagnostics socket, on which it closes all connections without an answer. Its number is in PIDFILE when
all is there; it ends with its standard input.
"""
import mmap
import os
import select
import socket
import sys


def main(pid_file, *files):
    listening = None
    if files and files[0] == '--socket':
        with open('/proc/self/stat') as stat:
            started = stat.read().rsplit(') ', 1)[1].split()[19]
        path = f'{os.environ.get("TMPDIR", "/tmp")}/dotnet-diagnostic-{os.getpid()}-{started}-socket'
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(path)
        listening.listen(8)
        files = files[1:]
    maps = []
    for name in files:
        with open(name, 'rb') as file:
            maps.append(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))
    with open(pid_file + '.part', 'w') as out:
        print(os.getpid(), file=out)
    os.rename(pid_file + '.part', pid_file)
    while True:
        ready, _, _ = select.select([sys.stdin] + ([listening] if listening else []), [], [])
        if sys.stdin in ready and not sys.stdin.read():
            break
        if listening in ready:
            listening.accept()[0].close()
    if listening:
        os.unlink(path)


main(*sys.argv[1:])
