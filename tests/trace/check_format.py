"""Reads what `ilpatch report` wrote, by the format's own rules, and compares it with what the script means:

    check_format.py FORMAT SCRIPT FILE [raw]

With `raw` it was written with --raw-names.

Says what is different, and nothing when all is the same.
"""
import collections
import json
import math
import os
import re
import sys
from html.parser import HTMLParser

import jsonschema

from model import Model, merged

here = os.path.dirname(os.path.abspath(__file__))


def wrong(what, expected, found):
    sys.exit(f'{what}: expected {str(expected)[:300]!r}, found {str(found)[:300]!r}')


def same(what, expected, found):
    if expected != found:
        wrong(what, expected, found)


def validate(what, data, path=None):
    """By a schema of another tool, or by the one at `path`."""
    with open(path or os.path.join(here, 'schemas', what + '.json')) as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
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
            written = event.get('args', {})
            found[key].append(('B', event['name'], written.get('method', event['name']), event['cat'], written.get('arguments'), round(event['ts'] * 1000)))
        else:
            written = event.get('args', {'end': 'returned'})
            found[key].append(('E', event['name'], written.get('end', 'returned'), written.get('value'), round(event['ts'] * 1000)))
    for process in model.processes:
        same('process', process.command, names['process_name', process.number, 0])
        for thread in process.threads:
            same('thread', thread.name, names['thread_name', process.number, thread.system_id])
            expected = [('B', call.method['name'], call.method['raw'], call.method['module'], call.arguments, call.start - model.base) if begins else
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
            wrong('span', 'an end before its start', span)
        found[pid, span['name'], parent, int(span['startTimeUnixNano']), int(span['endTimeUnixNano']), status,
              attributes.get('code.function.name'), attributes.get('dotnet.arguments'), attributes.get('dotnet.value'), attributes.get('dotnet.end')] += 1
    expected = collections.Counter()
    for process in model.processes:
        pid, wall = str(process.number), lambda time: process.wall + time - process.start
        last = max(thread.last for thread in process.threads)
        expected[pid, process.command, None, wall(process.start), wall(last), 0, None, None, None, None] += 1
        for thread in process.threads:
            expected[pid, thread.name, process.command, wall(thread.first), wall(thread.last), 0, None, None, None, None] += 1
            for call in thread.all_calls():
                parent = call.parent.method['name'] if call.parent else thread.name
                expected[pid, call.method['name'], parent, wall(call.start), wall(call.end), 2 if call.how == 'exception' else 0,
                         call.method['raw'], call.arguments, call.value, call.how] += 1
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


def shown_name(method):
    return method.get('readable', method['name'])


def html(model, raw):
    data = html_data(raw)
    for process, written in zip(model.processes, data['processes'], strict=True):
        same('command', process.command, written['name'])
        nodes = [written['nodes'][i:i + 8] for i in range(0, len(written['nodes']), 8)]
        paths, of_node, names = {}, {0: ()}, {thread['node']: thread['name'] for thread in written['threads']}
        for i, (parent, method, *_) in enumerate(nodes[1:], 1):
            of_node[i] = of_node[parent] + ((names[i] if method == -1 else shown_name(written['methods'][method])),)
            if method >= 0:
                paths[of_node[i]] = nodes[i][2:5]
        expected = {(thread.name,) + path: sums for thread in process.threads for path, sums in merged(thread).items()}
        same('paths', expected, paths)
        for method in process.methods.values():
            calls = [call for thread in process.threads for call in thread.all_calls() if call.method is method]
            shown = [each for each in written['methods'] if each['name'] == method['raw']][0]
            same('readable name', method['readable'], shown.get('readable'))
            same('method', (method['module'], method['signature'], len(calls), sum(call.own() for call in calls)),
                 (shown['module'], shown['signature'], shown['calls'], shown['own']))
            values = collections.Counter(call.value for call in calls if call.value is not None)
            if not shown_name(shown).endswith(shown['short']):
                wrong('short name', shown['name'], shown['short'])
            same('values', values, collections.Counter({value: count for value, count, *_ in shown.get('values', {'kept': []})['kept']}))


        check_timeline(process, written)


def check_timeline(process, written):
    """Each call has a bar, or is in a run of those that are shorter."""
    timeline = written['timeline']
    same('threads of the timeline', len(written['threads']), len(timeline['threads']))
    counts = collections.Counter()
    recorded = [thread for thread in process.threads if thread.name in [each['name'] for each in written['threads']]]
    for thread, bars in zip(recorded, timeline['threads'], strict=True):
        expected, levels = [], {None: -1}
        for call in thread.all_calls():
            levels[id(call)] = levels[id(call.parent) if call.parent else None] + 1
            if levels[id(call)] >= 256:
                counts['deeper'] += 1
            else:
                expected.append((levels[id(call)], call.start - process.start, call.end - call.start, call.method['raw'], call.how))
        rows = [bars['calls'][i:i + 6] for i in range(0, len(bars['calls']), 6)]
        runs = [bars['runs'][i:i + 5] for i in range(0, len(bars['runs']), 5)]
        ends = ['returned', 'tail call', 'exception', 'unseen', 'running']
        found = [(depth, start, length, written['methods'][method]['name'], ends[end]) for depth, start, length, _, method, end in rows]
        same('calls with a bar', [bar for bar in expected if bar[2] >= timeline['least']], found)
        short = [bar for bar in expected if bar[2] < timeline['least']]
        counts['inRuns'] += sum(calls for _, _, _, calls, _ in runs)
        same('calls in runs', True, sum(calls for _, _, _, calls, _ in runs) >= len(short))
        for bar in short:
            if not any(start <= bar[1] and bar[1] + bar[2] <= start + length for _, start, length, _, _ in runs):
                wrong('a short call', 'in a run', bar)
    same('counts', (counts['inRuns'], counts['deeper'], 0), (timeline['inRuns'], timeline['deeper'], timeline['leftOut']))


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


# ---- values ----

CLOCK = re.compile(r'(-?)(?:(\d+)\.)?(\d\d):(\d\d):(\d\d)(?:\.(\d{7}))?')
KINDS = [('null', 'null'), ('true', 'true'), ('false', 'false'), ('emptyStrings', '""'), ('nan', 'NaN'), ('infinite', '-?Infinity'), ('objects', r'object( .*)?'),
         ('strings', '".*'), ('characters', "'.*"), ('redacted', r'\{redacted\}'), ('structures', r'\{.*'), ('unreadable', 'threw .*'), ('unknown', r'unknown \(.*')]


def kind_of(value):
    """The kind of a value, and its number."""
    if re.fullmatch(r'[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?', value) and abs(float(value)) <= 1e280:
        return 'numbers', float(value)
    if re.fullmatch(r'0x[0-9a-f]{1,16}', value):
        return 'numbers', float(int(value, 16))
    clock = CLOCK.fullmatch(value)
    if clock:
        sign, days, hours, minutes, seconds, ticks = clock.groups()
        sum_of = int(days or 0) * 86400 + int(hours) * 3600 + int(minutes) * 60 + int(seconds) + int(ticks or 0) / 1e7
        return 'times', -sum_of if sign else sum_of
    return next((kind for kind, pattern in KINDS if re.fullmatch(pattern, value, re.S)), 'words'), None


def near(what, expected, found, part):
    if found is None or abs(found - expected) > part * abs(expected):
        wrong(what, expected, found)


def check_distribution(name, numbers, values, written):
    ordered = sorted(numbers)
    same(f'numbers of {name}', (len(numbers), ordered[0], ordered[-1]), (written['count'], written['least'], written['greatest']))
    same(f'texts of {name}', (ordered[0], ordered[-1]), (kind_of(written['leastValue'])[1], kind_of(written['greatestValue'])[1]))
    near(f'mean of {name}', sum(numbers) / len(numbers), written['mean'], 1e-9 + 1e-12 * max(map(abs, numbers)))
    if written['error'] > 0.01 or len(set(numbers)) <= 2048 and written['error'] != 0:
        wrong(f'error of {name}', 'exact, or less than one in a hundred', written['error'])
    for quantile, part in ('median', 0.5), ('p90', 0.9), ('p99', 0.99):
        near(f'{quantile} of {name}', ordered[max(math.ceil(part * len(ordered)), 1) - 1], written[quantile], written['error'] + 1e-15)
    rows = written['histogram']['rows']
    same(f'histogram of {name}', len(numbers), sum(row['count'] for row in rows))
    if written['histogram']['scale'] != 'values':
        same(f'edges of {name}', [row['to'] for row in rows[:-1]], [row['from'] for row in rows[1:]])
    if written['error'] == 0:
        within = (lambda row, n: n == row['from']) if written['histogram']['scale'] == 'values' else (lambda row, n: row['from'] <= n < row['to'])
        same(f'rows of {name}', [sum(within(row, n) for n in numbers) for row in rows], [row['count'] for row in rows])


def check_series(name, process, written, calls, unit):
    by_slot = collections.defaultdict(list)
    for call in calls:
        by_slot[(call.end - process.start) // written['slot']].append(call.value)
    return [(slot, len(values), sorted(n for kind, n in map(kind_of, values) if kind == unit)) for slot, values in sorted(by_slot.items())]


def values_json(model, raw):
    data = strict(raw)
    validate('values', data, os.path.join(here, '../../data/values.schema.json'))
    for process, written in zip(model.processes, data['processes'], strict=True):
        same('process', (process.number, process.command, str(process.wall)), (written['process'], written['name'], written['startUnixNano']))
        same('time', (process.start - model.base, max(thread.last for thread in process.threads) - model.base), (written['begin'], written['end']))
        calls = [call for thread in process.threads for call in thread.all_calls()]
        expected = {method['raw']: [call for call in calls if call.method is method] for method in process.methods.values()}
        expected = {name: each for name, each in expected.items() if any(call.value is not None for call in each)}
        same('methods', sorted(expected), sorted(each['name'] for each in written['methods']))
        same('values', [sum(each['values'] for each in written['methods'])], [written['values']])
        same('order', sorted((each['values'] for each in written['methods']), reverse=True), [each['values'] for each in written['methods']])
        for each in written['methods']:
            check_method(process, written, each, expected[each['name']])
            same('readable name', expected[each['name']][0].method['readable'], each.get('readable'))


def check_method(process, written, method, calls):
    name = method['name']
    with_value = [call for call in calls if call.value is not None]
    values = [call.value for call in with_value]
    ends = collections.Counter(call.how for call in calls)
    same(f'ends of {name}', [ends[how] for how in ('returned', 'exception', 'tail call', 'running')],
         [method[key] for key in ('returned', 'exceptions', 'tailCalls', 'unseen')])
    kinds = [kind_of(value) for value in values]
    same(f'kinds of {name}', collections.Counter(kind for kind, _ in kinds), collections.Counter(method['kinds']))
    first = next((kind for kind, _ in kinds if kind in ('numbers', 'times')), None)
    same(f'distribution of {name}', first is not None, 'distribution' in method)
    if first:
        same(f'unit of {name}', '' if first == 'numbers' else 'seconds', method['distribution']['unit'])
        check_distribution(name, [number for kind, number in kinds if kind == first], values, method['distribution'])
    counted = collections.Counter((value[:128], len(value) > 128) for value in values)
    same(f'whether counts of {name} are exact', len(counted) <= 64, method['differentIsExact'])
    near(f'different values of {name}', len(counted), method['different'], 0 if method['differentIsExact'] else 0.1)
    for kept in method['frequent']:
        same(f'how often {name} returned {kept["value"]}', True, kept['least'] <= counted[kept['value'], kept['cut']] <= kept['most'])
    missing = [value for value, count in counted.items() if count > len(values) / 64 and value not in [(each['value'], each['cut']) for each in method['frequent']]]
    same(f'frequent values of {name} that are missing', [], missing)
    series = check_series(name, process, written, with_value, first)
    same(f'slots of {name}', [each[:2] for each in series], [(slot['slot'], slot['values']) for slot in method['series']])
    for (slot, _, numbers), found in zip(series, method['series']):
        same(f'numbers of slot {slot}', bool(numbers), 'least' in found)
        if numbers:
            same(f'numbers of slot {slot}', (numbers[0], numbers[-1]), (found['least'], found['greatest']))
            near(f'median of slot {slot} of {name}', numbers[(len(numbers) - 1) // 2], found['median'], 0.35 if len(set(numbers)) > 64 else 0)


def values(model, raw):
    """As many values of each method, all of them in the parts that are drawn."""
    parts = re.split(r'^(?=\S.*\n(?:  .*\n)?  \d+ values?, )', raw, flags=re.M)[1:]
    calls = [call for process in model.processes for thread in process.threads for call in thread.all_calls() if call.value is not None]
    counts = collections.Counter(call.method['name'] for call in calls)
    if '\ufffd' in ''.join(counts):
        return  # bytes that are no text are shown as bytes
    for part in parts:
        name = part.split('\n')[0]
        total = int(re.search(r'^  (\d+) value', part, re.M)[1])
        same(f'values of {name}', counts.pop(name), total)
        same(f'rows of {name}', total, sum(int(count) for count in re.findall(r'^    (?:\S.*?)? +(\d+) +\d+\.\d % ', part, re.M)))
        for row in re.findall(r'%.*\|(.*)\|$', part, re.M):
            same('width of a bar', 40, len(row))
    same('other methods', {}, dict(counts))


def lines(model, raw):
    found = collections.Counter()
    for line in raw.split('\n')[:-1]:
        found[re.fullmatch(r' *(\d+\.\d{9}) (\d+) (.*)', line).groups()] += 1
    calls = [(thread, call) for process in model.processes for thread in process.threads for call in thread.all_calls() if call.value is not None]
    if any('\ufffd' in call.method['name'] for _, call in calls):
        same('lines', len(calls), sum(found.values()))
        return  # bytes that are no text are shown as bytes
    same('lines', collections.Counter((f'{(call.end - model.base) // 10**9}.{(call.end - model.base) % 10**9:09}', str(thread.system_id),
                                       f'{call.method["name"]}({call.arguments or ""}) -> {call.value}') for thread, call in calls), found)


class Page(HTMLParser):
    """Elements of a page: each opened one is closed in its place, and none has a script or a style in an attribute."""
    EMPTY = {'meta', 'input', 'rect'}

    def __init__(self, raw):
        super().__init__()
        self.open, self.found, self.texts = [], [], []
        self.feed(raw)
        self.close()
        same('open elements', [], self.open)

    def handle_starttag(self, tag, attributes):
        for name, _ in attributes:
            if name.startswith('on') or name in ('style', 'src'):
                wrong('attributes', 'none that act', (tag, attributes))
        if tag not in self.EMPTY:
            self.open.append((tag, dict(attributes), []))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.EMPTY:
            self.handle_endtag(tag)

    def handle_data(self, data):
        for _, _, texts in self.open:
            texts.append(data)

    def handle_endtag(self, tag):
        opened, attributes, texts = self.open.pop()
        same('the element that is closed', opened, tag)
        self.found.append((tag, attributes, ''.join(texts), [each[0] for each in self.open]))

    def all(self, tag):
        return [text for found, _, text, _ in self.found if found == tag]


def unseen(text):
    """A text as pages show it."""
    return re.sub('[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]', lambda found: f'\\u{ord(found[0]):04x}', text)


def values_html(model, raw):
    page = Page(raw)
    same('scripts', 1, len(page.all('script')))
    same('styles', 2, len(page.all('style')))
    calls = [call for process in model.processes for thread in process.threads for call in thread.all_calls() if call.value is not None]
    by_name = collections.defaultdict(list)
    for call in calls:
        by_name[unseen(call.method['name'])].append(call.value)
    if any('\ufffd' in name for name in by_name):
        same('sections', len(by_name), len(page.all('section')))
        return  # bytes that are no text are shown as bytes
    same('methods', sorted(by_name), sorted(page.all('h2')))
    for name, values in by_name.items():
        section = next(text for text in page.all('section') if text.startswith(name))
        same(f'values of {name}', True, f'values{len(values)}' in section)
        if len(set(values)) <= 24:
            for value, count in collections.Counter(values).items():
                shown = unseen(value if len(value) <= 128 else value[:128] + '…')
                same(f'how often {name} returned {value}', True, re.search(re.escape(shown) + str(count) + r'\d+\.\d %', section) is not None or len(value) > 128)
    rows = [text for tag, _, text, within in page.found if tag == 'tr' and 'section' not in within and 'tbody' in within]
    same('rows of the list', len(by_name), len(rows))
    for tag, attributes, _, _ in page.found:
        if tag == 'svg' and 'aria-hidden' not in attributes:
            same('what a drawing is called', ('img', True), (attributes.get('role'), bool(attributes.get('aria-label'))))


with open(sys.argv[3], encoding='utf-8', newline='') as file:  # strictly UTF-8
    contents = file.read()
for code in [c for c in contents if (ord(c) < 32 and c != '\n') or 127 <= ord(c) < 160]:
    wrong('characters', 'none that a terminal obeys', code)
globals()[sys.argv[1].replace('-', '_')](Model(sys.argv[2], sys.argv[4:] == ['raw']), contents)
