"use strict";
const D = JSON.parse(document.getElementById("data").textContent);
const ROW = 18;
const make = (tag, cls, text) => {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  if (text !== undefined) e.textContent = text;  // never HTML: a kernel's text is data
  return e;
};

// -- what is linked to what -------------------------------------------------------------------------------------------
// A row of a listing has an op and a site (an expression with the calls around it); a site has places in the sources.
const sourceOf = new Map();  // "file:line" -> sites whose chain has it
D.sites.forEach((chain, s) => chain.forEach(p => {
  const key = D.places[p].join(":");
  if (!sourceOf.has(key)) sourceOf.set(key, new Set());
  sourceOf.get(key).add(s);
}));
const views = [
  ...D.files.map((name, f) => ({key: "py" + f, title: name, lang: "python", file: f, text: D.sources[f]})),
  ...D.listings.map(x => ({...x, file: -1})),
];
const byKey = new Map(views.map(v => [v.key, v]));
const siteAt = (v, i) => v.file >= 0 ? -1 : v.site[i];
const linked = (v, i) => v.file >= 0 ? sourceOf.has(v.file + ":" + (i + 1)) : siteAt(v, i) >= 0;
const color = v => i => {
  if (v.file < 0) {
    const s = siteAt(v, i);
    if (s < 0) return "";
    const p = D.places[D.home[s]];
    return hue(p[0], p[1]);
  }
  return linked(v, i) ? hue(v.file, i + 1) : "";
};
const hue = (file, line) => `hsl(${(line * 47 + file * 101) % 360} 65% 58%)`;

function selection(view, i) {  // what a row means: the sites, the op, and the sources' lines of it
  if (view.file >= 0) {
    return {view: view.key, row: i, op: 0, sites: sourceOf.get(view.file + ":" + (i + 1)) || new Set(),
            lines: new Map([[view.file + ":" + (i + 1), "strong"]])};
  }
  const site = siteAt(view, i);
  const lines = new Map();
  if (site >= 0) D.sites[site].forEach((p, n) => {
    const key = D.places[p].join(":");
    if (!lines.has(key)) lines.set(key, n === 0 || p === D.home[site] ? "strong" : "call");
  });
  return {view: view.key, row: i, op: view.numbered ? view.op[i] : 0, sites: new Set(site >= 0 ? [site] : []), lines};
}

function mark(sel, view, i) {  // the class of a row under a selection
  if (!sel) return "";
  const self = sel.view === view.key && sel.row === i ? " self" : "";
  if (view.file >= 0) return (sel.lines.get(view.file + ":" + (i + 1)) || "") + self;
  if (sel.op && view.numbered && view.op[i] === sel.op) return "strong" + self;
  if (sel.sites.has(siteAt(view, i))) return (sel.op && view.numbered ? "soft" : "strong") + self;
  return self;
}

let pinned = null, hovered = null;
const current = () => hovered || pinned;

