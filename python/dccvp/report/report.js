"use strict";
// Draws charts, and handles hover values, zoom and the choice of light or dark colours. The page itself has the tables.
(() => {
  const root = document.documentElement;
  const data = JSON.parse(document.getElementById("data").textContent);
  const tip = document.getElementById("tip");
  const showAll = document.getElementById("all");
  const charts = [];  // {figure, plot, chart}
  let zoomed = null;  // [from, to] in seconds, or null

  const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const faded = (hex, alpha) => hex + Math.round(alpha * 255).toString(16).padStart(2, "0");
  const escaped = (text) => text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);
  const digits = (value) => value === null || value === undefined ? "–"
    : Math.abs(value) >= 1000 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(2) : value.toPrecision(3);

  const longest = Math.max(0, ...data.runs.flatMap((run) =>
    Object.values(run.charts).map((c) => c.x[c.x.length - 1])));
  const time = longest >= 2 ? ["s", 1] : longest >= 2e-3 ? ["ms", 1e3] : ["µs", 1e6];

  function greatest(chart) {
    let top = 0;
    for (const line of chart.lines) {
      for (const values of [line.y, ...(line.range || [])]) {
        for (const v of values) if (v > top) top = v;
      }
    }
    return top;
  }
  // All runs have one scale, so that charts side by side can be compared.
  const tops = {};
  for (const run of data.runs) {
    for (const [name, chart] of Object.entries(run.charts)) {
      tops[name] = Math.max(tops[name] || 0, greatest(chart));
    }
  }

  function drawWindow(run) {
    return (u) => {
      const [from, to] = run.window.map((t) => u.valToPos(t * time[1], "x", true));
      const left = Math.max(from, u.bbox.left);
      const right = Math.min(to, u.bbox.left + u.bbox.width);
      if (right <= left) return;
      u.ctx.fillStyle = colour("--window");
      u.ctx.fillRect(left, u.bbox.top, right - left, u.bbox.height);
    };
  }

  function drawMarks(marks, unitScale) {
    return (u) => {
      const ctx = u.ctx;
      const pixels = devicePixelRatio || 1;
      ctx.save();
      ctx.strokeStyle = ctx.fillStyle = colour("--pale");
      ctx.lineWidth = pixels;
      ctx.setLineDash([5 * pixels, 4 * pixels]);
      ctx.font = `${11 * pixels}px system-ui, sans-serif`;
      ctx.textAlign = "right";
      for (const [label, bytes] of marks) {
        const y = u.valToPos(bytes * unitScale, "y", true);
        if (!(y >= u.bbox.top && y <= u.bbox.top + u.bbox.height)) continue;
        ctx.beginPath();
        ctx.moveTo(u.bbox.left, y);
        ctx.lineTo(u.bbox.left + u.bbox.width, y);
        ctx.stroke();
        const right = u.bbox.left + u.bbox.width - 5 * pixels;
        const width = ctx.measureText(label).width;
        ctx.fillStyle = colour("--ground");
        ctx.fillRect(right - width - 4 * pixels, y - 8 * pixels, width + 8 * pixels, 16 * pixels);
        ctx.fillStyle = colour("--pale");
        ctx.fillText(label, right, y + 4 * pixels);
      }
      ctx.restore();
    };
  }

  function showTip(u, lines, unit) {
    const index = u.cursor.idx;
    if (index === null || index === undefined || u.cursor.left < 0 || !u.over.matches(":hover")) {
      if (u.over.dataset.tipped) tip.hidden = true;
      delete u.over.dataset.tipped;
      return;
    }
    u.over.dataset.tipped = "1";
    const rows = lines.filter((l) => u.series[l.at].show)
      .map((l) => ({ ...l, v: u.data[l.at][index] }))
      .filter((l) => l.v !== null && l.v !== undefined).sort((a, b) => b.v - a.v);
    const shown = rows.slice(0, 12).map((l) =>
      `<tr><td><span class="swatch" style="background:${l.colour}"></span></td><td>${escaped(l.label)}</td>` +
      `<td class="r">${digits(l.v)} ${unit}</td></tr>`).join("");
    tip.innerHTML = `<b>${digits(u.data[0][index])} ${time[0]}</b><table>${shown}</table>`;
    tip.hidden = false;
    const box = u.over.getBoundingClientRect();
    const x = box.left + u.cursor.left;
    const width = tip.offsetWidth;
    tip.style.left = `${x + width + 24 > innerWidth ? x - width - 14 : x + 14}px`;
    tip.style.top = `${Math.min(box.top + u.cursor.top, innerHeight - tip.offsetHeight - 8)}px`;
  }

  let setting = false;
  function zoomAll(from, to) {
    if (setting) return;
    setting = true;
    zoomed = from === null ? null : [from, to];
    showAll.hidden = zoomed === null;
    for (const c of charts) {
      const x = c.plot.data[0];
      c.plot.setScale("x", zoomed ? { min: zoomed[0], max: zoomed[1] } : { min: 0, max: x[x.length - 1] });
    }
    setting = false;
  }

  function build(entry) {
    const { figure } = entry;
    const run = data.runs[figure.dataset.run];
    const name = figure.dataset.chart;
    const chart = run.charts[name];
    let unit = name === "alpha" ? "" : figure.dataset.unit;
    let scale = 1;
    if (name === "queue") [unit, scale] = tops.queue >= 2e6 ? ["MB", 1e-6] : ["KB", 1e-3];
    const scaled = (values) => scale === 1 ? values : values.map((v) => v === null ? null : v * scale);
    const columns = [chart.x.map((t) => t * time[1])];
    const series = [{}];
    const bands = [];
    const lines = [];
    for (const line of chart.lines) {
      const stroke = colour(`--series-${line.colour % 8}`);
      const own = [];
      for (const [pair, alpha] of [[line.range, 0.12], [line.band, 0.25]]) {
        if (!pair) continue;
        const at = columns.length;
        for (const values of pair) {
          columns.push(scaled(values));
          series.push({ stroke: "transparent", width: 0, points: { show: false } });
        }
        bands.push({ series: [at, at + 1], fill: faded(stroke, alpha) });
        own.push(at, at + 1);
      }
      lines.push({ at: columns.length, label: line.label, colour: stroke, own });
      columns.push(scaled(line.y));
      series.push({ label: line.label, stroke, width: chart.lines.length > 6 ? 1.1 : 1.6, points: { show: false } });
    }
    const marks = (figure.dataset.marks || "").split(",").filter(Boolean)
      .map((m) => m.split("=")).map(([label, bytes]) => [label, Number(bytes)]);
    const top = (tops[name] || 1) * scale * 1.06;
    const axis = { stroke: colour("--pale"), grid: { stroke: colour("--grid"), width: 1 }, ticks: { stroke: colour("--grid"), width: 1 }, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif", labelSize: 18, values: (u, ticks) => ticks.map((v) => v === null ? "" : Number.isInteger(v) ? String(v).replace(/\B(?=(\d{3})+$)/g, "\u202f") : String(+v.toPrecision(6))) };
    const holder = figure.querySelector(".plot");
    if (entry.plot) entry.plot.destroy();
    const last = columns[0][columns[0].length - 1];
    entry.plot = new uPlot({
      width: holder.clientWidth, height: 280, series, bands, legend: { show: false },
      scales: { x: { time: false, min: 0, max: last, range: (u, min, max) => [min, max] }, y: { range: () => [0, top] } },
      axes: [
        { ...axis, label: `simulated time (${time[0]})`, size: 34 },
        { ...axis, label: unit || "α", size: 54 }],
      cursor: { sync: { key: "time", scales: ["x", null] }, drag: { x: true, y: false, setScale: false }, points: { size: 6 } },
      hooks: {
        drawClear: [drawWindow(run)],
        draw: name === "queue" ? [drawMarks(marks, scale)] : [],
        setCursor: [(u) => showTip(u, lines, unit)],
        setSelect: [(u) => {
          if (u.select.width < 4 || setting) return;
          const from = u.posToVal(u.select.left, "x");
          const to = u.posToVal(u.select.left + u.select.width, "x");
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          zoomAll(Math.max(0, from), to);
        }],
        ready: [(u) => u.over.addEventListener("dblclick", () => zoomAll(null, null))],
      },
    }, columns, holder);
    if (zoomed) entry.plot.setScale("x", { min: zoomed[0], max: zoomed[1] });
    legend(entry, lines);
  }

  function legend(entry, lines) {
    const place = entry.figure.querySelector(".legend");
    place.replaceChildren(...lines.map((line) => {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", "true");
      const key = document.createElement("i");
      key.style.background = line.colour;
      button.append(key, line.label);
      button.addEventListener("click", () => {
        const show = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", show);
        for (const at of [line.at, ...line.own]) entry.plot.setSeries(at, { show });
      });
      return button;
    }));
  }

  for (const figure of document.querySelectorAll("figure.chart")) {
    const entry = { figure, plot: null };
    charts.push(entry);
    build(entry);
    for (const button of figure.querySelectorAll("[data-show]")) {
      button.addEventListener("click", () => {
        // Shows the same quantity in the charts of all runs, which also have one scale.
        for (const other of charts) {
          const twin = other.figure.querySelector(`[data-show="${button.dataset.show}"]`);
          if (!twin) continue;
          for (const b of other.figure.querySelectorAll("[data-show]")) b.setAttribute("aria-pressed", b === twin);
          other.figure.dataset.chart = button.dataset.show;
          build(other);
        }
      });
    }
  }
  showAll.addEventListener("click", () => zoomAll(null, null));
  addEventListener("keydown", (event) => { if (event.key === "Escape") zoomAll(null, null); });

  let waiting = 0;
  new ResizeObserver(() => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => {
      for (const c of charts) {
        const width = c.figure.querySelector(".plot").clientWidth;
        if (width > 0 && width !== c.plot.width) c.plot.setSize({ width, height: 280 });
      }
    });
  }).observe(document.querySelector("main"));

  const themeButton = document.getElementById("theme");
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches;
  function retheme() {
    themeButton.textContent = isDark() ? "Light" : "Dark";
    for (const c of charts) build(c);
  }
  themeButton.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    retheme();
  });
  prefersDark.addEventListener("change", retheme);
  themeButton.textContent = isDark() ? "Light" : "Dark";
  root.dataset.ready = "true";
})();
