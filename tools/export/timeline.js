/* The timeline: a row for each thread, in it calls as bars over time, callers above what they call. */

const LANE = 17, THREAD_HEAD = 22, AXIS = 22, GAP = 8;
const CALL = 6, RUN = 5; /* numbers of each in the data: depth, start, length, calls; then method and end, or what a run's calls took */
const LEFT_BY_EXCEPTION = 2;
const ENDINGS = ['returned', 'ended by a tail call', 'left by an exception', 'its end was not seen', 'it had not ended'];
const LEAST_SPAN = 10; /* ns */

/* With only as many digits as distinguish steps. */
function timeAt(ns, step) {
  const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
  const [unit, name] = units.find(([size]) => ns >= size) || units[3];
  return `${(ns / unit).toFixed(Math.max(0, Math.min(9, Math.ceil(Math.log10(unit / step) - 1e-9))))} ${name}`;
}

class Timeline {
  constructor() {
    this.chart = new Chart('time', this);
    this.keys = {
      ArrowLeft: () => this.pan(-0.2), ArrowRight: () => this.pan(0.2),
      '+': () => this.zoom(0.5), '=': () => this.zoom(0.5), '-': () => this.zoom(2),
      ArrowDown: () => { this.chart.stage.scrollTop += 3 * LANE; }, ArrowUp: () => { this.chart.stage.scrollTop -= 3 * LANE; },
      n: () => this.step(1), p: () => this.step(-1),
      Enter: () => this.zoomTo(this.selected),
      Escape: () => this.reset(), Home: () => this.reset(), 0: () => this.reset(),
    };
    const {stage} = this.chart;
    stage.addEventListener('wheel', event => this.wheel(event), {passive: false});
    stage.addEventListener('pointerdown', event => {
      if (event.button !== 0) return;
      this.drag = {x: event.clientX, from: this.from, moved: false};
    });
    addEventListener('pointermove', event => this.dragged(event));
    addEventListener('pointerup', () => { if (this.drag && !this.drag.moved) this.drag = null; });
    addEventListener('pointercancel', () => { this.drag = null; });
    stage.addEventListener('dblclick', event => this.zoomTo(this.chart.find(event)));
  }
  show(tree) {
    if (this.tree !== tree) {
      this.tree = tree;
      this.take(tree.process);
    }
    this.search();
    this.chart.drawSoon();
  }
  /* Bars of each thread, and where they are from the top. */
  take(process) {
    let top = AXIS;
    this.end = 1;
    this.threads = [];
    process.timeline.threads.forEach((thread, number) => {
      const bars = [];
      for (let k = 0; k < thread.calls.length; k += CALL) {
        const [depth, start, length, calls, method, end] = thread.calls.slice(k, k + CALL);
        bars.push({number, depth, start, length, calls, method, end});
      }
      for (let k = 0; k < thread.runs.length; k += RUN) {
        const [depth, start, length, calls, busy] = thread.runs.slice(k, k + RUN);
        bars.push({number, depth, start, length, calls, method: OTHER, busy});
      }
      if (!bars.length) return;
      bars.sort((a, b) => a.start - b.start || a.depth - b.depth);
      const lanes = bars.reduce((most, bar) => Math.max(most, bar.depth + 1), 0);
      this.end = bars.reduce((most, bar) => Math.max(most, bar.start + bar.length), this.end);
      this.threads.push({number, bars, lanes, top, story: process.threads[number]});
      top += THREAD_HEAD + lanes * LANE + GAP;
    });
    this.tallness = top;
    this.first = this.threads.reduce((least, thread) => Math.min(least, thread.bars[0].start), this.end);
    if (!(this.end > this.first)) this.end = this.first + Math.max(1, this.first * 1e-9);
    [this.from, this.to] = [this.first, this.end];
    this.selected = null;
    $('time-limits').textContent = this.limits(process.timeline);
  }
  limits(timeline) {
    const said = [];
    if (timeline.inRuns) said.push(`There are too many calls for a page: ${many(timeline.inRuns, 'call')} shorter than ${time(timeline.least)} are within grey runs, those that follow each other as one.`);
    if (timeline.deeper) said.push(`${many(timeline.deeper, 'call')} deeper than 256 levels ${timeline.deeper === 1 ? 'is' : 'are'} not here.`);
    if (timeline.leftOut) said.push(`For ${many(timeline.leftOut, 'call')} there was no room.`);
    if (!this.threads.length) said.push('No calls were recorded.');
    return said.join(' ');
  }
  found(bar) { return bar.method >= 0 && state.words.every(word => this.tree.byName[bar.method].includes(word)); }
  search() {
    if (!state.words.length) $('status').textContent = '';
    else $('status').textContent = `${many(this.threads.reduce((sum, thread) => sum + thread.bars.filter(bar => this.found(bar)).length, 0), 'bar')} found`;
  }
  height() { return this.tallness; }
  x(at) { return (at - this.from) / (this.to - this.from) * this.chart.width; }

