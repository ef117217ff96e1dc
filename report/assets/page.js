"use strict";
// Shows the tables of the page from the data that it holds. It makes no request, and sets texts of the data as text only.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
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
  const count = (n) => n.toLocaleString("en");
  const number = (x, none) => {
    if (x === null || x === undefined || Number.isNaN(x)) return none ?? "–";
    const a = Math.abs(x);
    if (a !== 0 && (a < 1e-4 || a >= 1e15)) return x.toPrecision(4);
    if (a >= 1000 || Number.isInteger(x)) return x.toLocaleString("en", { maximumFractionDigits: 0 });
    return x.toLocaleString("en", { maximumSignificantDigits: 4 });
  };

  // rowsOf turns the columns of a table into rows: one object a row, with the codes of its labels and its values.
  function rowsOf(t) {
    const col = Object.fromEntries(t.values.map((v) => [v.name, v.data]));
    const out = new Array(t.shown);
    for (let i = 0; i < t.shown; i++) {
      const r = { at: i };
      for (const [name, values] of Object.entries(col)) r[name] = values[i];
      r.k = t.keys.map((k) => k.codes[i]);
      out[i] = r;
    }
    return out;
  }

  // differs says whether an estimate differs from its noisy value by more than its rounding.
  const differs = (rows) => rows.some((r) => r.noisy !== undefined && Math.abs(r.noisy - r.estimate) > (r.ci95_high - r.ci95_low) / 700);
  const ascending = (a, b) => (a === b ? 0 : a === null || a === undefined ? 1 : b === null || b === undefined ? -1 : a < b ? -1 : 1);

  // varianceOf is the variance of the noise in the sum of some cells.
  function varianceOf(sums, rows) {
    if (!sums.parts) return rows.reduce((v, r) => v + (sums.variance ?? r.standard_deviation ** 2), 0) + (sums.common ?? 0) * rows.length ** 2;
    let total = 0;
    const factor = sums.sizes.map((d) => 1 / d);
    for (const part of sums.parts) {
      const own = sums.sizes.map((_, i) => part.keys.includes(i));
      let sum = 0;
      for (const a of rows) {
        for (const b of rows) {
          let x = 1;
          for (let i = 0; i < own.length; i++) x *= own[i] ? (a.k[i] === b.k[i] ? 1 : 0) - factor[i] : factor[i] * factor[i];
          sum += x;
        }
      }
      total += part.variance * sum;
    }
    return total;
  }

  // zOf is the half-width of the 95 % interval of the sum of some cells, in standard deviations.
  function zOf(sums, rows, variance) {
    let kurtosis = 0;
    if (sums.heavy) kurtosis = 3 * rows.reduce((s, r) => s + (sums.variance ?? r.standard_deviation ** 2) ** 2, 0) / variance ** 2;
    const at = sums.tails.findIndex((p) => p[0] <= kurtosis), below = sums.tails[Math.max(at, 0)], above = sums.tails[Math.max(at - 1, 0)];
    return above[0] > below[0] ? below[1] + ((kurtosis - below[0]) / (above[0] - below[0])) * (above[1] - below[1]) : below[1];
  }

  // sumText states the sum of some cells, with its interval to the digits that its error leaves.
  function sumText(sums, rows) {
    if (rows.some((r) => r.noisy === null || r.withheld)) return "not known, since it includes an empty cell";
    const sum = rows.reduce((s, r) => s + r.noisy, 0), variance = varianceOf(sums, rows), half = zOf(sums, rows, variance) * Math.sqrt(variance) + (sums.step ?? 0) / 2;
    const digits = Math.min(20, Math.max(0, 1 - Math.floor(Math.log10(Math.sqrt(variance))))), scale = 10 ** digits;
    const text = (x) => x.toLocaleString("en", { maximumFractionDigits: digits });
    return `${text(Math.round(sum * scale) / scale)} (95 % interval ${text(Math.floor((sum - half) * scale) / scale)} to ${text(Math.ceil((sum + half) * scale) / scale)})`;
  }

  // A table that sorts, filters and downloads; at most 50 rows are shown at a time.
  function tableOf(q, rows, at) {
    const t = q.table, page = 50, many = rows.length >= 10; // fewer rows need no filter
    const columns = [
      ...t.keys.map((k, i) => ({ name: k.name, get: (r) => k.labels[r.k[i]], key: (r) => (k.ordered ? r.k[i] : k.numeric ? Number(k.labels[r.k[i]]) : k.labels[r.k[i]]), text: true, numeric: k.numeric })),
      ...["noisy", "estimate", "standard_deviation", "ci95_low", "ci95_high"].filter((n) => rows.length && rows[0][n] !== undefined).map((n) => ({ name: n, get: (r) => r[n] })),
      ...t.values.filter((v) => !["noisy", "estimate", "standard_deviation", "ci95_low", "ci95_high"].includes(v.name)).map((v) => ({ name: v.name, get: (r) => r[v.name] })),
    ];
    let order = null, descending = false, text = "", start = 0;
    const picked = new Set(), most = 2000;
    const total = el("p", { role: "status" });
    const showSum = () => {
      const some = picked.size ? rows.filter((r) => picked.has(r.at)) : chosen();
      const all = !picked.size && some.length === rows.length;
      const cells = some.length === 1 ? "cell" : `${count(some.length)} cells`, which = picked.size ? `the ${cells} that you picked` : all ? `all ${cells}` : `the ${cells} that match`;
      total.textContent = !some.length || (q.sums.parts && some.length > most) ? "" : `Sum of ${which}: ${sumText(q.sums, some)}`;
    };
    const pick = (r) => el("td", { class: "pick" }, el("input", { type: "checkbox", "aria-label": `Add up ${columns.filter((c) => c.text).map((c) => c.get(r)).join(", ") || q.name}`, checked: picked.has(r.at), onchange: (e) => { if (e.target.checked) picked.add(r.at); else picked.delete(r.at); showSum(); } }));
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
        out = [...out].sort((a, b) => (descending ? ascending(f(b), f(a)) : ascending(f(a), f(b))));
      }
      return out;
    };
    const fill = () => {
      const some = chosen();
      start = Math.max(0, Math.min(start, Math.floor((some.length - 1) / page) * page));
      heads.forEach((h, i) => h.setAttribute("aria-sort", order === i ? (descending ? "descending" : "ascending") : "none"));
      body.replaceChildren(...some.slice(start, start + page).map((r) => el("tr", {},
        ...columns.map((c) => (c.text ? el("td", { class: c.numeric ? "n" : undefined }, el("bdi", { text: c.get(r) })) : el("td", { class: "n", text: number(c.get(r), c.name === "estimate" || c.name === "noisy" ? q.none : undefined) }))), ...(q.sums ? [pick(r)] : []))));
      status.textContent = some.length === 0 ? "No row matches." : `Rows ${count(start + 1)} to ${count(Math.min(start + page, some.length))} of ${count(some.length)}` +
        (t.shown < t.rows ? `; the page holds the ${count(t.shown)} largest of ${count(t.rows)} rows, the files hold all` : "");
      status.hidden = !many && t.shown === t.rows;
      pager.hidden = rows.length <= page;
      if (q.sums) showSum();
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
      el("div", { class: "controls" }, ...(many ? [
        el("label", { for: id, text: "Filter" }),
        el("input", { id, type: "search", oninput: (e) => { text = e.target.value; start = 0; fill(); } })] : []), download),
      el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `Table of ${q.name}` },
        el("table", {}, el("caption", { text: `${q.name}: ${rows.length && rows[0].noisy !== undefined ? (t.around ? "noisy values are right on average, and the interval is around them" + (differs(rows) ? "; estimates are what denoising made of them." : ".") : t.values.some((v) => v.name.startsWith("noisy_")) ? "made of the noisy components in the last columns, with 95 % intervals." : "with 95 % intervals.") : "read off noisy values, each with its 95 % interval."}` }), el("thead", {}, el("tr", {}, ...heads, ...(q.sums ? [el("th", { class: "pick", scope: "col", text: "Add up" })] : []))), body)),
      status, pager, ...(q.sums ? [total] : []));
    fill();
    return box;
  }

  document.querySelectorAll("[data-table]").forEach((holder) => {
    const at = Number(holder.dataset.table), q = data.tables[at], rows = rowsOf(q.table);
    if (!rows.length) holder.append(el("p", { text: "The table has no rows." }));
    holder.append(el("details", { open: rows.length <= 12 }, el("summary", { text: `Table of ${q.name}` }), tableOf(q, rows, at)));
  });
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
  document.documentElement.dataset.ready = "yes";
})();
