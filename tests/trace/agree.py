"""Reads all outputs of the same spools back into one form and compares them: they have to say the same.

    agree.py ILPATCH FOLDER SPOOL...

A timeline is a list of calls for each thread: (method, the number of its caller, begin, end, how it ended, arguments, value).
A tree is what they come to when calls of one path are merged: path -> [calls, total, own, tail calls, exceptions, no end].

    chrome = otlp = speedscope    call by call, in nanoseconds
    html                          the tree of that timeline, its methods and their values
    folded, text                  the tree again: own time; milliseconds as they are rounded
"""
import collections
import decimal
import json
import os
import re
import subprocess
import sys

MAX_FRAMES = 1001  # of a folded stack: the process, its thread and so on
SHOWN_PATHS = 1000  # in text


def same(what, expected, found):
    if expected != found:
        if isinstance(expected, list) and isinstance(found, list):
            differing = [(i, pair) for i, pair in enumerate(zip(expected, found)) if pair[0] != pair[1]]
            expected, found = (len(expected), differing[:1]), len(found)
        sys.exit(f'{what}: {str(expected)[:400]} and {str(found)[:400]}')


class Call:
    def __init__(self, method, caller, begin, end=None, how=None, arguments=None, value=None):
        self.method, self.caller, self.begin, self.end = method, caller, begin, end
        self.how, self.arguments, self.value = how, arguments, value

    def compared(self, first):
        return self.method, self.caller, self.begin - first, self.end - first, self.how, self.arguments, self.value


class Thread:
    """Calls as they begin and end."""
    def __init__(self, name=None):
        self.name, self.calls, self.open = name, [], []

    def enter(self, method, at, arguments=None):
        self.open.append(len(self.calls))
        self.calls.append(Call(method, self.open[-2] if len(self.open) > 1 else None, at, arguments=arguments))

    def leave(self, method, at, how=None, value=None):
        call = self.calls[self.open.pop()]
        same('a call that ends', call.method, method)
        call.end, call.how, call.value = at, how, value


# ---- timelines: a list of (process, {thread: Thread}) ----

def chrome(text):
    threads, processes, names = {}, {}, {}
    last = {}
    for event in json.loads(text, parse_float=decimal.Decimal)['traceEvents']:
        key = event['pid'], event['tid']
        if event['ph'] == 'M':
            names[event['name'], *key] = event['args']['name']
            if event['name'] == 'process_name':
                same('processes of one number', False, event['pid'] in processes)
                processes[event['pid']] = {}
            continue
        at = event['ts'] * 1000
        same('nanoseconds are whole', at, int(at))
        same('times do not go back', True, at >= last.get(key, 0))
        last[key] = at
        thread = processes[event['pid']].setdefault(event['tid'], Thread())
        written = event.get('args', {})
        if event['ph'] == 'B':
            thread.enter(event['name'], int(at), written.get('arguments'))
        else:
            thread.leave(event['name'], int(at), written.get('end', 'returned'), written.get('value'))
    for pid, threads in processes.items():
        for tid, thread in threads.items():
            thread.name = names['thread_name', pid, tid]
    return [(names['process_name', pid, 0], list(threads.values())) for pid, threads in processes.items()]


def speedscope(text, counts):
    data = json.loads(text)
    frames, threads = data['shared']['frames'], []
    for profile in [each for each in data['profiles'] if each['events']]:  # one without any is there if there are no calls
        thread = Thread(profile['name'])
        for event in profile['events']:
            if event['type'] == 'O':
                thread.enter(frames[event['frame']]['name'], event['at'])
            else:
                thread.leave(frames[event['frame']]['name'], event['at'])
        threads.append(thread)
    found = []  # as many for each process as the others have
    for name, count in counts:
        found.append((name, threads[:count]))
        threads = threads[count:]
    same('profiles that are left', [], threads)
    return found


def otlp(text):
    by_trace = collections.defaultdict(dict)
    for line in text.splitlines():
        for resource in json.loads(line)['resourceSpans']:
            for scope in resource['scopeSpans']:
                for span in scope['spans']:
                    same('span ids of one trace', False, span['spanId'] in by_trace[span['traceId']])
                    by_trace[span['traceId']][span['spanId']] = span
    found = []
    for spans in by_trace.values():
        below = collections.defaultdict(list)
        for span in spans.values():
            below[span.get('parentSpanId')].append(span)
        same('outermost spans', 1, len(below[None]))
        root = below[None][0]
        threads = [spans_of_thread(span, below) for span in below[root['spanId']]]
        same('spans that nothing leads to', len(spans), 1 + len(threads) + sum(len(thread.calls) for thread in threads))
        found.append((root['name'], [thread for thread in threads if thread.calls]))
    return found


