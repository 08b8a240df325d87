#!/usr/bin/env python3
"""Types Ctrl-C for a command that runs on a terminal:  interrupt.py SECONDS COMMAND...

After SECONDS of output. The last line is "ended" if the command ends within twenty seconds then, or "does not end".
"""
import os
import pty
import select
import signal
import sys
import time

process, terminal = pty.fork()
if process == 0:
    os.execv(sys.argv[2], sys.argv[2:])
first = None  # when output came
typed = False
last = time.monotonic() + 60
while time.monotonic() < last:
    if select.select([terminal], [], [], 0.1)[0]:
        try:
            os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        first = first or time.monotonic()
    if first and not typed and time.monotonic() > first + float(sys.argv[1]):
        typed = True
        last = time.monotonic() + 20
        os.write(terminal, b'\x03')
else:
    os.kill(process, signal.SIGKILL)
    sys.exit('does not end')
os.waitpid(process, 0)
print('ended' if typed else 'ended by itself')
