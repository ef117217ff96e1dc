"use strict";
// Draws the pictures and tables of the page from the data that it holds. It makes no request, and sets texts of the data as text only.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const style = "plot"; // one class for all pictures, so that the style sheets that the library adds are known in advance
  const el = (name, attrs = {}, ...children) => {
    const e = document.createElement(name);
    for (const [k, v] of Object.entries(attrs)) {
      if (v === undefined || v === false) continue;
      if (k === "text") e.textContent = v;
      else if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
      else e.setAttribute(k, v === true ? "" : v);
    }
    e.append(...children);
    return e;
  };
  const number = (x) => {
    if (x === null || x === undefined || Number.isNaN(x)) return "–";
    const a = Math.abs(x);
    if (a !== 0 && (a < 1e-4 || a >= 1e15)) return x.toPrecision(4);
    if (a >= 1000 || Number.isInteger(x)) return x.toLocaleString("en", { maximumFractionDigits: 0 });
    return x.toLocaleString("en", { maximumSignificantDigits: 4 });
  };
  const cut = (s, n) => (s.length > n ? s.slice(0, n - 1) + "…" : s);

  // rowsOf turns the columns of a table into rows: one object a row, with its label of each axis and its values.
  function rowsOf(t, axes) {
    const col = Object.fromEntries(t.values.map((v) => [v.name, v.data]));
    const out = new Array(t.shown);
    for (let i = 0; i < t.shown; i++) {
      const r = { at: i };
      for (const [name, values] of Object.entries(col)) r[name] = values[i];
      if (t.half !== undefined && r.noisy !== undefined) {
        r.ci95_low = r.noisy - t.half;
        r.ci95_high = r.noisy + t.half;
      }
      r.k = t.keys.map((k) => k.codes[i]);
      out[i] = r;
    }
    return out;
  }

  // An axis gives each row a place: a number on a numeric axis, the code of its label on any other.
  const placeOf = (q, a) => {
    const k = a.keys[0];
    return a.type === "number" ? (r) => Number(q.table.keys[k].labels[r.k[k]]) : (r) => r.k[k];
  };
  const endOf = (q, a) => {
    const k = a.keys[1];
    return (r) => Number(q.table.keys[k].labels[r.k[k]]);
  };
  const labelAt = (t, a, code, n = 28) => cut(t.keys[a.keys[0]].labels[code] ?? "", n);
  const labelOf = (t, a, r, n) => {
    const parts = a.keys.map((k) => t.keys[k].labels[r.k[k]]);
    if (a.type === "grid") return `row ${parts[0]}, column ${parts[1]}`;
    return cut(parts.length > 1 && parts[0] !== parts[1] ? `${parts[0]} to ${parts[1]}` : parts[0], n ?? 40);
  };
  const scaleOf = (t, a, width) => {
    if (a.type === "number") return { label: a.label };
    const codes = [...new Set(t.keys[a.keys[0]].codes)].sort((x, y) => x - y);
    const longest = Math.max(...codes.map((c) => labelAt(t, a, c, 18).length));
    const most = Math.max(2, Math.floor(width / 15));
    const step = Math.ceil(codes.length / most);
    return {
      type: "band", domain: codes, label: a.label, ticks: codes.filter((_, i) => i % step === 0),
      tickFormat: (c) => labelAt(t, a, c, 18), longest, tickRotate: codes.length / step * longest * 7 > width ? -60 : 0,
    };
  };
  const below = (s) => (s.tickRotate ? Math.min(130, 34 + s.longest * 6) : 42);

  const describe = (q, t, r) =>
    q.axes.map((a) => `${a.label}: ${labelOf(t, a, r)}`).join("\n") +
    (q.axes.length ? "\n" : "") +
    (r.noisy !== undefined ? `noisy: ${number(r.noisy)}\n` : "") +
    `estimate: ${number(r.estimate)}\n95 % interval: ${number(r.ci95_low)} to ${number(r.ci95_high)}`;

  const draw = (options, label) => {
    const node = Plot.plot({ className: style, style: { fontSize: "12px", background: "transparent" }, ...options });
    const svg = node.tagName.toLowerCase() === "svg" ? node : node.querySelector("svg:last-of-type");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", label);
    node.querySelectorAll("svg").forEach((s) => {
      if (s !== svg) s.setAttribute("aria-hidden", "true");
    });
    svg.querySelectorAll("[aria-label]").forEach((g) => { // the picture has one label: its parts are no elements that may have one
      g.dataset.mark = g.getAttribute("aria-label");
      g.removeAttribute("aria-label");
    });
    return node;
  };
  const pad = (w) => (w < 480 ? 70 : 130);
  const foot = 42; // room below an axis for its numbers and its label

  // The key of a picture says what its marks are. Without denoising the estimate is the noisy value, and has one mark.
  const differs = (rows) => rows.some((r) => r.noisy !== undefined && r.noisy !== r.estimate);
  const key = (rows, mark, interval) => {
    const two = differs(rows);
    const entry = (shape, text) => el("span", {}, el("i", { class: shape, "aria-hidden": "true" }), text);
    return el("p", { class: "key" }, entry(mark, two ? "estimate (denoised)" : rows.length && rows[0].noisy === undefined ? "estimate" : "noisy value"),
      two ? entry("k-dot", "noisy value") : "", entry(interval, "95 % interval"));
  };
  const keyed = (rows, mark, interval, node) => el("div", {}, key(rows, mark, interval), node);
  const noisyColor = "var(--noisy)", estimateColor = "var(--estimate)";

  // Streets take the mean of their ends' values, so that a map shows them as lines and not as beads. They are gathered into few shapes, since
  // seven thousand shapes are slow: the faintest first.
  const shades = 24;
  function streetsOf(p, rows, valueOf, share) {
    const at = new Map(rows.map((r) => [r.k[p.key], Math.max(0, valueOf(r))]));
    const lines = Array.from({ length: shades + 1 }, () => []);
    for (const [a, b] of p.roads) {
      if (p.lat[a] === null || p.lat[b] === null) continue;
      lines[Math.round(shades * share(((at.get(a) ?? 0) + (at.get(b) ?? 0)) / 2))].push([[p.lon[a], p.lat[a]], [p.lon[b], p.lat[b]]]);
    }
    return lines.flatMap((coordinates, i) => (coordinates.length ? [{ type: "MultiLineString", coordinates, share: i / shades }] : []));
  }
  // A bar of a round length, in the south-east.
  function scaleBar(lons, lats) {
    const [west, east] = d3.extent(lons), south = d3.min(lats), degree = 111.32 * Math.cos(south * Math.PI / 180);
    const most = 0.3 * (east - west) * degree, power = 10 ** Math.floor(Math.log10(Math.max(most, 1e-6)));
    const km = [5, 2, 1].map((x) => x * power).find((x) => x <= most) ?? power;
    const from = east - km / degree;
    return { line: { type: "LineString", coordinates: [[from, south], [east, south]] }, x: (from + east) / 2, y: south, text: km >= 1 ? `${km} km` : `${number(km * 1000)} m` };
  }

  // Pictures: each takes a query, its rows, the width and which values are shown, and returns a node.
  const pictures = {
    none() {
      return "";
    },
    number(q, rows, width) {
      const r = rows[0];
      if (!r) return el("p", { text: "No value." });
      return el("div", {},
        el("p", { class: "number", text: number(r.estimate) }),
        draw({
          width: Math.min(width, 640), height: 84, marginLeft: 30, marginRight: 30, marginBottom: foot, x: { label: q.unit, nice: true, tickFormat: number, ticks: Math.min(6, width / 90) },
          marks: [
            Plot.ruleY([r], { y: 0, x1: "ci95_low", x2: "ci95_high", stroke: noisyColor, strokeWidth: 4, strokeOpacity: 0.5 }),
            Plot.dot([r], { x: "estimate", y: () => 0, fill: estimateColor, r: 6 }),
            differs([r]) ? Plot.dot([r], { x: "noisy", y: () => 0, fill: noisyColor, r: 4 }) : null,
          ].filter(Boolean), y: { axis: null },
        }, `${q.name}: ${describe(q, q.table, r)}`), key(rows, "k-point", "k-line"));
    },
    bars(q, rows, width) {
      const t = q.table, a = q.axes[0];
      let shown = rows;
      if (rows.length > 60) shown = d3.sort(rows, (r) => -r.estimate).slice(0, 60);
      const left = Math.min(pad(width) + 30, 20 + 7 * Math.max(4, ...shown.map((r) => labelOf(t, a, r, width < 480 ? 12 : 24).length)));
      return keyed(shown, "k-bar", "k-line", draw({
        width, height: 20 + foot + 24 * shown.length, marginLeft: left, marginRight: 20, marginBottom: foot,
        y: { type: "band", domain: shown.map((r) => r.at), tickFormat: (i) => labelOf(t, a, rows[i], width < 480 ? 12 : 24), label: null, tickSize: 0 },
        x: { label: q.unit, grid: true, tickFormat: number, ticks: Math.max(2, width / 110) },
        marks: [
          Plot.barX(shown, { x: "estimate", y: "at", fill: estimateColor, fillOpacity: 0.75, inset: 3 }),
          Plot.ruleY(shown, { x1: "ci95_low", x2: "ci95_high", y: "at", stroke: noisyColor, strokeWidth: 2 }),
          differs(shown) ? Plot.dot(shown, { x: "noisy", y: "at", fill: noisyColor, r: 3 }) : null,
          Plot.ruleX([0]),
          Plot.tip(shown, Plot.pointerY({ x: "estimate", y: "at", title: (r) => describe(q, t, r) })),
        ].filter(Boolean),
      }, `Bars of ${q.name} by ${a.label}: ${shown.length} values with 95 % intervals, which the table below lists.`));
    },
    lines(q, rows, width) {
      const t = q.table, a = q.axes[0], s = scaleOf(t, a, width), numeric = a.type === "number";
      const x = placeOf(q, a), x2 = numeric && a.keys.length > 1 ? endOf(q, a) : x;
      const mid = (r) => (numeric ? (x(r) + x2(r)) / 2 : x(r));
      const dense = rows.length > width / 6; // marks of their own would hide each other
      const bars = numeric && a.keys.length > 1 && !dense
        ? [Plot.rectY(rows, { x1: x, x2, y: "estimate", fill: estimateColor, fillOpacity: 0.3, inset: 0.5 })]
        : [];
      return keyed(rows, "k-stroke", "k-band", draw({
        width, height: Math.min(360, 160 + width / 4), marginLeft: 60, marginRight: 20, marginBottom: numeric ? foot : below(s),
        x: s, y: { label: q.unit, grid: true, tickFormat: number, zero: true },
        marks: [
          ...bars,
          Plot.areaY(rows, { x: mid, y1: "ci95_low", y2: "ci95_high", fill: noisyColor, fillOpacity: 0.2, curve: "linear" }),
          Plot.lineY(rows, { x: mid, y: "estimate", stroke: estimateColor, strokeWidth: dense ? 1.2 : 2 }),
          differs(rows) ? Plot.dot(rows, { x: mid, y: "noisy", fill: noisyColor, fillOpacity: dense ? 0.5 : 1, r: dense ? 1.2 : 2.5 }) : null,
          Plot.ruleY([0]),
          Plot.tip(rows, Plot.pointerX({ x: mid, y: "estimate", title: (r) => describe(q, t, r) })),
        ].filter(Boolean),
      }, `Line of ${q.name} along ${a.label} with a band of 95 % intervals: ${rows.length} values, which the table below lists.`));
    },
    heat(q, rows, width, value) {
      const t = q.table;
      const grid = q.axes.find((a) => a.type === "grid");
      const others = q.axes.filter((a) => a !== grid);
      let xa, ya, facet;
      if (grid) {
        ya = { label: "row, from the south", keys: [grid.keys[0]], type: "category" };
        xa = { label: "column, from the west", keys: [grid.keys[1]], type: "category" };
        facet = others[0];
      } else {
        const byLabels = (a) => -t.keys[a.keys[0]].labels.length;
        const sorted = d3.sort(q.axes, byLabels);
        facet = q.axes.length > 2 ? sorted[sorted.length - 1] : undefined;
        [xa, ya] = q.axes.filter((a) => a !== facet);
        if (byLabels(ya) < byLabels(xa)) [xa, ya] = [ya, xa]; // the longer one goes from left to right
      }
      const top = d3.max(rows, (r) => r[value]) || 1, scale = scaleFor(q, rows, value, top);
      const panel = (some, w, title) => {
        const sy = scaleOf(t, { ...ya, type: "band" }, 400);
        const left = Math.min(pad(w), 44 + 7 * sy.longest), nx = new Set(t.keys[xa.keys[0]].codes).size, ny = sy.domain.length;
        const cell = Math.max(2, Math.min(nx > 16 ? 34 : nx > 8 ? 60 : 96, (w - left - 20) / nx, grid ? 900 / ny : 900));
        const high = grid ? cell : Math.max(2, Math.min(cell, nx > 16 ? 34 : 40, 900 / ny));
        const sx = scaleOf(t, { ...xa, type: "band" }, cell * nx), bottom = below(sx);
        const side = Math.max(1, Math.ceil(14 / high));
        const brief = (x) => (x === null ? "–" : x.toLocaleString("en", { maximumFractionDigits: top >= 1000 ? 0 : top >= 10 ? 1 : 3 }));
        const written = cell >= 46 && high >= 18 ? [Plot.text(some, {
          x: (r) => r.k[xa.keys[0]], y: (r) => r.k[ya.keys[0]], text: (r) => brief(r[value]), fill: (r) => inkOn(scale, r[value]), fontSize: 11,
        })] : [];
        return draw({
          width: w, height: high * ny + bottom + 20, marginLeft: left, marginBottom: bottom, marginRight: Math.max(10, w - left - cell * nx - 10),
          x: { ...sx, tickSize: 3 }, y: { ...sy, reverse: Boolean(grid), tickRotate: 0, tickSize: 3, ticks: sy.domain.filter((_, i) => i % side === 0) },
          color: colors(scale),
          marks: [
            Plot.cell(some, { x: (r) => r.k[xa.keys[0]], y: (r) => r.k[ya.keys[0]], fill: (r) => r[value], inset: cell > 8 ? 0.5 : 0, stroke: cell > 8 ? "var(--line)" : undefined, strokeWidth: 0.5 }),
            ...written,
            Plot.tip(some, Plot.pointer({ x: (r) => r.k[xa.keys[0]], y: (r) => r.k[ya.keys[0]], title: (r) => describe(q, t, r) })),
          ].filter(Boolean),
        }, `Heat map of ${q.name}${title}: ${some.length} values, which the table below lists.`);
      };
      const box = el("div", {}, legend(q, scale, width));
      if (!facet) {
        box.append(panel(rows, width, ""));
        return box;
      }
      const side = el("div", { class: "side" });
      const k = facet.keys[0], codes = [...new Set(t.keys[k].codes)].sort((x, y) => x - y).slice(0, 24);
      const w = width < 640 ? width : width / 2 - 10;
      for (const c of codes) {
        const some = rows.filter((r) => r.k[k] === c);
        const title = `${facet.label}: ${labelOf(t, facet, some[0])}`;
        side.append(el("div", {}, el("p", { class: "panel" }, el("bdi", { text: title })), panel(some, w, `, ${title}`)));
      }
      box.append(side);
      return box;
    },
    map(q, rows, width, value, slice) {
      const t = q.table, p = q.places, key = p.key;
      let some = rows.filter((r) => p.lat[r.k[key]] !== null);
      if (slice) some = some.filter((r) => r.k[slice.key] === slice.code);
      const top = d3.quantile(some, 0.998, (r) => Math.max(r.estimate, 0)) || 1;
      const lons = p.lon.filter((x) => x !== null), lats = p.lat.filter((x) => x !== null);
      const shape = { type: "MultiPoint", coordinates: [[d3.min(lons), d3.min(lats)], [d3.max(lons), d3.max(lats)]] };
      const lat = ((d3.min(lats) + d3.max(lats)) / 2) * Math.PI / 180;
      const ratio = (d3.max(lats) - d3.min(lats)) / Math.max(1e-9, (d3.max(lons) - d3.min(lons)) * Math.cos(lat));
      const many = some.length > 800, scale = { root: true, from: 0, to: top };
      const share = (x) => Math.sqrt(Math.min(1, Math.max(0, x) / top));
      const panel = (v, w) => {
        const streets = streetsOf(p, some, (r) => r[v], share);
        const bar = scaleBar(lons, lats);
        return draw({
          width: w, height: Math.max(160, Math.min(w * ratio, 860)) + 10, margin: 5, color: colors(scale),
          projection: { type: "mercator", domain: shape, inset: 8 },
          marks: [
            ...streets.map((f) => Plot.geo(f, { stroke: () => f.share * f.share * top, strokeWidth: 0.7 + 2.6 * f.share, strokeLinecap: "round" })),
            Plot.dot(d3.sort(some, (r) => r[v]), {
              x: (r) => p.lon[r.k[key]], y: (r) => p.lat[r.k[key]], fill: (r) => Math.max(r[v], 0), r: (r) => (many ? 0.8 : 3) + (many ? 1.9 : 5) * share(r[v]),
            }),
            Plot.geo(bar.line, { stroke: "currentColor", strokeWidth: 1.5 }),
            Plot.text([bar], { x: "x", y: "y", text: "text", dy: -9, fill: "currentColor" }),
            Plot.tip(some, Plot.pointer({ x: (r) => p.lon[r.k[key]], y: (r) => p.lat[r.k[key]], title: (r) => describe(q, t, r) })),
          ], r: { type: "identity" },
        }, `Map of ${q.name}, ${v === "noisy" ? "noisy values" : "estimates"}: ${some.length} points, which the table below lists.`);
      };
      const box = el("div", {}, legend(q, scale, width));
      if (value !== "both") {
        box.append(panel(value, Math.min(width, 640)));
        return box;
      }
      const w = width < 640 ? width : width / 2 - 10;
      box.append(el("div", { class: "side" },
        el("div", {}, el("p", { class: "panel", text: "Noisy values" }), panel("noisy", w)),
        el("div", {}, el("p", { class: "panel", text: "Estimates (denoised)" }), panel("estimate", w))));
      return box;
    },
    top(q, rows, width) { // names of many labels are long: each stands above its bar
      const shown = d3.sort(rows, (r) => -r.estimate).slice(0, 40), t = q.table, most = Math.floor(width / 6.6);
      const name = (r) => cut(q.axes.map((a) => labelOf(t, a, r, 40)).join(" · "), most);
      return keyed(shown, "k-bar", "k-line", draw({
        width, height: 20 + foot + 36 * shown.length, marginLeft: 20, marginRight: 20, marginBottom: foot,
        y: { type: "band", domain: shown.map((r) => r.at), axis: null }, x: { label: q.unit, grid: true, tickFormat: number, ticks: Math.max(2, width / 160) },
        marks: [
          Plot.barX(shown, { x: "estimate", y: "at", fill: estimateColor, fillOpacity: 0.75, insetTop: 18, insetBottom: 4 }),
          Plot.ruleY(shown, { x1: "ci95_low", x2: "ci95_high", y: "at", stroke: noisyColor, strokeWidth: 2, dy: 7 }),
          differs(shown) ? Plot.dot(shown, { x: "noisy", y: "at", fill: noisyColor, r: 3, dy: 7 }) : null,
          Plot.ruleX([0]),
          Plot.text(shown, { x: 0, y: "at", text: name, textAnchor: "start", dx: 3, dy: -8, stroke: "var(--bg)", fill: "currentColor" }),
          Plot.tip(shown, Plot.pointerY({ x: "estimate", y: "at", title: (r) => describe(q, t, r) })),
        ].filter(Boolean),
      }, `Bars of the ${shown.length} largest estimates of ${q.name}, which the table below lists.`));
    },
    cdf(q, rows, width) {
      const t = q.table, a = q.axes[q.axes.length - 1], groups = q.axes.slice(0, -1), x = placeOf(q, a);
      const byGroup = d3.groups(rows, (r) => groups.map((g) => labelOf(t, g, r)).join(" · ")).slice(0, 24);
      const side = el("div", { class: byGroup.length > 1 ? "side" : "" });
      const w = byGroup.length > 1 && width >= 640 ? width / 2 - 10 : width;
      for (const [name, some] of byGroup) {
        side.append(el("div", {}, name ? el("p", { class: "panel" }, el("bdi", { text: name })) : "",
          draw({
            width: w, height: 240, marginLeft: 50, marginBottom: foot, x: { label: a.label }, y: { label: "share of rows below", domain: [0, 1], grid: true },
            marks: [
              Plot.areaY(some, { x, y1: "ci95_low", y2: "ci95_high", fill: noisyColor, fillOpacity: 0.25 }),
              Plot.lineY(some, { x, y: "estimate", stroke: estimateColor, strokeWidth: 2 }),
            ],
          }, `Share of the rows below each ${a.label}${name ? " of " + name : ""}, with a band of 95 % intervals.`)));
      }
      return keyed(rows, "k-stroke", "k-band", side);
    },
    quantiles(q, rows, width) {
      const t = q.table, name = (r) => cut(q.axes.map((a) => labelOf(t, a, r, 20)).join(" · "), width < 480 ? 16 : 40), shown = rows.slice(0, 60);
      const left = Math.min(width < 480 ? 120 : 300, 20 + 7 * Math.max(4, ...shown.map((r) => name(r).length)));
      return keyed(shown, "k-point", "k-line", draw({
        width, height: 20 + foot + 24 * shown.length, marginLeft: left, marginRight: 20, marginBottom: foot,
        y: { type: "band", domain: shown.map((r) => r.at), tickFormat: (i) => name(rows[i]), label: null, tickSize: 0 }, x: { label: q.unit, grid: true, tickFormat: number, ticks: Math.max(2, width / 110) },
        marks: [
          Plot.ruleY(shown, { x1: "ci95_low", x2: "ci95_high", y: "at", stroke: noisyColor, strokeWidth: 4, strokeOpacity: 0.5 }),
          Plot.dot(shown, { x: "estimate", y: "at", fill: estimateColor, r: 4 }),
        ],
      }, `Quantiles of ${q.name} with 95 % intervals, which the table below lists.`));
    },
  };

  // Counts differ by orders of magnitude: the scale's root shows small ones beside large ones. Magma is even to the eye and to the
  // colour-blind; what is little has nearly the colour of the page, and what is much stands out from it, on paper and in the dark.
  const darkness = matchMedia("(prefers-color-scheme: dark)"), paper = matchMedia("print");
  let printed = false;
  const onDark = () => darkness.matches && !paper.matches && !printed;
  const colors = (scale) => ({ type: scale.root ? "sqrt" : "linear", interpolate: onDark() ? (t) => d3.interpolateMagma(0.1 + 0.88 * t) : (t) => d3.interpolateMagma(0.97 - 0.82 * t), domain: [scale.from, scale.to], clamp: true });
  const inkOn = (scale, x) => {
    const share = Math.max(0, Math.min(1, (x - scale.from) / (scale.to - scale.from)));
    return ((scale.root ? Math.sqrt(share) : share) > 0.5) === onDark() ? "#000000" : "#ffffff";
  };
  // Means and sums have no natural end at 0: their colours go from the least value to the largest.
  const scaleFor = (q, rows, value, top) => {
    if (!q.linear) return { root: true, from: 0, to: top };
    const [from, to] = d3.extent(rows, (r) => r[value]);
    return { root: false, from: from ?? 0, to: to > from ? to : (from ?? 0) + 1 };
  };
  const legend = (q, scale, width) => {
    const node = Plot.legend({ className: style, color: { ...colors(scale), label: q.unit }, width: Math.min(300, width - 20), tickFormat: number, ticks: 4 });
    node.setAttribute("role", "img");
    node.setAttribute("aria-label", `Colours: from ${number(scale.from)} to ${number(scale.to)}: ${q.unit}`);
    return node;
  };

  // A table that sorts, filters and downloads; at most 50 rows are shown at a time.
  function tableOf(q, rows, at) {
    const t = q.table, page = 50;
    const columns = [
      ...t.keys.map((k, i) => ({ name: k.name, get: (r) => k.labels[r.k[i]], key: (r) => (k.numeric ? Number(k.labels[r.k[i]]) : k.labels[r.k[i]]), text: true, numeric: k.numeric })),
      ...["noisy", "estimate", "standard_deviation", "ci95_low", "ci95_high"].filter((n) => rows.length && rows[0][n] !== undefined).map((n) => ({ name: n, get: (r) => r[n] })),
      ...t.values.filter((v) => !["noisy", "estimate", "standard_deviation", "ci95_low", "ci95_high"].includes(v.name)).map((v) => ({ name: v.name, get: (r) => r[v.name] })),
    ];
    let order = null, descending = false, text = "", start = 0;
    const body = el("tbody"), status = el("p", { class: "soft", role: "status" });
    const heads = columns.map((c, i) => {
      const th = el("th", { scope: "col", class: c.text && !c.numeric ? undefined : "n" }, el("button", { type: "button", onclick: () => { descending = order === i && !descending; order = i; start = 0; fill(); } }, el("bdi", { text: c.name })));
      return th;
    });
    const chosen = () => {
      const wanted = text.trim().toLowerCase();
      let out = wanted ? rows.filter((r) => columns.some((c) => (c.text ? c.get(r) : String(c.get(r) ?? "")).toLowerCase().includes(wanted))) : rows;
      if (order !== null) {
        const c = columns[order], f = c.key ?? c.get;
        out = d3.sort(out, (a, b) => (descending ? d3.descending(f(a), f(b)) : d3.ascending(f(a), f(b))));
      }
      return out;
    };
    const fill = () => {
      const some = chosen();
      start = Math.max(0, Math.min(start, Math.floor((some.length - 1) / page) * page));
      heads.forEach((h, i) => h.setAttribute("aria-sort", order === i ? (descending ? "descending" : "ascending") : "none"));
      body.replaceChildren(...some.slice(start, start + page).map((r) => el("tr", {},
        ...columns.map((c) => (c.text ? el("td", { class: c.numeric ? "n" : undefined }, el("bdi", { text: c.get(r) })) : el("td", { class: "n", text: number(c.get(r)) }))))));
      status.textContent = some.length === 0 ? "No row matches." : `Rows ${start + 1} to ${Math.min(start + page, some.length)} of ${some.length}` +
        (t.shown < t.rows ? `; the page holds the ${t.shown.toLocaleString("en")} largest of ${t.rows.toLocaleString("en")} rows, the files hold all` : "");
      pager.hidden = rows.length <= page;
      back.disabled = start === 0;
      on.disabled = start + page >= some.length;
    };
    const back = el("button", { type: "button", text: "Previous", onclick: () => { start -= page; fill(); } });
    const on = el("button", { type: "button", text: "Next", onclick: () => { start += page; fill(); } });
    const pager = el("div", { class: "controls pager" }, back, on);
    // A spreadsheet computes texts that begin with these: an apostrophe before them keeps them texts, as in the release's own files.
    const inert = (s) => (/^[=+\-@\t\r']/.test(s) && !/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(s) ? "'" + s : s);
    const quoted = (s) => (/[",\n\r]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s);
    const download = el("button", { type: "button", text: "Download these rows (CSV)", onclick: () => {
      const lines = [columns.map((c) => quoted(inert(c.name))), ...chosen().map((r) => columns.map((c) => (c.text ? quoted(inert(c.get(r))) : String(c.get(r) ?? ""))))];
      const url = URL.createObjectURL(new Blob([lines.map((l) => l.join(",")).join("\n") + "\n"], { type: "text/csv" }));
      el("a", { href: url, download: `${q.file}.page.csv` }).click();
      setTimeout(() => URL.revokeObjectURL(url), 10000);
    } });
    const id = `filter-${at}`;
    const box = el("div", {},
      el("div", { class: "controls" },
        el("label", { for: id, text: "Filter" }),
        el("input", { id, type: "search", oninput: (e) => { text = e.target.value; start = 0; fill(); } }), download),
      el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `Table of ${q.name}` },
        el("table", {}, el("caption", { text: `${q.name}: ${rows.length && rows[0].noisy !== undefined ? (t.half !== undefined ? "noisy values are right on average, and the interval is around them" + (differs(rows) ? "; estimates are what denoising made of them." : ".") : "made of the noisy components in the last columns, with 95 % intervals.") : "read off noisy values, each with its 95 % interval."}` }), el("thead", {}, el("tr", {}, ...heads)), body)),
      status, pager);
    fill();
    return box;
  }

  // A choice between values, as radio buttons.
  function choice(name, label, options, chosen, on) {
    return el("fieldset", {}, el("legend", { text: label }), ...options.flatMap(([value, text]) => {
      const id = `${name}-${value}`;
      return [el("input", { type: "radio", name, id, value, checked: value === chosen, onchange: () => on(value) }), el("label", { for: id, text: ` ${text} ` })];
    }));
  }

  const redraw = [];
  function show(q, holder, at) {
    const rows = rowsOf(q.table);
    const figure = el("div", { class: "chart" }), controls = el("div", { class: "controls" });
    const two = q.picture === "heat" || q.picture === "map";
    let value = q.picture === "map" && q.denoised ? "both" : "estimate", slice = null;
    let last = 0;
    const paint = (force) => {
      const width = Math.floor(holder.clientWidth);
      if (!force && Math.abs(width - last) < 8) return;
      last = width;
      figure.replaceChildren(rows.length ? pictures[q.picture](q, rows, Math.max(260, width), value, slice) : el("p", { text: "The table has no rows." }));
    };
    if (two && q.denoised) {
      const options = [["estimate", "estimates (denoised)"], ["noisy", "noisy values"]];
      if (q.picture === "map") options.unshift(["both", "side by side"]);
      controls.append(choice(`value-${at}`, "Show", options, value, (v) => { value = v; paint(true); }));
    }
    const other = q.picture === "map" ? q.axes.find((a) => !a.keys.includes(q.places.key)) : undefined;
    if (other) {
      const key = other.keys[0], codes = [...new Set(q.table.keys[key].codes)].sort((x, y) => x - y), id = `slice-${at}`;
      slice = { key, code: codes[0] };
      controls.append(el("label", { for: id, text: other.label }), el("select", { id, onchange: (e) => { slice = { key, code: Number(e.target.value) }; paint(true); } },
        ...codes.map((c) => el("option", { value: c, text: labelAt(q.table, other, c, 60) }))));
    }
    if (controls.children.length) holder.append(controls);
    holder.append(figure);
    holder.append(el("details", { open: rows.length <= 12 }, el("summary", { text: `Table of ${q.name}` }), tableOf(q, rows, at)));
    paint(true);
    redraw.push(paint);
  }

  document.querySelectorAll("[data-table]").forEach((holder) => {
    const at = Number(holder.dataset.table);
    show(data.tables[at], holder, at);
  });
  const curve = document.getElementById("curve");
  if (curve && data.curve.length) {
    const paint = (force) => {
      const width = Math.min(curve.clientWidth, 640);
      if (!force && curve.dataset.width === String(width)) return;
      curve.dataset.width = String(width);
      curve.replaceChildren(draw({
        width: Math.max(260, width), height: 260, marginLeft: 60, marginBottom: 40, x: { label: "epsilon" }, y: { type: "log", label: "delta", grid: true, tickFormat: (d) => d.toExponential(0), ticks: 6 },
        marks: [Plot.lineY(data.curve, { x: (d) => d[0], y: (d) => d[1], stroke: estimateColor, strokeWidth: 2 })],
      }, "The curve of delta over epsilon, whose values the table beside it lists."));
    };
    paint(true);
    redraw.push(paint);
  }
  let timer = 0;
  addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(() => redraw.forEach((f) => f(false)), 120);
  });
  let drawnDark = onDark();
  const repaint = () => {
    if (onDark() === drawnDark) return;
    drawnDark = onDark();
    redraw.forEach((f) => f(true));
  };
  darkness.addEventListener("change", repaint);
  paper.addEventListener("change", repaint);
  addEventListener("beforeprint", () => { printed = true; repaint(); });
  addEventListener("afterprint", () => { printed = false; repaint(); });
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
  document.documentElement.dataset.ready = "yes";
})();
