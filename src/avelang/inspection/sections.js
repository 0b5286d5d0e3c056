// The tabs beside the code: what a kernel takes, its traffic, its main loop. `sections` is called by page.js.
const SVG = "http://www.w3.org/2000/svg";
function draw(tag, attributes, text) {
  const e = document.createElementNS(SVG, tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  if (text !== undefined) e.textContent = text;
  return e;
}
const UNITS = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
function counted(x) {
  const u = UNITS.find(([n]) => Math.abs(x) >= n);
  return u ? `${Number((x / u[0]).toPrecision(4))} ${u[1]}` : `${Number(x.toPrecision(4))} `;
}
function tableOf(heads, rows) {
  const table = make("table"), head = make("tr");
  for (const h of heads) head.append(make("th", "", h));
  table.append(head);
  for (const cells of rows) {
    const row = make("tr", cells.warn ? "warn" : "");
    for (const c of cells.cells) {
      const td = make("td", typeof c === "number" ? "r" : "");
      td.append(c instanceof Node ? c : String(c));
      row.append(td);
    }
    table.append(row);
  }
  return table;
}
function tip(text, e) {
  const t = document.getElementById("tip");
  t.style.display = text ? "block" : "none";
  if (!text) return;
  t.textContent = text;
  t.style.left = Math.min(e.clientX + 12, innerWidth - t.offsetWidth - 8) + "px";
  t.style.top = Math.min(e.clientY + 14, innerHeight - t.offsetHeight - 8) + "px";
}
function lineLink(line, view, row) {
  const a = make("a", "at", line ? "line " + line : "-");
  a.tabIndex = 0;
  a.onclick = () => goTo(view, row);
  a.onkeydown = e => { if (e.key === "Enter") goTo(view, row); };
  return a;
}

function resources(room) {
  if (D.facts.length) {
    room.append(make("h2", "", "Resources"));
    const table = make("table");
    for (const [name, value, remark, warning] of D.facts) {
      const row = make("tr", warning ? "warn" : "");
      row.append(make("th", "", name), make("td", "v", value), make("td", "", remark));
      table.append(row);
    }
    room.append(table);
  }
  const r = D.sections.roofline;
  if (r) {
    room.append(make("h2", "", "Roofline" + (r.product ? `, ${r.product}` : "")));
    if (r.memory) room.append(rooflinePlot(r));
    else room.append(make("p", "missing", "Not known: the rates of a product with this chip."));
    room.append(tableOf(["point", "operations", "bytes of global memory", "operations a byte", "bound by", ""],
      r.points.map(p => ({cells: [p.name, counted(p.flops) + "op", counted(p.bytes) + "B", Number(p.intensity.toPrecision(3)),
                                  bound(r, p), p.remark]}))));
    const b = r.block;
    room.append(make("p", "note", `A block${b.unknown ? ", loops of unknown trips taken once" : ""}: ` +
      `${counted(b.flops)}op of matrix instructions, ${counted(b.float_ops)}op on single floats; ` +
      `${counted(b.read)}B read and ${counted(b.written)}B written in global memory, ` +
      `${counted(b.shared)}B moved in shared memory. ${r.note}`));
  }
  const a = D.sections.accesses;
  if (a) accessTable(room, a);
  for (const text of D.missing) room.append(make("p", "missing", "Not known: " + text));
  for (const text of D.notes) room.append(make("p", "note", text));
}
function bound(r, p) {
  if (!r.memory) return "-";
  if (!r.peak) return "memory, as far as known";
  return p.intensity < r.peak / r.memory ? "memory" : "matrix pipes";
}
function rooflinePlot(r) {
  const W = 640, H = 300, L = 70, B = 40, T = 14, R = 20;
  const svg = draw("svg", {width: W, height: H, viewBox: `0 0 ${W} ${H}`, role: "img",
                           "aria-label": "Roofline: operations a second over operations a byte"});
  const xs = r.points.map(p => p.intensity).concat(r.peak ? [r.peak / r.memory] : [1]);
  const x0 = Math.floor(Math.log10(Math.min(...xs)) - 0.5), x1 = Math.ceil(Math.log10(Math.max(...xs)) + 0.5);
  const top = r.peak || r.memory * 10 ** x1;
  const y1 = Math.ceil(Math.log10(top) + 0.05), y0 = Math.min(Math.floor(Math.log10(r.memory * 10 ** x0)), y1 - 2);
  const X = v => L + (Math.log10(v) - x0) / (x1 - x0) * (W - L - R);
  const Y = v => H - B - (Math.log10(v) - y0) / (y1 - y0) * (H - B - T);
  const line = {stroke: "var(--line)", "stroke-width": 1}, small = {"font-size": 11, fill: "var(--dim)"};
  for (let d = x0; d <= x1; d++) {
    svg.append(draw("line", {x1: X(10 ** d), x2: X(10 ** d), y1: T, y2: H - B, ...line}),
               draw("text", {x: X(10 ** d), y: H - B + 15, "text-anchor": "middle", ...small},
                    d < 0 ? String(Number((10 ** d).toPrecision(1))) : counted(10 ** d).trim()));
  }
  for (let d = y0; d <= y1; d++) {
    svg.append(draw("line", {x1: L, x2: W - R, y1: Y(10 ** d), y2: Y(10 ** d), ...line}),
               draw("text", {x: L - 6, y: Y(10 ** d) + 4, "text-anchor": "end", ...small}, counted(10 ** d) + "op/s"));
  }
  svg.append(draw("text", {x: (L + W) / 2, y: H - 6, "text-anchor": "middle", ...small},
                  "operations a byte of global memory"));
  const knee = r.peak ? r.peak / r.memory : 10 ** x1;
  const roof = [[10 ** x0, r.memory * 10 ** x0], [knee, r.memory * knee], ...(r.peak ? [[10 ** x1, r.peak]] : [])]
    .filter(([x]) => x <= 10 ** x1);
  svg.append(draw("polyline", {points: roof.map(([x, y]) => `${X(x)},${Y(Math.max(y, 10 ** y0))}`).join(" "), fill: "none",
                               stroke: "var(--accent)", "stroke-width": 2}));
  svg.append(draw("text", {x: X(10 ** (x0 + 0.35)) - 6, y: Y(Math.max(r.memory * 10 ** (x0 + 0.35), 10 ** y0)) - 8,
                           "text-anchor": "end", ...small}, counted(r.memory) + "B/s"));
  if (r.peak) svg.append(draw("text", {x: W - R - 4, y: Y(r.peak) - 5, "text-anchor": "end", ...small},
                              counted(r.peak) + "op/s, matrix pipes"));
  r.points.forEach((p, n) => {
    const y = Math.min(r.memory * p.intensity, r.peak || Infinity), cx = X(p.intensity), cy = Y(Math.max(y, 10 ** y0));
    const dot = draw("circle", {cx, cy, r: 5, fill: `hsl(${20 + n * 120} 70% 50%)`, stroke: "var(--bg)"});
    dot.append(draw("title", {}, `${p.name}: ${p.intensity.toPrecision(3)} operations a byte; ${p.remark}`));
    const right = cx > W * 0.6;
    svg.append(dot, draw("text", {x: cx + (right ? -9 : 9), y: cy + 16 + 13 * n, "font-size": 11.5, fill: "var(--text)",
                                  "text-anchor": right ? "end" : "start"}, p.name));
  });
  const plot = make("div", "plot");
  plot.append(svg);
  return plot;
}
function accessTable(room, a) {
  room.append(make("h2", "", "Accesses to memory, bank conflicts"));
  const shared = a.rows.filter(r => r.space === "shared");
  if (shared.length) {
    const lost = shared.filter(r => r.factor > 1);
    room.append(make("p", lost.length ? "warn" : "", lost.length
      ? `Bank conflicts: ${lost.length} of ${shared.length} kinds of accesses to shared memory; ${a.lost} cycles lost ` +
        "if each runs once."
      : "No bank conflicts where addresses are known."));
  }
  const view = byKey.get("passes");
  room.append(tableOf(["where", "memory", "", "bytes a lane", "lanes", "how many", "cost", "at best", "times", ""],
    a.rows.slice(0, 60).map(r => ({
      warn: r.space === "shared" && r.factor > 1,
      cells: [view && r.op ? lineLink(r.line, "passes", view.op.indexOf(r.op)) : "line " + r.line, r.space, r.kind,
              r.bytes, r.lanes, r.count, r.cycles ?? "not known", r.least, r.factor ? Number(r.factor.toPrecision(3)) : "-",
              (r.space === "shared" ? "cycles" : "sectors") + (r.varies ? "; other waves differ" : "")],
    }))));
  if (a.rows.length > 60) room.append(make("p", "note", `${a.rows.length - 60} more kinds, none of which costs more.`));
  room.append(make("p", "note", a.note));
}

const KINDS = {matrix: "#2f6fde", valu: "#3fa66b", salu: "#9aa5b1", lds: "#d98b1f", memory: "#8b5cd6", smem: "#c06bb5",
               barrier: "#c0392b", wait: "#b9c0c9", branch: "#5f6b7a", nop: "#d0d5db", sleep: "#d0d5db",
               priority: "#d0d5db"};
const CAUSE = {vmcnt: "#e6d6ff", lgkmcnt: "#ffe2b8", barrier: "#ffc9c2", dependency: "#cfe3ff", "matrix pipe": "#b9d0ff",
               "vector pipe": "#c9efd7", "LDS queue": "#ffd089", "memory queue": "#d3bbff", counter: "#eee",
               issue: "#e4e8ee", nop: "#eee", branch: "#dde2e8"};
function timelineTab(room) {
  const t = D.sections.timeline, view = byKey.get(t.listing);
  room.append(make("h2", "", "Main loop, clock by clock"));
  const what = t.iterations ? `${t.iterations} iterations in the steady state` : "the code has no loop: all of it, once";
  room.append(make("p", "", `${what}: ${t.clocks} clocks, ${t.waves.length} waves of ${t.groups} work-group` +
                            `${t.groups > 1 ? "s" : ""} on the four SIMDs of one compute unit (${t.chip}).`));
  const causes = Object.entries(t.causes).filter(([, x]) => x > 0.001);
  room.append(make("p", "", "Waves wait: " + (causes.map(([c, x]) => `${c} ${(100 * x).toFixed(1)} %`).join(", ") ||
                                              "hardly at all")));
  const legend = make("div", "legend");
  const used = new Set(t.issued.map(x => x[2]).concat(t.waits.map(x => x[2])));
  const item = (name, color, words) => {
    const span = make("span"), i = make("i");
    i.style.background = color;
    span.append(i, words);
    legend.append(span);
  };
  for (const [k, c] of Object.entries(KINDS)) if (t.issued.some(x => x[2] === k)) item(k, c, k);
  for (const [k, c] of Object.entries(CAUSE)) if (t.waits.some(x => x[2] === k)) item(k, c, "waits: " + k);
  room.append(legend);
  const plot = make("div", "plot"), canvas = make("canvas");
  plot.append(canvas);
  room.append(plot, make("p", "note", "Hover for the instruction, click to go to its line, wheel with Ctrl to zoom. " +
                                      "Rows are waves, by SIMD. " + t.note));
  if (t.cut) room.append(make("p", "note", `${t.cut} further steps are left out.`));
  const order = t.waves.map((s, w) => [s, w]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(x => x[1]);
  const rowOf = new Map(order.map((w, n) => [w, n]));
  const H = 20, L = 92, A = 22;
  let scale = 0;
  const paint = () => {
    const wide = Math.max(300, room.clientWidth - 60);
    if (!scale) scale = Math.max(0.05, (wide - L) / t.clocks);
    const w = Math.min(30000, L + t.clocks * scale + 10), h = A + order.length * H + 4, ratio = devicePixelRatio || 1;
    canvas.width = w * ratio; canvas.height = h * ratio;
    canvas.style.width = w + "px"; canvas.style.height = h + "px";
    const g = canvas.getContext("2d"), style = getComputedStyle(document.body);
    g.scale(ratio, ratio);
    g.font = "11px system-ui, sans-serif";
    const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].find(s => s * scale > 60) || 20000;
    for (let c = 0; c <= t.clocks; c += step) {
      g.fillStyle = style.getPropertyValue("--dim");
      g.fillText(c, L + c * scale + 3, 12);
      g.fillStyle = style.getPropertyValue("--line");
      g.fillRect(L + c * scale, 0, 1, h);
    }
    g.fillStyle = style.getPropertyValue("--dim");
    order.forEach((wave, n) => g.fillText(`SIMD ${t.waves[wave]}, wave ${wave}`, 2, A + n * H + 13));
    for (const [wave, , cause, a, b] of t.waits) {
      g.fillStyle = CAUSE[cause] || "#eee";
      g.fillRect(L + a * scale, A + rowOf.get(wave) * H + 3, Math.max(0.5, (b - a) * scale), H - 8);
    }
    for (const [wave, , kind, a, b] of t.issued) {
      g.fillStyle = KINDS[kind] || "#888";
      g.fillRect(L + a * scale, A + rowOf.get(wave) * H + 1, Math.max(0.7, (b - a) * scale - 0.3), H - 4);
    }
  };
  const at = e => {
    const box = canvas.getBoundingClientRect();
    const clock = (e.clientX - box.left - L) / scale, wave = order[Math.floor((e.clientY - box.top - A) / H)];
    const hit = x => x[0] === wave && x[3] <= clock && clock < x[4];
    return {i: t.issued.filter(hit).pop(), w: t.waits.filter(hit).pop(), clock};
  };
  canvas.onmousemove = e => {
    const {i, w, clock} = at(e);
    const found = i || w;
    const text = found && found[1] >= 0 ? view.text[found[1]].trim() : "";
    tip(found ? `${text}\n${i ? i[2] : "waits for " + w[2]}, clocks ${found[3]} to ${found[4]}` : "", e);
  };
  canvas.onmouseleave = () => tip("");
  canvas.onclick = e => {
    const {i, w} = at(e), found = i || w;
    tip("");
    if (found && found[1] >= 0) goTo(t.listing, found[1]);
  };
  canvas.onwheel = e => {
    if (!e.ctrlKey) return;
    e.preventDefault();
    const clock = (e.offsetX - L) / scale;
    scale = Math.min(40, Math.max(0.02, scale * (e.deltaY < 0 ? 1.25 : 0.8)));
    paint();
    plot.scrollLeft = L + clock * scale - (e.offsetX - plot.scrollLeft);
  };
  return paint;
}

function sections() {
  const cards = document.getElementById("cards");
  for (const [name, value, remark, warning] of D.facts.slice(0, 8)) {
    const card = make("div", warning ? "warn" : "");
    card.append(make("span", "", name + " "), make("b", "", value));
    card.title = remark;
    cards.append(card);
  }
  const add = (id, title, fill) => {
    const room = make("div", "tab prose");
    document.querySelector("main").append(room);
    addTab(id, title, room, fill(room));
  };
  add("resources", "Resources", resources);
  const t = D.sections.timeline;
  if (t) {
    add("loop", "Main loop", timelineTab);
    const view = byKey.get(t.listing), worst = Math.max(...Object.values(t.heat), 0.01);
    view.heat = view.text.map((_, i) => t.heat[i] >= 0.001 ? `${(100 * t.heat[i]).toFixed(1)} %` : "");
    view.hot = view.text.map((_, i) => (t.heat[i] || 0) / worst);
  }
}
