"""Opens reports in a headless browser and uses them as people do: rows, keys, search, sorting, hostile names.

    browser.py CHROMIUM SHOP.html MADE.html CHILDREN.html HOSTILE.html LARGE.html VALUES.html HOSTILE-VALUES.html [SCREENSHOT-FOLDER]

Prints "ok NAME" or "FAIL NAME: why" for each test. Talks to the browser through pipes, by its DevTools protocol; no port is opened.
"""
import base64
import json
import os
import select
import subprocess
import sys
import tempfile
import time


PATIENCE = 300  # seconds, until a browser that says nothing is taken for dead


class Browser:
    def __init__(self, program, folder):
        to_it, self.out = os.pipe()
        self.incoming, from_it = os.pipe()

        def pipes():  # the browser reads 3 and writes 4
            os.dup2(os.dup(to_it), 13)
            os.dup2(os.dup(from_it), 14)
            os.dup2(13, 3)
            os.dup2(14, 4)
        self.process = subprocess.Popen(
            [program, '--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-dev-shm-usage', f'--user-data-dir={folder}',
             '--remote-debugging-pipe', 'about:blank'],
            pass_fds=(3, 4), preexec_fn=pipes, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_it)
        os.close(from_it)
        self.buffer, self.number, self.events, self.session = b'', 0, [], None
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network', 'Accessibility'):
            self.call(f'{domain}.enable')

    def message(self, end):
        while b'\0' not in self.buffer:
            if not select.select([self.incoming], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError('the browser says nothing')
            read = os.read(self.incoming, 1 << 20)
            if not read:
                raise EOFError('the browser has ended')
            self.buffer += read
        one, self.buffer = self.buffer.split(b'\0', 1)
        return json.loads(one)

    def call(self, method, **params):
        self.number += 1
        request = {'id': self.number, 'method': method, 'params': params}
        if self.session:
            request['sessionId'] = self.session
        os.write(self.out, json.dumps(request).encode() + b'\0')
        end = time.monotonic() + PATIENCE
        while True:
            said = self.message(end)
            if said.get('id') == self.number:
                if 'error' in said:
                    raise RuntimeError(said['error']['message'])
                return said['result']
            self.events.append(said)

    def run(self, script):
        said = self.call('Runtime.evaluate', expression=script, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in said:
            raise RuntimeError(said['exceptionDetails'].get('exception', {}).get('description', 'an exception'))
        return said['result'].get('value')

    def open(self, path):
        self.load('Page.navigate', url='file://' + os.path.abspath(path))

    def load(self, how, **params):
        self.events.clear()
        self.call(how, **params)
        end = time.monotonic() + PATIENCE
        while not any(event.get('method') == 'Page.loadEventFired' for event in self.events):
            self.events.append(self.message(end))

    def key(self, key, text=''):
        for kind in ('keyDown', 'keyUp'):
            self.call('Input.dispatchKeyEvent', type=kind, key=key, text=text if kind == 'keyDown' else '',
                      windowsVirtualKeyCode={'ArrowDown': 40, 'ArrowUp': 38, 'ArrowLeft': 37, 'ArrowRight': 39, 'Home': 36, 'End': 35, 'Enter': 13, 'Escape': 27}.get(key, 0))

    def mouse(self, kind, x, y, **more):
        self.call('Input.dispatchMouseEvent', type=f'mouse{kind}', x=x, y=y, **more)

    def click(self, x, y):
        self.mouse('Pressed', x, y, button='left', clickCount=1)
        self.mouse('Released', x, y, button='left', clickCount=1)

    def complaints(self):
        """What the page or its security policy complained of, and what it tried to load."""
        said = []
        for event in self.events:
            if event.get('method') in ('Runtime.exceptionThrown', 'Log.entryAdded', 'Runtime.consoleAPICalled'):
                said.append(json.dumps(event['params'])[:300])
            if event.get('method') == 'Network.requestWillBeSent' and not event['params']['request']['url'].startswith(('file:', 'data:')):
                said.append(event['params']['request']['url'])
        return said

    def screenshot(self, path, dark=False):
        self.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])
        self.call('Emulation.setDeviceMetricsOverride', width=1300, height=720, deviceScaleFactor=1, mobile=False)
        with open(path, 'wb') as file:
            file.write(base64.b64decode(self.call('Page.captureScreenshot')['data']))

    def close(self):
        try:
            self.session = None
            self.call('Browser.close')
            self.process.wait(10)
        except Exception:
            self.process.kill()


