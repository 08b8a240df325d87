"""What a script of make_spool.c means, worked out without a spool: processes, threads, and calls that nest."""
import re


def decode(word):
    return re.sub(rb'%([0-9A-Fa-f]{2})', lambda m: bytes([int(m.group(1), 16)]), word.encode())


def text(raw):
    """As a reader of JSON sees it: what is no UTF-8 is replaced, byte by byte."""
    return raw.decode('utf-8', 'replace')


def c_text(raw):
    return text(raw.split(b'\0')[0])


FUNCTION = r'<(?P<method>(?:[^<>+]|<[^<>+]*>)+)>(?:b__(?:\d+_)?(?P<lambda>\d+)|g__(?P<local>[^<>|`/$+]+)\|(?:\d+_)?\d+)'
CLOSURE = r'(?:/<>c(?:__DisplayClass\d+(?:_\d+)?|__\d+)?(?:`\d+)?)?'


def readable(type_, name):
    """What docs/TRACE.md calls such a method, or None where it has no other name."""
    found = re.fullmatch(rf'(?P<type>.+?){CLOSURE}/<{FUNCTION}>d(?:`\d+)?', type_) or re.fullmatch(r'(?P<type>.+)/<(?P<method>[^<>+]+)>d__\d+(?:`\d+)?', type_)
    member = f'+{name}' if found else ''
    method = found['method'].replace('-', '.') if found else ''
    if not found:
        found = re.fullmatch(rf'(?P<type>.+?){CLOSURE}\.{FUNCTION}', f'{type_}.{name}', re.S)
        method = found['method'] if found else ''
    if not found:
        return None
    parts = found.groupdict()
    return f'{found["type"]}.{method}' + (f'+lambda#{parts["lambda"]}' if parts.get('lambda') else f'+{parts["local"]}' if parts.get('local') else '') + member


class Call:
    def __init__(self, method, start, parent, arguments):
        self.method, self.start, self.parent, self.arguments = method, start, parent, arguments
        self.end, self.how, self.value, self.children = None, None, None, []

    def own(self):
        return self.end - self.start - sum(child.end - child.start for child in self.children)


class Thread:
    def __init__(self, number, system_id, now):
        self.number, self.system_id, self.name = number, system_id, f'thread {number}'
        self.first = self.last = now
        self.calls = []   # outermost ones
        self.events = []  # (True, call) when it begins, (False, call) when it ends
        self.stack = []

    def enter(self, method, now, arguments):
        parent = self.stack[-1] if self.stack else None
        call = Call(method, now, parent, arguments)
        (parent.children if parent else self.calls).append(call)
        self.events.append((True, call))
        self.stack.append(call)

    def leave(self, method, now, how, value=None):
        call = self.stack.pop()
        assert call.method is method, 'a script whose calls do not nest'
        call.end, call.how, call.value = now, how, value
        self.events.append((False, call))

    def all_calls(self):
        return [call for begins, call in self.events if begins]


class Process:
    def __init__(self, number, wall, command, start):
        self.number, self.wall, self.command, self.start = number, wall, command, start
        self.methods, self.threads = {}, []


class Model:
    """With `raw_names` methods are called as compilers call them."""
    def __init__(self, path, raw_names=False):
        self.raw_names = raw_names
        self.processes, self.now = [], 1000000
        for line in open(path):
            words = line.split()
            if words:
                self.take(words, [decode(word) for word in words])
        self.base = min(process.start for process in self.processes)

    def take(self, words, raw):
        process = self.processes[-1] if self.processes else None
        thread = process.threads[-1] if process and process.threads else None
        kind = words[0]
        given = text(raw[2]) if len(raw) > 2 else None
        if kind == 'process':
            self.processes.append(Process(int(words[1]), int(words[2]), c_text(raw[3]), self.now))
        elif kind == 'method':
            module, type_, name, signature = [c_text(each) for each in raw[2:6]]
            full, better = f'{type_}.{name}' if type_ else name, None if self.raw_names else readable(type_, name)
            process.methods[int(words[1])] = {'name': better or full, 'raw': full, 'readable': better, 'module': module, 'signature': signature}
        elif kind == 'thread':
            process.threads.append(Thread(int(words[1]), int(words[2]), self.now))
        elif kind == 'name':
            thread.name = c_text(raw[1])
        elif kind[0] == '+':
            self.now += int(kind[1:])
        elif kind in ('repeat', 'down', 'up'):
            self.many(thread, process.methods[int(words[2])], kind, int(words[1]), text(raw[3]) if len(raw) > 3 else None)
        elif kind == '>':
            thread.enter(process.methods[int(words[1])], self.now, given)
        elif kind == '<':
            thread.leave(process.methods[int(words[1])], self.now, 'returned', given)
        elif kind == 't':
            thread.leave(process.methods[int(words[1])], self.now, 'tail call')
        elif kind == 'u':
            thread.leave(process.methods[int(words[1])], self.now, 'exception')
        elif kind == 'end':
            while thread.stack:
                thread.leave(thread.stack[-1].method, self.now, 'running')
        if thread and kind in ('name', 'repeat', 'down', 'up', '>', '<', 't', 'u', 'end'):
            thread.last = self.now

    def many(self, thread, method, kind, count, value):
        for _ in range(count):
            self.now += 10
            if kind != 'up':
                thread.enter(method, self.now, None)
            self.now += 10 if kind == 'repeat' else 0
            if kind != 'down':
                thread.leave(method, self.now, 'returned', value)


def merged(thread):
    """Calls by path: path of names -> [calls, total, own]. Without recursion, for deep ones."""
    paths, of_call = {}, {}
    for call in thread.all_calls():
        path = (of_call[id(call.parent)] if call.parent else ()) + (call.method['name'],)
        of_call[id(call)] = path
        sums = paths.setdefault(path, [0, 0, 0])
        sums[0] += 1
        sums[1] += call.end - call.start
        sums[2] += call.own()
    return paths
