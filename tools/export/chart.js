/* What the page's drawings share: a canvas that stays in place while what is drawn on it scrolls, colours, texts that fit, a
 * tip beside the pointer. Only what can be seen is drawn. */
'use strict';

const COLORS = 7;

/* Of the page's style, light or dark as it is now. */
function colors() {
  const style = getComputedStyle(document.documentElement);
  const found = {};
  for (const name of ['back', 'text', 'soft', 'line', 'panel', 'focus', 'warn', 'hit', 'run']) found[name] = style.getPropertyValue(`--${name}`).trim();
  found.types = Array.from({length: COLORS}, (_, i) => style.getPropertyValue(`--type${i}`).trim());
  return found;
}

/* Methods of one type have one colour. */
function colorOf(method) {
  const shown = nameOf(method);
  const type = shown.slice(0, Math.max(shown.lastIndexOf('.', shown.search(/[+(<]|$/)), 0));
  let hash = 0;
  for (let i = 0; i < type.length; i++) hash = (hash * 31 + type.charCodeAt(i)) >>> 0;
  return hash % COLORS;
}

class Chart {
  /* `owner` has draw(context, width, height), at(x, y) for what is there, tip(what), and press(what, event). */
  constructor(name, owner) {
    this.stage = $(`${name}-stage`);
    [this.tall] = this.stage.children;
    [this.canvas] = this.tall.children;
    this.owner = owner;
    this.frame = 0;
    this.stage.addEventListener('scroll', () => this.drawSoon(), {passive: true});
    this.stage.addEventListener('pointermove', event => this.hover(event));
    this.stage.addEventListener('pointerleave', () => { $('tip').hidden = true; });
    this.stage.addEventListener('click', event => owner.press(this.find(event), event));
    this.stage.addEventListener('keydown', event => {
      const act = !event.ctrlKey && !event.altKey && !event.metaKey && owner.keys[event.key];
      if (act) {
        event.preventDefault();
        act();
      }
    });
  }
  get width() { return this.stage.clientWidth; }
  /* Once for a picture, however often what is drawn has changed. */
  drawSoon() {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.draw());
  }
  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const {stage, canvas} = this, scale = devicePixelRatio || 1;
    if (!stage.clientWidth) return;
    this.tall.style.height = `${Math.max(this.owner.height(), stage.clientHeight)}px`;
    const width = stage.clientWidth, height = stage.clientHeight;
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const context = canvas.getContext('2d');
    context.scale(scale, scale);
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.direction = 'ltr';
    this.letter = context.measureText('n').width;
    this.owner.draw(context, width, height, stage.scrollTop);
  }
  find(event) {
    const box = this.canvas.getBoundingClientRect();
    return this.owner.at(event.clientX - box.left, event.clientY - box.top + this.stage.scrollTop);
  }
  hover(event) {
    const tip = $('tip'), found = event.buttons ? null : this.find(event);
    tip.hidden = !found;
    if (!found) return;
    tip.replaceChildren(...this.owner.tip(found).map((line, i) => element(i ? 'div' : 'strong', {}, line)));
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 4))}px`;
    tip.style.top = `${event.clientY + 16 + tip.offsetHeight > innerHeight ? Math.max(4, event.clientY - tip.offsetHeight - 8) : event.clientY + 16}px`;
  }
  /* A text within a bar, cut where it does not fit. */
  label(context, text, left, top, width, height) {
    const begin = Math.max(left, 0), room = Math.min(left + width, this.width) - begin - 8;
    const letters = Math.floor(room / this.letter);
    if (letters < 3) return;
    const shown = visible(text.slice(0, letters + 1));
    context.fillText(shown.length > letters || text.length > letters ? `${shown.slice(0, letters - 1)}…` : shown, begin + 4, top + height / 2 + 0.5, room);
  }
  /* Scrolls no more than it has to. */
  reveal(top, bottom, above) {
    const {stage} = this;
    if (top - above < stage.scrollTop) stage.scrollTop = top - above;
    else if (bottom > stage.scrollTop + stage.clientHeight) stage.scrollTop = bottom - stage.clientHeight;
  }
}