names = "[...document.querySelectorAll('.row .name bdi[title]')].map(e => e.title)"
active = "document.querySelector('.row.active .name bdi[title]').title"
settled = 'new Promise(done => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 200))'
details = "document.getElementById('details').textContent"


def same(expected, found):
    if expected != found:
        raise AssertionError(f'expected {expected!r}, found {str(found)[:400]!r}')


def has(part, text):
    if part not in text:
        raise AssertionError(f'no {part!r} in {text[:400]!r}')


def test_nothing_is_blocked_or_loaded(browser):
    same([], browser.complaints())
    same('Calls: dotnet Shop.dll', browser.run('document.title'))
    same('rgb(', browser.run("getComputedStyle(document.querySelector('.bar')).backgroundColor")[:4])


def test_the_hottest_path_is_open_and_first(browser):
    same(['thread 2', 'Shop.Program.Main', 'Shop.Program.Add'], browser.run(names)[:3])
    same(['Program.Add', 'Shop'], browser.run("[...document.querySelectorAll('.row')[2].querySelectorAll('.name bdi')].map(e => e.textContent)"))
    has('calls52deepest51', browser.run(details))
    for _ in range(2):  # the other way round, then as it was called
        browser.run("document.querySelector('.head button').click()")
    same('main', browser.run(names)[0])
    same('none', browser.run("document.querySelector('.head [role=columnheader]').getAttribute('aria-sort')"))


def test_keys_walk_the_tree(browser):
    browser.run("document.getElementById('shut').click(); document.getElementById('grid').focus()")
    browser.key('Home')
    same(['main', 'thread 2'], browser.run(names))
    browser.key('ArrowRight')
    same(['main', 'Shop.Program.Main', 'Shop.Program.Add', 'thread 2'], browser.run(names))
    browser.key('ArrowRight')
    same('Shop.Program.Main', browser.run(active))
    browser.key('Enter')
    same(8, browser.run(names + '.length'))
    browser.key('End')
    same('thread 2', browser.run(active))
    browser.key('Home')
    browser.key('ArrowLeft')
    same(['main', 'thread 2'], browser.run(names))
    browser.key('*', '*')
    has('Shop.Program.Tail', browser.run(names))


def test_a_screen_reader_hears_a_tree(browser):
    browser.run("document.getElementById('open').click(); document.getElementById('grid').focus()")
    browser.key('Home')
    browser.key('ArrowDown')
    nodes = browser.call('Accessibility.getFullAXTree')['nodes']
    roles = [node.get('role', {}).get('value') for node in nodes]
    has('treegrid', roles)
    same(4, roles.count('columnheader'))
    rows = [{each['name']: each['value'].get('value') for each in node['properties']} | {'text': node['name'].get('value', '')}
            for node in nodes if node.get('role', {}).get('value') == 'row' and not node.get('ignored')]
    main = [row for row in rows if row.get('level') == 2 and row.get('expanded') is True]
    if not main:
        raise AssertionError(f'no expanded row of level 2 in {rows}')
    same('row-1', browser.run("document.getElementById('grid').getAttribute('aria-activedescendant')"))


