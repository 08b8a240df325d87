"""Opens reports in a headless browser and uses them as people do: rows, keys, search, sorting, hostile names.

    browser.py CHROMIUM SHOP.html HOSTILE.html LARGE.html VALUES.html HOSTILE-VALUES.html [SCREENSHOT-FOLDER]

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
        asked = {'id': self.number, 'method': method, 'params': params}
        if self.session:
            asked['sessionId'] = self.session
        os.write(self.out, json.dumps(asked).encode() + b'\0')
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
                      windowsVirtualKeyCode={'ArrowDown': 40, 'ArrowUp': 38, 'ArrowLeft': 37, 'ArrowRight': 39, 'Home': 36, 'End': 35, 'Enter': 13}.get(key, 0))

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


def test_hostile_names_are_only_names(browser):
    browser.run("document.getElementById('open').click()")
    same([], browser.complaints())
    same(0, browser.run("document.querySelectorAll('img, b, main script').length"))
    same(2, browser.run("document.querySelectorAll('script').length"))
    same('Calls: </script><script>document.title=\'owned\'</script>', browser.run('document.title'))
    has("</script>.<script>document.title='owned'</script>", browser.run(names))
    has('\\u202e;evil\\u000a', ''.join(browser.run(names)))
    browser.run("document.querySelectorAll('.row')[1].click()")
    has('@TRACE@', browser.run(details))


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
    program, shop, hostile, large, values, hostile_values = sys.argv[1:7]
    pictures = sys.argv[7] if len(sys.argv) > 7 else None
    plan = [(shop, [test_nothing_is_blocked_or_loaded, test_the_hottest_path_is_open_and_first, test_keys_walk_the_tree, test_a_screen_reader_hears_a_tree,
                    test_columns_sort, test_values_of_a_method, test_search_finds_paths]),
            (hostile, [test_hostile_names_are_only_names]), (large, [test_a_large_tree_is_lazy]),
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