  /* ---- drawing ---- */

  draw(context, width, height, scrolled) {
    const palette = colors(), steps = this.steps(width);
    context.fillStyle = palette.line;
    for (const at of steps.ticks) context.fillRect(Math.round(this.x(at)), AXIS, 1, height);
    for (const thread of this.threads) {
      const top = thread.top - scrolled;
      if (top > height || top + THREAD_HEAD + thread.lanes * LANE < AXIS) continue;
      this.bars(context, thread, top + THREAD_HEAD, width, height, palette);
      this.head(context, thread, Math.min(Math.max(top, AXIS), top + thread.lanes * LANE), width, palette);
    }
    this.axis(context, width, palette, steps);
  }
  /* It stays in view with its lanes. */
  head(context, thread, top, width, palette) {
    context.fillStyle = palette.back;
    context.fillRect(0, top, width, THREAD_HEAD - 1);
    context.fillStyle = palette.text;
    context.font = '600 12px system-ui, sans-serif';
    this.chart.label(context, `${thread.story.name} (${thread.story.id}), ${many(thread.story.calls, 'call')}`, 0, top, width, THREAD_HEAD);
    context.font = '12px system-ui, sans-serif';
  }
  bars(context, thread, top, width, height, palette) {
    const drawn = new Float64Array(thread.lanes).fill(-1); /* up to which pixel, in each lane */
    const scale = width / (this.to - this.from), searching = state.words.length > 0;
    for (const bar of thread.bars) {
      const left = (bar.start - this.from) * scale, wide = bar.length * scale;
      if (left > width) break;
      const y = top + bar.depth * LANE, right = Math.max(left + wide, left + 1);
      if (right < 0 || y > height || y + LANE < AXIS) continue;
      const found = searching && this.found(bar);
      if (wide < 1 && right <= drawn[bar.depth] && !found && bar !== this.selected) continue; /* it has that pixel's place */
      drawn[bar.depth] = wide < 1 ? Math.ceil(right) : right;
      const begin = Math.max(left, -2), size = Math.min(right, width + 2) - begin;
      context.globalAlpha = searching && !found ? 0.35 : bar.method === OTHER ? 0.35 + 0.65 * Math.min(1, bar.busy / (bar.length || 1)) : 1;
      context.fillStyle = found ? palette.hit : bar.method >= 0 ? palette.types[this.tree.colors[bar.method]] : palette.run;
      context.fillRect(begin, y, Math.max(size - (size > 3 ? 1 : 0), 1), LANE - 1);
      context.globalAlpha = 1;
      if (bar.end === LEFT_BY_EXCEPTION) {
        context.fillStyle = palette.warn;
        context.fillRect(Math.min(right, width + 2) - 3, y, 2, LANE - 1);
      }
      if (size > 24) {
        context.fillStyle = palette.text;
        this.chart.label(context, bar.method === OTHER ? `${many(bar.calls, 'short call')}` : this.tree.process.methods[bar.method].short, left, y, wide, LANE - 1);
      }
      if (bar === this.selected) {
        context.strokeStyle = palette.focus;
        context.lineWidth = 2;
        context.strokeRect(begin + 1, y + 1, Math.max(size - 2, 1), LANE - 3);
      }
    }
  }
  /* Round times, far enough from each other for their texts. */
  steps(width) {
    const rough = (this.to - this.from) / Math.max(2, width / 110), power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max(1, [1, 2, 5, 10].find(times => times * power >= rough) * power), ticks = [];
    const first = Math.ceil(this.from / step), last = Math.min(Math.floor(this.to / step), first + width);
    for (let k = first; k <= last && k < Number.MAX_SAFE_INTEGER; k++) ticks.push(k * step);
    return {step, ticks};
  }
  axis(context, width, palette, {step, ticks}) {
    context.fillStyle = palette.panel;
    context.fillRect(0, 0, width, AXIS - 1);
    context.fillStyle = palette.line;
    context.fillRect(0, AXIS - 1, width, 1);
    for (const at of ticks) {
      context.fillStyle = palette.line;
      context.fillRect(Math.round(this.x(at)), AXIS - 6, 1, 6);
      context.fillStyle = palette.soft;
      context.fillText(timeAt(at, step), this.x(at) + 3, AXIS / 2 - 1);
    }
  }