def test_columns_sort(browser):
    browser.run("document.getElementById('tab-flat').click()")
    same('Shop.Program.Add', browser.run(names)[0])
    browser.run("[...document.querySelectorAll('.head button')].at(-1).click()")
    same(sorted(browser.run(names)), browser.run(names))
    same('ascending', browser.run("[...document.querySelectorAll('.head [role=columnheader]')].at(-1).getAttribute('aria-sort')"))
    browser.run("document.querySelectorAll('.head button')[2].click()")
    same('Shop.Program.Add', browser.run(names)[0])


def test_values_of_a_method(browser):
    browser.run("document.querySelector('.row').click()")
    text = browser.run(details)
    for part in ('Shop.Program.Add', 'int32 (int32, int32)', 'Returned values', 'least-1.5', 'greatest42', '425', 'Called from', 'Other`1.Far'):
        has(part, text)
    same('"text"', browser.run("[...document.querySelectorAll('.values code')].map(e => e.textContent).find(t => t.includes('text'))"))
    browser.run("[...document.querySelectorAll('#details .link')].find(e => e.textContent.includes('Far')).click()")
    has('Other.dll', browser.run(details))


def test_search_finds_paths(browser):
    browser.run("document.getElementById('tab-tree').click(); document.getElementById('shut').click()")
    browser.run("document.getElementById('search').focus(); document.getElementById('search').value = 'far'; "
                f"document.getElementById('search').dispatchEvent(new Event('input')); {settled}")
    same(['main', 'Shop.Program.Main', 'Other`1.Far'], browser.run(names))
    same('1 found', browser.run("document.getElementById('status').textContent"))
    browser.run(f"document.getElementById('search').value = 'nothing'; document.getElementById('search').dispatchEvent(new Event('input')); {settled}")
    has('Nothing is called so', browser.run("document.getElementById('rows').textContent"))
    browser.run(f"document.getElementById('search').value = ''; document.getElementById('search').dispatchEvent(new Event('input')); {settled}")


def search(browser, words):
    browser.run(f"document.getElementById('search').value = {json.dumps(words)}; document.getElementById('search').dispatchEvent(new Event('input')); {settled}")
    return browser.run("document.getElementById('status').textContent")


def view(browser, name):
    browser.run(f"document.getElementById('tab-{name}').click(); document.getElementById('{name}-stage').focus(); {settled}")


def place(browser, name, x, y):
    """Of a point of a drawing in the window."""
    left, top = browser.run(f"(box => [box.left, box.top])(document.querySelector('#{name}-stage canvas').getBoundingClientRect())")
    return left + x, top + y


crumbs = "[...document.querySelectorAll('#crumbs li')].map(e => e.textContent)"
tip = "document.getElementById('tip').hidden ? '' : document.getElementById('tip').innerText"
said = "document.getElementById('said').textContent"
colors_of = """(([context, width, height]) => new Set(new Uint32Array(context.getImageData(0, 0, width, height).data.buffer)).size)(
    (canvas => [canvas.getContext('2d'), canvas.width, canvas.height])(document.querySelector('#%s-stage canvas')))"""


def test_the_flame_graph_is_the_tree(browser):
    view(browser, 'flame')
    same([], browser.complaints())
    same(True, browser.run(colors_of % 'flame') > 5)
    wrong = browser.run("""(flame => {
        const {total, parent, level, count, calls} = state.tree, width = flame.chart.width;
        return Array.from({length: count}, (_, i) => i).filter(i => {
            const [left, wide, row] = flame.frames.get(i) || [0, 0, 0], [above, room] = flame.frames.get(parent[i]) || [0, 0];
            const drawn = calls[i] && width * total[i] / total[0] >= 0.5;
            return i && Boolean(drawn) !== flame.frames.has(i) || drawn && i && (Math.abs(wide - width * total[i] / total[0]) > 1e-6 || row !== level[i] || left < above - 1e-6 || left + wide > above + room + 1e-6);
        });
    })(charts.flame)""")
    same([], wrong)
    for row in browser.run("charts.flame.levels.map(level => level.map(i => charts.flame.frames.get(i)))"):
        for (left, wide, _), (right, _, _) in zip(row, row[1:]):
            same(True, left + wide <= right + 1e-6)


