"""Reads what `ilpatch report` wrote, by the format's own rules, and compares it with what the script means:

    check_format.py FORMAT SCRIPT FILE

Says what is different, and nothing when all is the same.
"""
import collections
import json
import os
import re
import sys

import jsonschema

from model import Model, merged

here = os.path.dirname(os.path.abspath(__file__))


def wrong(what, expected, found):
    sys.exit(f'{what}: expected {str(expected)[:300]!r}, found {str(found)[:300]!r}')


def same(what, expected, found):
    if expected != found:
        wrong(what, expected, found)


def validate(what, data):
    with open(os.path.join(here, 'schemas', what + '.json')) as file:
        schema = json.load(file)
    errors = list(jsonschema.Draft202012Validator(schema).iter_errors(data))
    if errors:
        sys.exit(f'{what}: {errors[0].message[:300]} at {list(errors[0].absolute_path)[:6]}')


def strict(text):
    """JSON by RFC 8259: no NaN, no key twice."""
    def no_constant(name):
        raise ValueError(name)

    def no_double(pairs):
        if len({key for key, _ in pairs}) != len(pairs):
            raise ValueError(f'a key twice: {pairs}')
        return dict(pairs)
    return json.loads(text, parse_constant=no_constant, object_pairs_hook=no_double)


def speedscope(model, raw):
    data = strict(raw)
    validate('speedscope', data)
    frames = data['shared']['frames']
    threads = [thread for process in model.processes for thread in process.threads if thread.calls]
    of_process = {id(thread): f' (process {process.number})' if len(model.processes) > 1 else '' for process in model.processes for thread in process.threads}
    same('profiles', [thread.name + of_process[id(thread)] for thread in threads], [profile['name'] for profile in data['profiles']])
    for thread, profile in zip(threads, data['profiles']):
        expected = [('O' if begins else 'C', call.method['name'], call.method['module'], (call.start if begins else call.end) - model.base)
                    for begins, call in thread.events]
        found = [(event['type'], frames[event['frame']]['name'], frames[event['frame']].get('file'), event['at']) for event in profile['events']]
        same(f'events of {thread.name}', expected, found)
        same('start', expected[0][3], profile['startValue'])
        same('end', thread.last - model.base, profile['endValue'])
        stack, at = [], profile['startValue']
        for event in profile['events']:
            if event['at'] < at:
                wrong('time', at, event)
            at = event['at']
            if event['type'] == 'O':
                stack.append(event['frame'])
            else:
                same('closed frame', stack.pop(), event['frame'])
        same('open at the end', [], stack)


def chrome(model, raw):
    data = strict(raw)
    validate('chrome', data)
    found = collections.defaultdict(list)
    names = {}
    for event in data['traceEvents']:
        key = event['pid'], event['tid']
        if event['ph'] == 'M':
            names[event['name'], *key] = event['args']['name']
        elif event['ph'] == 'B':
            found[key].append(('B', event['name'], event['cat'], event.get('args', {}).get('arguments'), round(event['ts'] * 1000)))
        else:
            told = event.get('args', {'end': 'returned'})
            found[key].append(('E', event['name'], told.get('end', 'returned'), told.get('value'), round(event['ts'] * 1000)))
    for process in model.processes:
        same('process', process.command, names['process_name', process.number, 0])
        for thread in process.threads:
            same('thread', thread.name, names['thread_name', process.number, thread.system_id])
            expected = [('B', call.method['name'], call.method['module'], call.arguments, call.start - model.base) if begins else
                        ('E', call.method['name'], call.how, call.value, call.end - model.base) for begins, call in thread.events]
            same(f'events of {thread.name}', expected, found.pop((process.number, thread.system_id), []))
    same('other events', {}, dict(found))


def otlp(model, raw):
    lines = [strict(line) for line in raw.splitlines()]
    spans, resources = [], []
    for line, size in zip(lines, map(len, raw.splitlines())):
        validate('otlp', line)
        if size > 1 << 20:
            wrong('line', 'at most a megabyte', size)
        for resource in line['resourceSpans']:
            attributes = {each['key']: next(iter(each['value'].values())) for each in resource['resource']['attributes']}
            resources.append(attributes)
            for scope in resource['scopeSpans']:
                spans += [(attributes['process.pid'], span) for span in scope['spans']]
    by_id = {(span['traceId'], span['spanId']): span for _, span in spans}
    same('span ids', len(spans), len(by_id))
    found = collections.Counter()
    for pid, span in spans:
        attributes = {each['key']: next(iter(each['value'].values())) for each in span['attributes']}
        parent = by_id[span['traceId'], span['parentSpanId']]['name'] if 'parentSpanId' in span else None
        status = span.get('status', {}).get('code', 0)
        if int(span['startTimeUnixNano']) > int(span['endTimeUnixNano']):
            wrong('span', 'an end behind its start', span)
        found[pid, span['name'], parent, int(span['startTimeUnixNano']), int(span['endTimeUnixNano']), status,
              attributes.get('dotnet.arguments'), attributes.get('dotnet.value'), attributes.get('dotnet.end')] += 1
    expected = collections.Counter()
    for process in model.processes:
        pid, wall = str(process.number), lambda time: process.wall + time - process.start
        last = max(thread.last for thread in process.threads)
        expected[pid, process.command, None, wall(process.start), wall(last), 0, None, None, None] += 1
        for thread in process.threads:
            expected[pid, thread.name, process.command, wall(thread.first), wall(thread.last), 0, None, None, None] += 1
            for call in thread.all_calls():
                parent = call.parent.method['name'] if call.parent else thread.name
                expected[pid, call.method['name'], parent, wall(call.start), wall(call.end), 2 if call.how == 'exception' else 0,
                         call.arguments, call.value, call.how] += 1
    same('spans that are missing', {}, dict(expected - found))
    same('spans that are too much', {}, dict(found - expected))