// -- panes ------------------------------------------------------------------------------------------------------------
const WORDS = {
  python: /(#.*$)|("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|\b(def|return|if|elif|else|for|while|in|is|not|and|or|import|from|as|class|with|yield|lambda|None|True|False|pass|break|continue|raise|assert|global|nonlocal|del|try|except|finally)\b|(@[\w.]+|\b(?:al|ptx|tile|T)\.[\w.]+)|\b(\d[\w.]*)\b/gm,
  ir: /($^)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?:^\s*|= )((?:[a-z_][\w.]*))(?=[ ({]|$)|(%\w+)|\b(\d[\w.]*)\b/gm,
  llvm: /(;.*$)|("(?:[^"\\]|\\.)*")|\b(define|declare|call|tail|load|store|br|ret|phi|select|icmp|fcmp|add|sub|mul|shl|lshr|ashr|and|or|xor|fadd|fsub|fmul|fdiv|getelementptr|bitcast|trunc|zext|sext|extractelement|insertelement|extractvalue|insertvalue|switch|fence|atomicrmw|cmpxchg|unreachable)\b|([%@][\w.$-]+)|\b(\d[\w.]*)\b/gm,
  amdgcn: /((?:;|\/\/).*$)|("[^"]*")|^\s*([a-z]\w+)(?=\s|$)|\b([vsa](?:\d+|\[\d+:\d+\])|vcc|exec|m0|scc)\b|\b(\d\w*|off|lgkmcnt|vmcnt)\b/gm,
  ptx: /(\/\/.*$)|("[^"]*")|^\s*(?:@!?%\w+\s+)?([a-z][\w.:]*)(?=\s|;)|(%\w[\w.]*)|\b(\d\w*)\b/gm,
  sass: /($^)|(\/\*[0-9a-f]+\*\/)|(?:\*\/\s+(?:@!?\w+\s+)?)([A-Z][\w.]*)|\b(U?R\d+|U?P\d+|RZ|URZ|PT|UPT|SR_[\w.]+)\b|\b(0x[0-9a-f]+|\d+)\b/gm,
  cpu: /(#.*$)|("[^"]*")|^\s*([a-z]\w*)(?=\s|$)|(%\w+)|([$]-?\d+|\b\d\w*)\b/gm,
};
const CLASSES = ["com", "str", "kw", "reg", "num"];
function colored(cell, text, lang) {
  const re = new RegExp(WORDS[lang] || WORDS.cpu);
  let last = 0, m;
  while ((m = re.exec(text)) !== null) {
    if (m[0] === "") { re.lastIndex++; continue; }
    const g = m.slice(1).findIndex(x => x !== undefined);
    if (g < 0) continue;
    const at = m.index + m[0].lastIndexOf(m[g + 1]);
    if (at > last) cell.append(text.slice(last, at));
    cell.append(make("span", CLASSES[g], m[g + 1]));
    last = at + m[g + 1].length;
  }
  cell.append(text.slice(last));
}

class Pane {
  constructor(key) {
    this.root = make("section", "pane");
    const bar = make("div", "bar");
    this.pick = make("select");
    this.pick.setAttribute("aria-label", "What this pane shows");
    for (const v of views) {
      const o = make("option", "", v.title);
      o.value = v.key;
      this.pick.append(o);
    }
    this.find = make("input");
    this.find.placeholder = "find";
    this.find.setAttribute("aria-label", "Find in this pane");
    this.at = make("span", "at");
    this.next = make("button", "", "↓");
    this.next.title = "the next linked line";
    bar.append(this.pick, this.find, this.at, this.next);
    this.code = make("div", "code");
    this.code.tabIndex = 0;
    this.room = make("div", "room");
    this.code.append(this.room);
    this.root.append(bar, this.code);
    this.pick.onchange = () => this.show(this.pick.value);
    this.find.oninput = () => this.search();
    this.find.onkeydown = e => { if (e.key === "Enter") this.step(this.hits, e.shiftKey ? -1 : 1); };
    this.next.onclick = () => this.step(this.marks(), 1);
    this.code.onscroll = () => this.draw();
    this.room.onmouseover = e => this.hover(e);
    this.room.onmouseleave = () => { hovered = null; refresh(); };
    this.room.onclick = e => this.click(e);
    this.hits = [];
    this.seen = -1;
    this.show(key);
  }
  show(key) {
    this.view = byKey.get(key);
    this.pick.value = key;
    const longest = this.view.text.reduce((n, t) => Math.max(n, t.length), 0);
    this.digits = String(this.view.text.length).length;
    this.room.style.height = this.view.text.length * ROW + "px";
    this.room.style.width = `calc(${Math.min(longest, 4000) + this.digits + 6}ch)`;
    this.room.style.minWidth = "100%";
    const first = this.view.file < 0 ? this.view.text.findIndex((_, i) => linked(this.view, i)) : 0;
    this.code.scrollTop = Math.max(0, first - 4) * ROW;
    this.search();
    this.reveal(current());
  }
  draw() {
    const first = Math.max(0, Math.floor(this.code.scrollTop / ROW) - 10);
    const last = Math.min(this.view.text.length, Math.ceil((this.code.scrollTop + this.code.clientHeight) / ROW) + 10);
    const rows = [], paint = color(this.view), sel = current(), hits = new Set(this.hits);
    for (let i = first; i < last; i++) {
      const row = make("div", "row " + mark(sel, this.view, i) + (linked(this.view, i) ? " linked" : "") +
                       (hits.has(i) ? " hit" : ""));
      row.style.top = i * ROW + "px";
      row.dataset.i = i;
      const n = make("span", "n", i + 1);
      n.style.width = this.digits + 2 + "ch";
      const c = paint(i);
      if (c) n.style.borderRightColor = c;
      row.append(n);
      if (this.view.heat) {
        const heat = make("span", "heat", this.view.heat[i] || "");
        heat.title = "part of all waves' time that goes into waiting here, by the model of a compute unit";
        if (this.view.hot[i]) heat.style.background = `rgb(230 80 40 / ${(0.6 * this.view.hot[i]).toFixed(3)})`;
        row.append(heat);
      }
      const t = make("span", "t");
      const text = this.view.text[i];
      if (text.length > 2000) t.append(text.slice(0, 4000)); else colored(t, text, this.view.lang);
      row.append(t);
      rows.push(row);
    }
    this.room.replaceChildren(...rows);
    const all = this.marks().length;
    this.at.textContent = sel ? (all ? all + " linked" : "none linked") : this.view.text.length + " lines";
  }
  rowOf(e) {
    const row = e.target.closest(".row");
    return row ? Number(row.dataset.i) : -1;
  }
  hover(e) {
    const i = this.rowOf(e);
    if (i < 0 || this.seen === i && hovered) return;
    this.seen = i;
    hovered = linked(this.view, i) ? selection(this.view, i) : null;
    refresh(this);
  }
  click(e) {
    const i = this.rowOf(e);
    if (i >= 0) pin(linked(this.view, i) ? selection(this.view, i) : null, this);
  }
  marks() {
    const sel = current(), out = [];
    if (sel) for (let i = 0; i < this.view.text.length; i++) if (mark(sel, this.view, i).trim()) out.push(i);
    return out;
  }
  reveal(sel) {
    if (sel) {
      const rows = this.marks();
      const strong = rows.filter(i => /strong/.test(mark(sel, this.view, i)));
      const to = (strong.length ? strong : rows)[0];
      if (to !== undefined) this.to(to);
    }
    this.draw();
  }
  to(i) {
    const top = i * ROW, h = this.code.clientHeight || 400;
    if (top < this.code.scrollTop + ROW || top > this.code.scrollTop + h - 3 * ROW) {
      this.code.scrollTop = Math.max(0, top - h / 3);
    }
    this.draw();
  }
  step(rows, by) {
    if (!rows.length) return;
    const now = this.where ?? -1;
    const after = by > 0 ? rows.find(i => i > now) : [...rows].reverse().find(i => i < now);
    this.where = after ?? (by > 0 ? rows[0] : rows[rows.length - 1]);
    this.to(this.where);
  }
  search() {
    const what = this.find.value.toLowerCase();
    this.hits = [];
    if (what) this.view.text.forEach((t, i) => { if (t.toLowerCase().includes(what)) this.hits.push(i); });
    this.where = -1;
    if (this.hits.length) this.step(this.hits, 1); else this.draw();
  }
}

function refresh(but) {
  for (const p of panes) p.draw();
  said();
}
function pin(sel, from) {
  pinned = sel && pinned && sel.view === pinned.view && sel.row === pinned.row ? null : sel;
  hovered = null;
  for (const p of panes) if (p !== from) p.reveal(pinned);
  refresh();
  history.replaceState(null, "", pinned ? `#${pinned.view}:${pinned.row + 1}` : "#");
}
function said() {
  const sel = current();
  document.getElementById("hint").textContent = sel && sel.lines.size
    ? [...sel.lines.keys()].slice(0, 4).map(k => {
        const [f, l] = k.split(":");
        return `${short(D.files[f])}:${l}`;
      }).join(" < ")
    : "hover a line to see what it became, click to keep it, Esc to let go";
}
const short = name => name.split("/").pop();

// -- tabs -------------------------------------------------------------------------------------------------------------
const tabs = {};
function tab(id) {
  for (const [key, t] of Object.entries(tabs)) {
    t.room.classList.toggle("on", key === id);
    t.button.setAttribute("aria-selected", key === id);
  }
  if (id === "code") panes.forEach(p => p.draw());
  if (tabs[id].draw) tabs[id].draw();
}
function addTab(id, title, room, draw) {
  const button = make("button", "", title);
  button.setAttribute("role", "tab");
  button.onclick = () => tab(id);
  document.querySelector("nav").insertBefore(button, document.getElementById("hint"));
  tabs[id] = {room, button, draw};
}
function goTo(view, row) {  // from other tabs into the code
  tab("code");
  const v = byKey.get(view);
  let p = panes.find(x => x.view === v);
  if (!p) { p = panes[panes.length - 1]; p.show(view); }
  pinned = null;
  pin(selection(v, row));
  p.to(row);
}

const codeRoom = document.getElementById("code");
const wanted = ["py0", ...D.open.filter(k => byKey.has(k))];
const panes = [];
addTab("code", "Code", codeRoom);
codeRoom.classList.add("on");
sections();
wanted.forEach((key, n) => {
  const pane = new Pane(key);
  if (n) {
    const grip = make("div", "grip");
    grip.onpointerdown = e => {
      const before = panes[n - 1].root, x = e.clientX, a = before.offsetWidth, b = pane.root.offsetWidth;
      grip.setPointerCapture(e.pointerId);
      grip.onpointermove = m => {
        const d = Math.max(60 - a, Math.min(b - 60, m.clientX - x));
        before.style.flex = `${a + d} 1 0`;
        pane.root.style.flex = `${b - d} 1 0`;
        for (const p of panes) if (p !== panes[n - 1] && p !== pane) p.root.style.flex = `${p.root.offsetWidth} 1 0`;
      };
      grip.onpointerup = () => { grip.onpointermove = null; refresh(); };
    };
    codeRoom.append(grip);
  }
  codeRoom.append(pane.root);
  panes.push(pane);
  pane.show(key);  // again: it has a height now
});
window.onresize = () => refresh();
document.onkeydown = e => {
  if (e.key === "Escape") { pinned = null; hovered = null; refresh(); }
  if (e.key === "/" && !/INPUT|SELECT/.test(document.activeElement.tagName)) {
    e.preventDefault();
    panes[0].find.focus();
  }
};
function fromHash() {
  const [view, row] = decodeURIComponent(location.hash.slice(1)).split(":");
  if (tabs[view]) return tab(view);
  tab("code");
  const v = byKey.get(view), i = Number(row) - 1;
  if (v && i >= 0 && i < v.text.length && linked(v, i)) {
    pinned = null;
    pin(selection(v, i));
  } else {
    panes[0].to(Math.max(0, D.line - 1));
  }
  refresh();
}
window.onhashchange = fromHash;
fromHash();
document.body.dataset.ready = "1";