def test_the_flame_graph_zooms(browser):
    same(['all threads'], browser.run(crumbs))
    x, y = place(browser, 'flame', 5, 2 * 19 + 5)  # the longest call of the longest thread
    browser.mouse('Moved', x, y)
    for part in ('Shop.Program.Main', 'total 2.00 µs', '% of all', 'own', '1 call'):
        has(part, browser.run(tip))
    browser.click(x, y)
    same(['all threads', 'thread 2', 'Program.Main'], browser.run(crumbs))
    has('calls2', browser.run(details))
    same([0, browser.run('charts.flame.chart.width'), 2], browser.run('charts.flame.frames.get(charts.flame.root)'))
    has('1 call', browser.run(said))
    browser.run("document.querySelector('#crumbs button').click()")
    same(['all threads'], browser.run(crumbs))
    for key in ('ArrowDown', 'ArrowDown', 'ArrowDown'):
        browser.key(key)
    has('Shop.Program.Add, ', browser.run(said))
    browser.key('ArrowRight')
    has('Shop.Program.Tail, ', browser.run(said))
    browser.key('Enter')
    same('Program.Tail', browser.run(crumbs)[-1])
    browser.key('ArrowUp')
    has('Shop.Program.Main, ', browser.run(said))
    browser.key('Escape')
    same(['all threads'], browser.run(crumbs))
    browser.run("charts.flame.zoom(1); document.getElementById('reset').click()")
    same(['all threads'], browser.run(crumbs))


def test_the_flame_graph_says_the_share_of_what_is_found(browser):
    share = browser.run("(({total, own, method, process, count}) => 100 * Array.from({length: count}, (_, i) => i)"
                        ".filter(i => method[i] >= 0 && process.methods[method[i]].name === 'Shop.Program.Add').reduce((sum, i) => sum + own[i], 0) / total[0])(state.tree)")
    has(f'frames found, {share:.1f} % of the time', search(browser, 'program.add'))  # calls within each other count once
    same(True, browser.run("[...charts.flame.frames.keys()].every(i => Boolean(charts.flame.found[i]) === (i > 0 && state.tree.name(i) === 'Shop.Program.Add'))"))
    same('0 frames found, 0.0 % of the time', search(browser, 'nothing'))
    search(browser, '')


def test_the_timeline_has_every_call(browser):
    view(browser, 'time')
    same([], browser.complaints())
    same(True, browser.run(colors_of % 'time') > 5)
    same(2, browser.run('charts.time.threads.length'))
    same(browser.run('state.tree.all'), browser.run('charts.time.threads.reduce((sum, thread) => sum + thread.bars.length, 0)'))
    same('', browser.run("document.getElementById('time-limits').textContent"))
    same('63 bars found', search(browser, 'program.add'))
    search(browser, '')
    x, y = place(browser, 'time', 40, 22 + 22 + 5)
    browser.mouse('Moved', x, y)
    for part in ('Shop.Program.Main', '565 ns', 'returned', 'begins at 1.000 µs', 'calls within it'):
        has(part, browser.run(tip))
    browser.click(x, y)
    has('This call', browser.run(details))