def spans_of_thread(outermost, below):
    thread, waiting = Thread(outermost['name']), [(outermost, None)]
    while waiting:
        above, number = waiting.pop()
        for span in below[above['spanId']]:
            written = {each['key']: next(iter(each['value'].values())) for each in span['attributes']}
            same('the status of a span', written['dotnet.end'] == 'exception', span['status'].get('code') == 2)
            call = Call(span['name'], number, int(span['startTimeUnixNano']), int(span['endTimeUnixNano']), written['dotnet.end'],
                        written.get('dotnet.arguments'), written.get('dotnet.value'))
            same('a span within its parent', True, int(above['startTimeUnixNano']) <= call.begin <= call.end <= int(above['endTimeUnixNano']))
            waiting.append((span, call))
            thread.calls.append(call)
    return thread


def numbered(thread):
    """Spans come as they end, and ids say nothing of their order: siblings that begin at one time stand as they ended."""
    below = collections.defaultdict(list)
    for call in thread.calls:
        below[call.caller].append(call)
    ordered, waiting = [], [(call, None) for call in reversed(below[None])]
    while waiting:
        call, caller = waiting.pop()
        waiting += [(child, len(ordered)) for child in reversed(below[call])]
        call.caller = caller
        ordered.append(call)
    thread.calls = ordered


def compare_timelines(one, other, only=7):
    same('processes', [name for name, _ in one], [name for name, _ in other])
    for (name, threads), (_, others) in zip(one, other):
        same(f'threads of {name}', len(threads), len(others))
        first, first_other = ([min(thread.calls[0].begin for thread in each) for each in (threads, others)] if threads else (0, 0))
        for thread, its in zip(threads, others):
            same(f'calls of {thread.name}', [call.compared(first)[:only] for call in thread.calls], [call.compared(first_other)[:only] for call in its.calls])


# ---- trees ----

def tree_of(thread):
    paths, of_call, merged = [], {}, {}
    for call in thread.calls:
        path = (paths[call.caller] if call.caller is not None else ()) + (call.method,)
        paths.append(path)
        sums = merged.setdefault(path, [0] * 6)
        sums[0] += 1
        sums[1] += call.end - call.begin
        sums[2] += call.end - call.begin
        sums[3:] = [count + (call.how in how) for count, how in zip(sums[3:], (['tail call'], ['exception'], ['unseen', 'running']))]
        if call.caller is not None:
            merged[paths[call.caller]][2] -= call.end - call.begin
    return merged


def page(text):
    return json.loads(re.search(r'<script type="application/json" id="trace">(.*?)</script>', text, re.S).group(1))['processes']


def shown_name(method):
    return method.get('readable', method['name'])


def page_rows(process):
    """(thread, path, sums) for each node that is a method, each below the one that called it, in the order of first calls."""
    nodes = [process['nodes'][i:i + 8] for i in range(0, len(process['nodes']), 8)]
    names, below = {thread['node']: thread['name'] for thread in process['threads']}, collections.defaultdict(list)
    for i, node in enumerate(nodes[1:], 1):
        below[node[0]].append(i)
    rows = []
    for thread in below[0]:
        waiting = [(i, ()) for i in reversed(below[thread])]
        while waiting:
            i, path = waiting.pop()
            path += (shown_name(process['methods'][nodes[i][1]]),)
            rows.append((thread, names[thread], path, nodes[i][2:]))
            waiting += [(child, path) for child in reversed(below[i])]
    return rows


def compare_page(timeline, processes):
    same('processes', [name for name, _ in timeline], [process['name'] for process in processes])
    for (_, threads), process in zip(timeline, processes):
        trees = collections.defaultdict(dict)
        for number, name, path, sums in page_rows(process):
            trees[number, name][path] = sums
        same('names of threads', [thread.name for thread in threads], [name for _, name in trees])
        for thread, ((number, _), tree) in zip(threads, trees.items()):
            same(f'tree of {thread.name}', tree_of(thread), tree)
            compare_bars(thread, process, number)
        calls = [call for thread in threads for call in thread.calls]
        for method, alike in by_method(calls).items():
            written = [each for each in process['methods'] if shown_name(each) == method]
            same(f'calls of {method}', len(alike), sum(each['calls'] for each in written))
            compare_values(method, [call.value for call in alike if call.value is not None], [each['values'] for each in written if 'values' in each])


def compare_bars(thread, process, node):
    """The timeline of the page, where it has a bar for each call."""
    timeline = process['timeline']
    number = [each['node'] for each in process['threads']].index(node)
    numbers = timeline['threads'][number]['calls']
    rows = [numbers[i:i + 6] for i in range(0, len(numbers), 6)]
    levels, expected = [], []
    for call in thread.calls:
        levels.append(0 if call.caller is None else levels[call.caller] + 1)
        if levels[-1] < 256:
            expected.append((levels[-1], call.begin - thread.calls[0].begin, call.end - call.begin, call.method, call.how))
    if timeline['inRuns'] + timeline['leftOut'] == 0:
        ends = ['returned', 'tail call', 'exception', 'unseen', 'running']
        same(f'bars of {thread.name}', expected, [(depth, start - rows[0][1], length, shown_name(process['methods'][method]), ends[end])
                                                  for depth, start, length, _, method, end in rows])


