/* The flame graph: the call tree by total time, callers above what they call, the longest first. A click zooms. */

const FRAME = 19, CRUMBS = 8;
const LEAST_WIDTH = 0.5; /* pixels; a frame that is narrower is left out with all below it */

class Flame {
  constructor() {
    this.chart = new Chart('flame', this);
    this.keys = {
      ArrowDown: () => this.select(this.below(this.selected)[0]),
      ArrowUp: () => this.selected && this.select(this.tree.parent[this.selected]),
      ArrowLeft: () => this.beside(-1),
      ArrowRight: () => this.beside(1),
      Enter: () => this.zoom(this.selected),
      ' ': () => this.zoom(this.selected),
      Backspace: () => this.zoom(this.tree.parent[this.root]),
      Escape: () => this.zoom(0),
      Home: () => this.zoom(0),
    };
  }
  show(tree) {
    if (this.tree !== tree) {
      this.tree = tree;
      this.root = this.selected = 0;
    }
    this.layout();
  }
  name(i) { return i ? this.tree.name(i) : 'all threads'; }
  short(i) {
    const method = i ? this.tree.method[i] : THREAD;
    return method >= 0 ? this.tree.process.methods[method].short : this.name(i);
  }
  below(i) {
    const {total} = this.tree;
    return this.tree.children(i, (a, b) => total[b] - total[a]).filter(child => this.frames.has(child));
  }
  /* Where each frame is: [left, width, level] by node, and by level those in it. */
  layout() {
    const {tree, chart} = this, {total} = tree, width = chart.width, waiting = [];
    this.frames = new Map();
    this.levels = [];
    const add = (i, left, wide, level) => {
      this.frames.set(i, [left, wide, level]);
      (this.levels[level] = this.levels[level] || []).push(i);
    };
    const above = [];
    for (let i = this.root; i; i = tree.parent[i]) above.push(tree.parent[i]);
    above.reverse().forEach((i, level) => add(i, 0, width, level));
    add(this.root, 0, width, above.length);
    if (total[this.root]) waiting.push(this.root);
    while (waiting.length) {
      const i = waiting.pop();
      let [left, , level] = this.frames.get(i);
      for (const child of tree.children(i, (a, b) => total[b] - total[a])) {
        const wide = width * total[child] / total[this.root];
        if (wide < LEAST_WIDTH) break;
        add(child, left, wide, level + 1);
        if (tree.first[child]) waiting.push(child);
        left += wide;
      }
    }
    this.levels.forEach(level => level.sort((a, b) => this.frames.get(a)[0] - this.frames.get(b)[0]));
    if (!this.frames.has(this.selected)) this.selected = this.root;
    this.search();
    this.crumbs();
    chart.drawSoon();
  }
  /* The outermost ones that are found count: what they call is in their time. */
  search() {
    const {tree, root} = this, {words} = state;
    this.found = null;
    if (!words.length) {
      $('status').textContent = '';
      return;
    }
    const within = new Uint8Array(tree.count), covered = new Uint8Array(tree.count);
    this.found = new Uint8Array(tree.count);
    let count = 0, time = 0;
    for (let i = root; i < tree.count; i++) {
      within[i] = i === root || (i > root && within[tree.parent[i]]) ? 1 : 0;
      if (!within[i]) continue;
      this.found[i] = i && tree.calls[i] && tree.says(i, words) ? 1 : 0;
      covered[i] = this.found[i] || (i !== root && covered[tree.parent[i]]) ? 1 : 0;
      count += this.found[i];
      if (this.found[i] && (i === root || !covered[tree.parent[i]])) time += tree.total[i];
    }
    $('status').textContent = `${many(count, 'frame')} found, ${percent(time, tree.total[root]).toFixed(1)} % of the time`;
  }
  crumbs() {
    const path = [];
    for (let i = this.root; ; i = this.tree.parent[i]) {
      path.unshift(i);
      if (!i) break;
    }
    const shown = path.length > CRUMBS ? [0, -1, ...path.slice(1 - CRUMBS)] : path;
    $('crumbs').replaceChildren(...shown.map(i => {
      if (i < 0) return element('li', {}, '…');
      const button = element('button', {class: 'link', title: visible(this.name(i)), ...(i === this.root ? {'aria-current': 'location'} : {})}, this.short(i));
      button.addEventListener('click', () => this.zoom(i));
      return element('li', {}, button);
    }));
  }
  height() { return this.levels.length * FRAME + 4; }
  draw(context, width, height, scrolled) {
    const {tree, frames} = this, palette = colors();
    const begin = Math.floor(scrolled / FRAME), end = Math.min(this.levels.length, Math.ceil((scrolled + height) / FRAME));
    for (let level = begin; level < end; level++) {
      const top = level * FRAME - scrolled;
      for (const i of this.levels[level]) {
        const [left, wide] = frames.get(i), method = i ? tree.method[i] : THREAD;
        const outside = this.found && !this.found[i];
        context.globalAlpha = outside ? 0.35 : frames.get(this.root)[2] > level ? 0.6 : 1;
        context.fillStyle = this.found && this.found[i] ? palette.hit : method >= 0 ? palette.types[tree.colors[method]] : palette.run;
        context.fillRect(left, top, Math.max(wide - (wide > 3 ? 1 : 0), 0.5), FRAME - 1);
        context.globalAlpha = outside ? 0.7 : 1;
        context.fillStyle = palette.text;
        if (wide > 24) this.chart.label(context, this.short(i), left, top, wide, FRAME - 1);
        if (i === this.selected) {
          context.strokeStyle = palette.focus;
          context.lineWidth = 2;
          context.strokeRect(left + 1, top + 1, Math.max(wide - 2, 1), FRAME - 3);
        }
      }
    }
  }
  /* One more than the node, since that may be 0; 0 or undefined: none. */
  at(x, y) {
    const level = this.levels[Math.floor(y / FRAME)];
    return level && level.find(i => x >= this.frames.get(i)[0] && x < this.frames.get(i)[0] + this.frames.get(i)[1]) + 1;
  }
  says(i) {
    const {tree} = this;
    const whole = `${percent(tree.total[i], tree.total[0]).toFixed(2)} % of all`;
    const zoomed = this.root && i !== this.root ? `, ${percent(tree.total[i], tree.total[this.root]).toFixed(2)} % of what is shown` : '';
    const lines = [this.name(i), `total ${time(tree.total[i])}, ${whole}${zoomed}`, `own ${time(tree.own[i])}`];
    const method = i ? tree.method[i] : THREAD, ends = endsOf(tree, i);
    lines.push(many(method === THREAD ? i ? tree.threads.get(i).calls : tree.all : tree.calls[i], 'call'));
    return ends ? [...lines, ends] : lines;
  }
  tip(found) { return this.says(found - 1); }
  press(found) {
    if (!found) return;
    this.selected = found - 1;
    this.zoom(found - 1);
  }
  select(i) {
    if (i === undefined) return;
    this.selected = i;
    const [, , level] = this.frames.get(i);
    this.chart.reveal(level * FRAME, (level + 1) * FRAME, 0);
    this.describe();
    this.chart.drawSoon();
  }
  describe() {
    $('said').textContent = visible(this.says(this.selected).join(', '));
    if (this.selected) showNode(this.selected);
  }
  beside(step) {
    if (!this.selected) return;
    const alike = this.below(this.tree.parent[this.selected]);
    this.select(alike[alike.indexOf(this.selected) + step]);
  }
  zoom(i) {
    this.root = this.selected = i;
    this.layout();
    this.chart.stage.scrollTop = Math.max(0, this.frames.get(i)[2] - 2) * FRAME;
    this.select(i);
  }
  reset() { this.zoom(0); }
}