def test_the_timeline_zooms_and_pans(browser):
    span = 'charts.time.to - charts.time.from'
    whole = browser.run(span)
    x, y = place(browser, 'time', 200, 60)
    before = browser.run('charts.time.from + 200 / charts.time.chart.width * (charts.time.to - charts.time.from)')
    browser.mouse('Wheel', x, y, deltaX=0, deltaY=-300, modifiers=2)
    browser.run(settled)
    near = browser.run('charts.time.from + 200 / charts.time.chart.width * (charts.time.to - charts.time.from)')
    same((True, True), (browser.run(span) < 0.7 * whole, abs(near - before) < whole / 1000))  # what is below the pointer stays there
    begin = browser.run('charts.time.from')
    browser.mouse('Pressed', x, y, button='left', clickCount=1)
    browser.mouse('Moved', x - 80, y, button='left', buttons=1)
    browser.mouse('Released', x - 80, y, button='left', clickCount=1)
    panned = browser.run('charts.time.from')
    same(True, panned > begin)
    browser.run("document.getElementById('time-stage').focus()")
    browser.key('ArrowLeft')
    same(True, browser.run('charts.time.from') < panned)
    browser.key('-', '-')
    browser.key('-', '-')
    same(whole, browser.run(span))
    for key in ('+', '+', '+', '+'):
        browser.key(key, key)
    same(True, browser.run(span) < whole / 10)
    browser.key('Escape')
    same(whole, browser.run(span))
    browser.run('charts.time.selected = null')
    browser.key('n', 'n')
    has('main, Shop.Program.Main, ', browser.run(said))
    browser.key('n', 'n')
    has('main, Shop.Program.Add, 10 ns', browser.run(said))
    browser.key('Enter')
    same(True, browser.run(span) < 12)
    browser.key('p', 'p')
    has('Shop.Program.Main, ', browser.run(said))
    browser.run("document.getElementById('reset').click()")
    same(whole, browser.run(span))


def test_every_view_fits_any_width(browser):
    for width in 360, 800, 1600:
        browser.call('Emulation.setDeviceMetricsOverride', width=width, height=740, deviceScaleFactor=1, mobile=False)
        for name in ('tree', 'flat', 'flame', 'time'):
            browser.run(f"document.getElementById('tab-{name}').click(); {settled}")
            same((width, name, 0), (width, name, browser.run('document.documentElement.scrollWidth - document.documentElement.clientWidth')))
            same(True, browser.run("[...document.querySelectorAll('.grid, .stage')].filter(e => e.offsetParent).every(e => e.clientHeight > 200)"))
    browser.call('Emulation.clearDeviceMetricsOverride')
    browser.run("document.getElementById('tab-flame').focus()")
    browser.key('ArrowRight')
    same('time', browser.run('state.view'))
    browser.key('ArrowRight')
    same('tree', browser.run('state.view'))


def test_both_names_of_a_method(browser):
    same([], browser.complaints())
    browser.run("document.getElementById('open').click()")
    has('Shop.Program.Main+lambda#1', browser.run(names))
    same('1 found', search(browser, '<>c.<main>b__0_1'))
    browser.run("document.querySelectorAll('.row.found')[0].click()")
    has('Shop.Program.Main+lambda#1in metadataShop.Program/<>c.<Main>b__0_1module', browser.run(details))
    search(browser, '')


def test_views_follow_the_process(browser):
    for name in ('flame', 'time'):
        view(browser, name)
        for number in 0, 1:
            browser.run(f"document.getElementById('process').value = {number}; document.getElementById('process').dispatchEvent(new Event('change')); {settled}")
            same(browser.run(f'trace.processes[{number}].threads.map(thread => thread.name)'), browser.run(
                "state.view === 'time' ? charts.time.threads.map(thread => thread.story.name) : state.tree.children(0).map(i => charts.flame.frames.has(i) && state.tree.name(i))"))
    same([], browser.complaints())


def test_any_times_are_drawn(browser):
    for times in '[0, 0]', '[1e19, 0]', '[1.8446744073709552e19, 1e19]', '[5, 1e19]':
        browser.run(f"""(([start, length]) => {{
            state.tree.process.timeline.threads.forEach(thread => {{ thread.runs = []; thread.calls = [0, start, length, 1, 0, 0, 1, start, 0, 1, 0, 2]; }});
            charts.time.tree = null;
            charts.time.show(state.tree);
            for (const key of ['+', '-', 'ArrowLeft', 'n', 'Enter', '+', '+', 'p', 'Escape']) {{ charts.time.keys[key](); charts.time.chart.draw(); }}
            for (let i = 0; i < 200; i++) {{ charts.time.zoom(0.5); charts.time.chart.draw(); }}
        }})({times}); {settled}""")
    same([], browser.complaints())