def plain(name):
    """A frame of a folded stack: nothing in it that ends a frame or a line."""
    return ''.join('?' if ord(c) < 32 or 127 <= ord(c) < 160 or c == '\ufffd' else ':' if c == ';' else c for c in name)


def folded(model, raw):
    found = collections.Counter()
    for line in raw.split('\n')[:-1]:
        stack, _, number = line.rpartition(' ')
        found[stack] += int(number)
    expected = collections.Counter()
    for process in model.processes:
        for thread in process.threads:
            for path, (_, _, own) in merged(thread).items():
                frames = [plain(process.command), plain(thread.name)] + [plain(name) for name in path]
                stack = ';'.join(frames) if len(frames) <= 1001 else ';'.join(frames[:1001]) + ';(deeper)'
                expected[stack] += own
    same('stacks', {stack: own for stack, own in expected.items() if own}, dict(found))


def html_data(raw):
    found = re.findall(r'<script type="application/json" id="trace">(.*?)</script>', raw, re.S)
    if len(found) != 1 or '<' in found[0]:
        wrong('data', 'one element without markup', found)
    return strict(found[0])


def html(model, raw):
    data = html_data(raw)
    for process, told in zip(model.processes, data['processes'], strict=True):
        same('command', process.command, told['name'])
        nodes = [told['nodes'][i:i + 8] for i in range(0, len(told['nodes']), 8)]
        paths, of_node, names = {}, {0: ()}, {thread['node']: thread['name'] for thread in told['threads']}
        for i, (parent, method, *_) in enumerate(nodes[1:], 1):
            of_node[i] = of_node[parent] + ((names[i] if method == -1 else told['methods'][method]['name']),)
            if method >= 0:
                paths[of_node[i]] = nodes[i][2:5]
        expected = {(thread.name,) + path: sums for thread in process.threads for path, sums in merged(thread).items()}
        same('paths', expected, paths)
        for method in process.methods.values():
            calls = [call for thread in process.threads for call in thread.all_calls() if call.method is method]
            shown = [each for each in told['methods'] if each['name'] == method['name']][0]
            same('method', (method['module'], method['signature'], len(calls), sum(call.own() for call in calls)),
                 (shown['module'], shown['signature'], shown['calls'], shown['own']))
            values = collections.Counter(call.value for call in calls if call.value is not None)
            if not shown['name'].endswith(shown['short']):
                wrong('short name', shown['name'], shown['short'])
            same('values', values, collections.Counter({value: count for value, count, *_ in shown.get('values', {'kept': []})['kept']}))


def text(model, raw):
    """The columns of the tree: total and own milliseconds, calls, name."""
    if '\ufffd' in ''.join(method['name'] for method in model.processes[0].methods.values()):
        return  # bytes that are no text are shown as bytes
    found = re.findall(r'^ *(\d+\.\d{3}) +(\d+\.\d{3}) +(\d+)  ( *)(?:\[\d+\] )?(\S.*?)(?:  \[(?:tail|exc|no end).*)?$', raw.split('\nmethods\n')[0], re.M)
    expected = []
    totals = sorted((sums[1] for thread in model.processes[0].threads for sums in merged(thread).values()), reverse=True)
    least = totals[1000] if len(totals) > 1000 else -1
    for thread in model.processes[0].threads:
        for path, (calls, total, own) in merged(thread).items():
            if total <= least:
                continue
            expected.append((f'{total / 1e6:.3f}', f'{own / 1e6:.3f}', str(calls), min(2 * (len(path) - 1), 80), path[-1]))
    same('rows', collections.Counter(expected), collections.Counter((t, o, c, len(i), n) for t, o, c, i, n in found))


with open(sys.argv[3], encoding='utf-8', newline='') as file:  # strictly UTF-8
    contents = file.read()
for code in [c for c in contents if (ord(c) < 32 and c != '\n') or 127 <= ord(c) < 160]:
    wrong('characters', 'none that a terminal obeys', code)
globals()[sys.argv[1]](Model(sys.argv[2]), contents)