  /* ---- what is there ---- */

  at(x, y) {
    const thread = this.threads.find(each => y >= each.top && y < each.top + THREAD_HEAD + each.lanes * LANE);
    if (!thread || y - this.chart.stage.scrollTop < AXIS) return null;
    const depth = Math.floor((y - thread.top - THREAD_HEAD) / LANE), nanoseconds = (this.to - this.from) / this.chart.width;
    const at = this.from + x * nanoseconds;
    let found = null;
    for (const bar of thread.bars) {
      if (bar.start > at) break;
      if (bar.depth === depth && at < bar.start + Math.max(bar.length, nanoseconds)) found = bar;
    }
    return found;
  }
  says(bar) {
    const when = `begins at ${timeAt(bar.start, Math.max(1, bar.length / 100))}`;
    if (bar.method === OTHER) return [many(bar.calls, 'short call'), `${time(bar.busy)} together, within ${time(bar.length)}`, when];
    const inner = bar.calls > 1 ? [`${many(bar.calls - 1, 'call')} within it`] : [];
    return [nameOf(this.tree.process.methods[bar.method]), time(bar.length), when, ENDINGS[bar.end], ...inner];
  }
  tip(bar) { return this.says(bar); }
  press(bar) {
    if (this.drag && this.drag.moved) {
      this.drag = null;
      return;
    }
    if (bar) this.select(bar);
  }
  select(bar) {
    const thread = this.threads.find(each => each.number === bar.number), top = thread.top + THREAD_HEAD + bar.depth * LANE;
    this.selected = bar;
    this.chart.reveal(top, top + LANE, AXIS + THREAD_HEAD);
    $('said').textContent = visible([thread.story.name, ...this.says(bar)].join(', '));
    showCall(bar.method, this.says(bar));
    this.chart.drawSoon();
  }
  /* The bar that begins next, or before, in the thread of the one that is chosen. */
  step(by) {
    const thread = this.threads.find(each => this.selected && each.number === this.selected.number) || this.threads[0];
    const next = thread && (this.selected ? thread.bars[thread.bars.indexOf(this.selected) + by] : thread.bars.find(bar => bar.start >= this.from));
    if (!next) return;
    const span = this.to - this.from;
    if (next.start + next.length < this.from || next.start > this.to) this.look(next.start - span / 4, next.start + 3 * span / 4);
    this.select(next);
  }

  /* ---- zoom ---- */

  look(from, to) {
    const span = Math.max(Math.min(LEAST_SPAN, this.end - this.first), Math.min(to - from, this.end - this.first));
    this.from = Math.max(this.first, Math.min((from + to) / 2 - span / 2, this.end - span));
    this.to = this.from + span;
    this.chart.drawSoon();
  }
  zoom(times, at = (this.from + this.to) / 2) { this.look(at - (at - this.from) * times, at + (this.to - at) * times); }
  pan(part) {
    const by = (this.to - this.from) * part;
    this.look(this.from + by, this.to + by);
  }
  zoomTo(bar) {
    if (!bar) return;
    this.look(bar.start - bar.length * 0.02, bar.start + bar.length * 1.02);
    this.select(bar);
  }
  reset() { this.look(this.first, this.end); }
  /* With Ctrl it zooms, and where there is nothing to scroll; sideways it pans. */
  wheel(event) {
    const {stage} = this.chart, box = stage.getBoundingClientRect(), times = event.deltaMode === 1 ? 20 : 1;
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : 0;
    if (!event.ctrlKey && sideways) this.pan(sideways * times / this.chart.width);
    else if (event.ctrlKey || stage.scrollHeight <= stage.clientHeight) this.zoom(1.002 ** (event.deltaY * times), this.from + (event.clientX - box.left) / this.chart.width * (this.to - this.from));
    else return;
    event.preventDefault();
  }
  dragged(event) {
    const {drag} = this;
    if (!drag || !event.buttons) return;
    if (!drag.moved && Math.abs(event.clientX - drag.x) < 4) return;
    drag.moved = true;
    const span = this.to - this.from, from = drag.from - (event.clientX - drag.x) / this.chart.width * span;
    this.look(from, from + span);
  }
}