def test_hostile_names_are_only_names(browser):
    browser.run("document.getElementById('open').click()")
    same([], browser.complaints())
    same(0, browser.run("document.querySelectorAll('img, b, main script').length"))
    same(3, browser.run("document.querySelectorAll('script').length"))
    same('Calls: </script><script>document.title=\'owned\'</script>', browser.run('document.title'))
    has("</script>.<script>document.title='owned'</script>", browser.run(names))
    has('\\u202e;evil\\u000a', ''.join(browser.run(names)))
    browser.run("document.querySelectorAll('.row')[1].click()")
    has('@TRACE@', browser.run(details))
    for name in ('flame', 'time'):
        view(browser, name)
        same([], browser.complaints())
        every = browser.run("state.view === 'flame' ? [...charts.flame.frames.keys()].map(i => (charts.flame.select(i), $('said').textContent + $('details').textContent)) : "
                            "charts.time.threads[0].bars.map(bar => (charts.time.select(bar), $('said').textContent + $('details').textContent))")
        has('\\u202eniaM"</script>+\\u000ascript"', ''.join(every))
        same(True, not any('\u202e' in text for text in every))
        x, y = place(browser, name, 10, 22 + 22 + 5)
        browser.mouse('Moved', x, y)
        has('script', browser.run(tip))
        same((0, 3), (browser.run("document.querySelectorAll('main script, #tip script, img, b').length"), browser.run("document.querySelectorAll('script').length")))


def test_a_large_tree_is_lazy(browser):
    same([], browser.complaints())
    browser.run(f"document.getElementById('open').click(); {settled}")
    rows = int(browser.run("document.getElementById('grid').getAttribute('aria-rowcount')"))
    if rows < 100000:
        raise AssertionError(f'{rows} rows')
    drawn = browser.run("document.querySelectorAll('.row').length")
    if drawn > 200:
        raise AssertionError(f'{drawn} rows are drawn')
    browser.run(f"document.getElementById('grid').focus(); {settled}")
    browser.key('End')
    browser.run(settled)
    same(rows - 2, browser.run("Number(document.querySelector('.row.active').id.slice(4))"))
    browser.run(f"document.getElementById('search').value = 'm77'; document.getElementById('search').dispatchEvent(new Event('input')); {settled}")
    has('found', browser.run("document.getElementById('status').textContent"))


def test_a_large_timeline_is_bounded(browser):
    search(browser, '')
    view(browser, 'time')
    same([], browser.complaints())
    same(True, 320 <= browser.run('charts.time.threads[0].bars.length') <= 100000)
    has('There are too many calls for a page: 204,800 calls shorter than 11 ns are within grey runs', browser.run("document.getElementById('time-limits').textContent"))
    same(204800 + 320, browser.run('charts.time.threads[0].bars.reduce((sum, bar) => sum + (bar.busy === undefined ? 1 : bar.calls), 0)'))
    browser.run('charts.time.select(charts.time.threads[0].bars.find(bar => bar.busy !== undefined))')
    has('640 short calls6.40 µs together', browser.run(details))
    view(browser, 'flame')
    same(True, browser.run('charts.flame.frames.size') < 5000)


def test_values_are_drawn(browser):
    same([], browser.complaints())
    same(12, browser.run("document.querySelectorAll('section').length"))
    same('rgb(', browser.run("getComputedStyle(document.querySelector('rect.median')).fill")[:4])
    same(True, browser.run("[...document.querySelectorAll('.chart svg')].every(e => e.getBoundingClientRect().width > 200 && e.closest('.wide').querySelector('table'))"))


def test_values_fit_any_width(browser):
    for width in 360, 800, 1600:
        browser.call('Emulation.setDeviceMetricsOverride', width=width, height=800, deviceScaleFactor=1, mobile=False)
        same(0, browser.run('document.documentElement.scrollWidth - document.documentElement.clientWidth'))


