#!/usr/bin/env python3
"""A process that answers as the diagnostics server of .NET does, and then as the profiler that it was to load:

    played_runtime.py PIDFILE attach          until the command that is attached ends
    played_runtime.py PIDFILE ends            the same, and it ends by itself once it has shown a value
    played_runtime.py PIDFILE dies            it ends before it has started
    played_runtime.py PIDFILE closes|babbles  the connection ends without an answer; the answer is of another protocol
    played_runtime.py PIDFILE 0x80131384      it refuses, with this HRESULT
    played_runtime.py PIDFILE hangs|garbles   it does not say what it is, or in texts that end after its answer

What it says that it is: .NET of the version PLAYED_VERSION, or 10.0.1.

Its number is in PIDFILE when it listens. Commands that it gets are lines on its standard output.
"""
import mmap
import os
import select
import socket
import struct
import sys

MAGIC = b'DOTNET_IPC_V1\0'


def text(raw, at):
    count, = struct.unpack_from('<I', raw, at)
    end = at + 4 + 2 * count
    return raw[at + 4:end - 2].decode('utf-16-le'), end


def receive(connection, size):
    raw = b''
    while len(raw) < size:
        part = connection.recv(size - len(raw))
        if not part:
            return b''
        raw += part
    return raw


def answer(connection, result):
    code = 0 if result == 0 else 0xFF
    connection.sendall(MAGIC + struct.pack('<HBBHI', 24, 0xFF, code, 0, result))
    connection.close()


def text_of(value):
    raw = (value + '\0').encode('utf-16-le')
    return struct.pack('<I', len(raw) // 2) + raw


def describe(connection, garbled):
    version = os.environ.get('PLAYED_VERSION', '10.0.1')
    texts = b''.join(map(text_of, ['played', 'Linux', 'x64', 'Played', version]))
    payload = struct.pack('<Q16x', os.getpid()) + (b'\xff' * 40 if garbled else texts)
    connection.sendall(MAGIC + struct.pack('<HBBH', 20 + len(payload), 0xFF, 0, 0) + payload)
    connection.close()


class Profiler:
    """Listens where the command says, and takes one command (host/control.h)."""

    def __init__(self, library, control):
        self.library = library
        self.path = control
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(control)
        self.listening.listen(1)
        self.connection = None

    def waits_for(self):
        return self.connection or self.listening

    def greet(self):
        self.connection, _ = self.listening.accept()
        greeting, files, _, _ = socket.recv_fds(self.connection, 24, 3)
        assert greeting[:8] == b'ilpatch4'
        has_status, has_values, has_lines = greeting[10:13]
        options, report = struct.unpack_from('<II', greeting, 16)
        options, report = receive(self.connection, options), receive(self.connection, report)
        print('profiler', os.path.basename(self.library), options[:-1].decode(), flush=True)
        self.status = files.pop(0) if has_status else 2
        self.values = files.pop(0) if has_values else 2
        self.ring = mmap.mmap(files.pop(0), 0) if has_lines else None
        self.say(f'loaded\t10.0.1 {os.getpid()}')
        self.connection.sendall(b'ilpatch4' + struct.pack('<BBBxI', 0, 0, 0, 0))

    def say(self, line):
        os.write(self.status, line.encode() + b'\n')

    # Into the ring (host/line_ring.h), if there is one, and then the command is woken.
    def show(self, line):
        if self.ring:
            head, waits, bytes_at = 64, 76, 192
            position, = struct.unpack_from('<Q', self.ring, head)
            struct.pack_into('<Q', self.ring, bytes_at + position, 2 << 32 | len(line))
            self.ring[bytes_at + position + 8:bytes_at + position + 8 + len(line)] = line
            struct.pack_into('<Q', self.ring, head, position + 8 + (len(line) + 7 & ~7))
            struct.pack_into('<I', self.ring, waits, 0)
            line = b'\0'
        os.write(self.values, line)

    def serve(self, ends):
        if not self.connection:
            self.greet()
            return
        word = self.connection.recv(1)
        if word == b'g':
            self.connection.sendall(b's')
            self.show(b'N.C::M -> 42 (System.Int32)\n')
        if word == b'' or ends:
            self.say(f'ended\t{os.getpid()}')
            sys.exit(0)


def main(pid_file, mode):
    with open('/proc/self/stat') as stat:
        started = stat.read().rsplit(') ', 1)[1].split()[19]
    path = f'{os.environ.get("TMPDIR", "/tmp")}/dotnet-diagnostic-{os.getpid()}-{started}-socket'
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen(8)
    with open(pid_file + '.part', 'w') as out:
        print(os.getpid(), file=out)
    os.rename(pid_file + '.part', pid_file)
    profiler = None
    kept = []
    try:
        while True:
            waiting = [server] + ([profiler.waits_for()] if profiler else [])
            ready, _, _ = select.select(waiting, [], [], 60)
            if not ready:
                sys.exit('no command came')
            if server not in ready:
                profiler.serve(mode == 'ends')
                continue
            connection, _ = server.accept()
            head = receive(connection, 20)
            size, kind, number = struct.unpack_from('<HBB', head, 14)
            payload = receive(connection, size - 20)
            if mode == 'closes':
                connection.close()
            elif mode == 'babbles':
                connection.sendall(b'HTTP/1.1 400 Bad Request\r\n\r\n')
                connection.close()
            elif mode.startswith('0x'):
                answer(connection, int(mode, 16))
            elif (kind, number) == (4, 4):
                if mode == 'hangs':
                    kept.append(connection)
                else:
                    describe(connection, mode == 'garbles')
            elif (kind, number) == (3, 1):
                library, at = text(payload, 20)
                profiler = Profiler(library, payload[at + 4:].split(b'\0')[0].decode())
                answer(connection, 0)
            else:
                name, at = text(payload, 0)
                print('hook' if number == 7 else 'variable', os.path.basename(name), flush=True)
                answer(connection, 0)
                if mode == 'dies':
                    sys.exit(0)
    finally:
        os.unlink(path)
        if profiler:
            os.unlink(profiler.path)


main(sys.argv[1], sys.argv[2])
