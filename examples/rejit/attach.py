#!/usr/bin/env python3
"""attach.py PID GUID LIBRARY [DATA]: loads a profiler into a process that runs, by the command AttachProfiler of its diagnostics server.
The protocol is documented with the runtime (documentation/design-docs/ipc-protocol.md of dotnet/diagnostics); numbers are little-endian."""
import os
import socket
import struct
import sys
import uuid

pid, guid, library = sys.argv[1:4]
data = sys.argv[4].encode() if len(sys.argv) > 4 else b""
try:
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
        started = stat.read().rpartition(")")[2].split()[19]
except OSError as error:
    sys.exit(f"no process {pid}: {error.strerror}")
folder = os.environ.get("TMPDIR", "/tmp")  # of the process: its runtime makes the socket there
path = os.path.abspath(library) + "\0"
payload = struct.pack("<I", 10000) + uuid.UUID(guid).bytes_le  # milliseconds to wait
payload += struct.pack("<I", len(path)) + path.encode("utf-16-le")
payload += struct.pack("<I", len(data)) + data
profiler, attach_profiler = 3, 1
header = struct.pack("<14sHBBH", b"DOTNET_IPC_V1", 20 + len(payload), profiler, attach_profiler, 0)

with socket.socket(socket.AF_UNIX) as server:
    try:
        server.connect(f"{folder}/dotnet-diagnostic-{pid}-{started}-socket")
    except OSError as error:
        sys.exit(f"process {pid} has no diagnostics server for you: {error.strerror}")
    server.sendall(header + payload)
    answer = server.makefile("rb").read()
(result,) = struct.unpack_from("<I", answer, 20)
if result & 0x80000000:
    sys.exit(f"the runtime refuses the profiler: 0x{result:08X}")