def test_values_are_found_and_sorted(browser):
    names_of = "[...document.querySelectorAll('.list tbody tr')].filter(row => !row.hidden).map(row => row.cells[0].textContent)"
    browser.run(f"document.getElementById('search').value = 'shop.values mixed'; document.getElementById('search').dispatchEvent(new Event('input')); {settled}")
    same(['Shop.Values.Mixed'], browser.run(names_of))
    same('1 of 12 methods', browser.run("document.getElementById('status').textContent"))
    same(1, browser.run("[...document.querySelectorAll('section')].filter(e => e.getBoundingClientRect().height).length"))
    browser.run(f"document.getElementById('search').value = ''; document.getElementById('search').dispatchEvent(new Event('input')); {settled}")
    browser.run("document.querySelector('.list thead button').click()")
    same(sorted(browser.run(names_of)), browser.run(names_of))
    same('ascending', browser.run("document.querySelector('.list thead th').getAttribute('aria-sort')"))
    browser.run("[...document.querySelectorAll('.list thead button')].at(-1).click()")
    medians = browser.run("[...document.querySelectorAll('.list tbody tr')].map(row => parseFloat(row.cells[6].dataset.sort)).filter(n => n === n)")
    same((True, sorted(medians, reverse=True)), (len(medians) > 5, medians))


def test_values_need_no_script(browser):
    browser.call('Emulation.setScriptExecutionDisabled', value=True)
    browser.load('Page.reload')
    text = browser.call('Accessibility.getFullAXTree')['nodes']
    browser.call('Emulation.setScriptExecutionDisabled', value=False)
    said = [node['name'].get('value', '') for node in text if node.get('name')]
    for part in ('Shop.Values.Prices', 'Distribution', 'Least, median and greatest number over time'):
        has(part, said)


def test_hostile_values_are_only_texts(browser):
    same([], browser.complaints())
    same(0, browser.run("document.querySelectorAll('main script, img, b').length"))
    same('Returned values', browser.run('document.title'))
    has("</script>.<script>document.title='owned'</script>", browser.run("[...document.querySelectorAll('h2')].map(e => e.textContent)"))
    has('\\u202e;evil\\u000a', browser.run("document.querySelector('main').textContent"))


def main():
    program, shop, made, children, hostile, large, values, hostile_values = sys.argv[1:9]
    pictures = sys.argv[9] if len(sys.argv) > 9 else None
    plan = [(shop, [test_nothing_is_blocked_or_loaded, test_the_hottest_path_is_open_and_first, test_keys_walk_the_tree, test_a_screen_reader_hears_a_tree,
                    test_columns_sort, test_values_of_a_method, test_search_finds_paths, test_the_flame_graph_is_the_tree, test_the_flame_graph_zooms,
                    test_the_flame_graph_says_the_share_of_what_is_found, test_the_timeline_has_every_call, test_the_timeline_zooms_and_pans,
                    test_every_view_fits_any_width]),
            (made, [test_both_names_of_a_method]), (children, [test_views_follow_the_process, test_any_times_are_drawn]),
            (hostile, [test_hostile_names_are_only_names]), (large, [test_a_large_tree_is_lazy, test_a_large_timeline_is_bounded]),
            (values, [test_values_are_drawn, test_values_fit_any_width, test_values_are_found_and_sorted, test_values_need_no_script]),
            (hostile_values, [test_hostile_values_are_only_texts])]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(program, folder)
        try:
            for page, tests in plan:
                browser.open(page)
                for test in tests:
                    name = 'browser_' + test.__name__[5:]
                    try:
                        test(browser)
                        print('ok', name)
                    except (AssertionError, RuntimeError, TypeError) as error:
                        print(f'FAIL {name}: {error}')
                    if pictures:
                        browser.screenshot(f'{pictures}/{name}.png', dark='columns' in name or 'hostile' in name)
        finally:
            browser.close()


main()