def by_method(calls):
    found = collections.defaultdict(list)
    for call in calls:
        found[call.method].append(call)
    return found


def compare_values(method, values, written):
    same(f'values of {method}', len(values), sum(each['total'] for each in written))
    numbers = [float(value) for value in values if re.fullmatch(r'[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?', value)]
    same(f'numbers of {method}', (len(numbers), min(numbers, default=None), max(numbers, default=None)),
         (sum(each.get('numbers', 0) for each in written), min((each['least'] for each in written if 'least' in each), default=None),
          max((each['greatest'] for each in written if 'greatest' in each), default=None)))
    counted = collections.Counter(values)
    for each in written if len(written) == 1 else []:  # methods of one name have a count each
        for value, most, over, cut in each['kept']:
            if not cut:
                same(f'how often {method} returned {value}', True, most - over <= counted[value] <= most)
        if 'mean' in each:
            same(f'mean of {method}', True, abs(each['mean'] - sum(numbers) / len(numbers)) <= 1e-9 * max(map(abs, numbers)))


def plain(name):
    return ''.join('?' if ord(c) < 32 or 127 <= ord(c) < 160 or c == '\ufffd' else ':' if c == ';' else c for c in name)


def compare_folded(timeline, text):
    found, expected = collections.Counter(), collections.Counter()
    for line in text.split('\n')[:-1]:
        stack, _, number = line.rpartition(' ')
        found[stack] += int(number)
    for name, threads in timeline:
        for thread in threads:
            for path, sums in tree_of(thread).items():
                frames = [plain(each) for each in (name, thread.name, *path)]
                expected[';'.join(frames[:MAX_FRAMES] + (['(deeper)'] if len(frames) > MAX_FRAMES else []))] += sums[2]
    same('stacks', {stack: time for stack, time in expected.items() if time}, dict(found))


def ends_of(sums):
    ends = [f'{what} x{count}' if count > 1 else what for count, what in zip(sums[3:], ('tail call', 'exception', 'no end')) if count]
    return f'  [{", ".join(ends)}]' if ends else ''


def compare_text(processes, text):
    rows = re.compile(r'^ *(\d+\.\d{3}) +(\d+\.\d{3}) +(\d+)  ( *)(?:\[\d+\] )?(\S.*?)((?:  \[(?:tail|exc|no end)[^\]]*\])?)$', re.M)
    parts = re.split(r'^methods$', text, flags=re.M)
    same('processes in text', len(processes), len(parts) - 1)
    for process, part in zip(processes, parts):
        expected = page_rows(process)
        if len(expected) > SHOWN_PATHS:
            continue
        part = part[part.index('\nprocess ') if '\nprocess ' in part else 0:]  # after the methods of the one before
        found = rows.findall(part)
        same('rows', [(f'{sums[1] / 1e6:.3f}', f'{sums[2] / 1e6:.3f}', str(sums[0]), 2 * min(len(path) - 1, 40), ends_of(sums)) for _, _, path, sums in expected],
             [(total, own, calls, len(indent), ends) for total, own, calls, indent, _, ends in found])


# ---- the outputs of a spool ----

def main():
    ilpatch, folder, *spools = sys.argv[1:]
    for options in ([], ['--subtract-cost'], ['--raw-names']):
        texts = {}
        for form in ('chrome', 'speedscope', 'otlp', 'html', 'folded', 'text'):
            out = os.path.join(folder, 'agree.' + form)
            code = subprocess.run([ilpatch, 'report', *options, '--format', form, '-o', out, *spools], stderr=subprocess.DEVNULL).returncode
            same(f'exit code for {form}', True, code in (0, 1))  # 1: what is whole of it
            with open(out, encoding='utf-8', newline='') as file:
                texts[form] = file.read()
        timeline = chrome(texts['chrome'])
        spans = otlp(texts['otlp'])
        for _, threads in spans:
            for thread in threads:
                numbered(thread)
        compare_timelines(timeline, spans)
        compare_timelines(timeline, speedscope(texts['speedscope'], [(name, len(threads)) for name, threads in timeline]), only=4)
        processes = page(texts['html'])
        compare_page(timeline, processes)
        compare_folded(timeline, texts['folded'])
        compare_text(processes, texts['text'])
    print(sum(len(thread.calls) for _, threads in timeline for thread in threads))


main()
