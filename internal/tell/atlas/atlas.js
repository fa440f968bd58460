"use strict";
const atlas = JSON.parse(document.getElementById("hubbench-atlas").textContent);
const form = document.getElementById("filters"), body = document.querySelector("#cells tbody");
const day = (unix) => new Date(unix * 1000).toISOString().slice(0, 10);
const disk = (cell) => cell.model || cell.disk;
const mega = (rate) => (rate / 1e6).toLocaleString("en", { maximumFractionDigits: rate < 1e8 ? 1 : 0 });

function choices(name, texts) {
  const select = form.elements[name], all = [...new Set(texts)].sort();
  select.append(new Option("all", ""), ...all.filter((text) => text).map((text) => new Option(text, text)));
}
choices("hub", atlas.cells.map((cell) => cell.hub));
choices("disk", atlas.cells.map(disk));
choices("firmware", atlas.firmware);

// The two-sided 95 % quantile of Student's t (Cornish and Fisher's expansion; exact for 1 and 2).
function student(free) {
  if (free === 1) return 12.7062;
  if (free === 2) return 4.30265;
  const z = 1.959964, z3 = z ** 3, z5 = z ** 5, z7 = z ** 7;
  return z + (z3 + z) / (4 * free) + (5 * z5 + 16 * z3 + 3 * z) / (96 * free ** 2) + (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * free ** 3);
}

// The mean of runs that each have an error of their own and vary besides, and half its interval. The variance between runs is the
// value at which the weighted sum of squares equals its expectation, n - 1 (Paule and Mandel): a single run with a far narrower
// interval than the others cannot dominate it.
function pool(points) {
  const n = points.length, known = points.filter((p) => p[2] > 0);
  if (n === 1) return { mean: points[0][1], half: points[0][2] };
  const typical = known.length ? known.reduce((sum, p) => sum + (p[2] / 1.96) ** 2, 0) / known.length : 0;
  const own = points.map((p) => (p[2] > 0 ? (p[2] / 1.96) ** 2 : typical));
  const at = (between) => {
    const weights = own.map((v) => (typical > 0 ? 1 / (v + between) : 1)), total = weights.reduce((a, b) => a + b, 0);
    const mean = points.reduce((sum, p, i) => sum + weights[i] * p[1], 0) / total;
    return { mean, total, squares: points.reduce((sum, p, i) => sum + weights[i] * (p[1] - mean) ** 2, 0) };
  };
  let low = 0, high = (Math.max(...points.map((p) => p[1])) - Math.min(...points.map((p) => p[1]))) ** 2;
  if (typical > 0 && at(0).squares > n - 1) {
    for (let step = 0; step < 50; step++) {
      const middle = (low + high) / 2;
      if (at(middle).squares > n - 1) low = middle;
      else high = middle;
    }
  }
  const { mean, total, squares } = at(low);
  return { mean, half: student(n - 1) * Math.sqrt(squares / ((n - 1) * total)) };
}

function element(name, attributes, ...children) {
  const made = name === "svg" || name.startsWith("svg:") ? document.createElementNS("http://www.w3.org/2000/svg", name.replace("svg:", "")) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// A picture of a cell's rates over time: from zero, changes dashed. In the large one each run is a link to its report.
function picture(cell, points, width, height, large) {
  const left = large ? 56 : 2, foot = large ? 22 : 2;
  const first = points[0][0], last = points[points.length - 1][0], top = Math.max(1, ...points.map((p) => p[1] + p[2])) * 1.05; // of a disk that stood still, all are 0
  const x = (at) => left + ((width - left - 6) * (at - first)) / Math.max(1, last - first);
  const y = (rate) => (height - foot) * (1 - rate / top) + 2;
  const svg = element("svg", { width, height, role: "img", "aria-label": `${points.length} rates from ${day(first)} to ${day(last)}` });
  for (const change of cell.changes) {
    if (change.at < first || change.at > last) continue;
    svg.append(element("svg:line", { class: "change", x1: x(change.at), x2: x(change.at), y1: 0, y2: height - foot }));
  }
  svg.append(element("svg:path", { class: "rate", d: points.map((p, i) => (i ? "L" : "M") + x(p[0]).toFixed(1) + "," + y(p[1]).toFixed(1)).join("") }));
  if (!large) return svg;
  svg.append(element("svg:line", { class: "axis", x1: left, x2: width, y1: height - foot, y2: height - foot }));
  const power = 10 ** Math.floor(Math.log10(top / 4)), step = power * [1, 2, 5, 10].find((v) => v * power >= top / 4);
  for (let rate = step; rate <= top; rate += step) svg.append(element("svg:text", { x: 0, y: y(rate) + 4 }, mega(rate)));
  svg.append(element("svg:text", { x: 0, y: height - 4 }, "MB/s"), element("svg:text", { x: left, y: height - 4 }, day(first)), element("svg:text", { x: width - 80, y: height - 4 }, day(last)));
  for (const p of points) {
    const run = atlas.runs[p[4]];
    if (p[2] > 0) svg.append(element("svg:line", { class: "bar", x1: x(p[0]), x2: x(p[0]), y1: y(p[1] - p[2]), y2: y(p[1] + p[2]) }));
    const dot = element("svg:circle", { class: "dot", cx: x(p[0]), cy: y(p[1]), r: 3 }, element("svg:title", {}, `${day(p[0])}, ${run.host}: ${mega(p[1])} MB/s, ${run.id}, firmware ${atlas.firmware[p[5]] || "unknown"}`));
    svg.append(run.link ? element("svg:a", { href: run.link }, dot) : dot);
  }
  return svg;
}

function open(cell, points, row) {
  for (const other of body.rows) other.setAttribute("aria-selected", String(other === row));
  const section = document.getElementById("history");
  section.hidden = false;
  const list = element("ul", {});
  for (const change of cell.changes) {
    list.append(element("li", { class: change.share < 0 ? "lower" : "higher" }, `${day(change.at)}: ${Math.abs(100 * change.share).toFixed(1)} % ${change.share < 0 ? "lower" : "higher"}`));
  }
  section.replaceChildren(element("h2", {}, `${disk(cell)} ${cell.op === "read" ? "reads" : "writes"} in ${cell.pattern} on ${cell.hub || "an unknown hub"}`), element("p", {}, cell.work), picture(cell, points, Math.min(1100, document.body.clientWidth - 20), 240, true), list);
}

function show() {
  const { hub, disk: wanted, firmware, from, to } = Object.fromEntries(new FormData(form));
  const after = from ? Date.parse(from) / 1000 : -Infinity, before = to ? Date.parse(to) / 1000 + 86400 : Infinity;
  const rows = [], runs = new Set();
  for (const cell of atlas.cells) {
    if ((hub && cell.hub !== hub) || (wanted && disk(cell) !== wanted)) continue;
    const points = cell.points.filter((p) => p[0] >= after && p[0] < before && (!firmware || atlas.firmware[p[5]] === firmware));
    if (!points.length) continue;
    for (const p of points) runs.add(p[4]);
    const { mean, half } = pool(points), kept = points.map((p) => p[3]).filter((v) => v >= 0);
    const text = (value, name = "") => element("td", { class: name }, value);
    const changes = cell.changes.filter((c) => c.at >= after && c.at < before).map((c) => `${day(c.at)} ${c.share < 0 ? "−" : "+"}${Math.abs(100 * c.share).toFixed(1)} %`);
    const row = element("tr", { tabindex: 0 }, text(cell.hub), element("th", { scope: "row" }, disk(cell)), text([...new Set(points.map((p) => atlas.firmware[p[5]]))].join(", ")), text(cell.pattern), text(cell.op), element("td", { class: "work", title: cell.work }, cell.work),
      text(String(new Set(points.map((p) => p[4])).size), "num"), text(mega(mean), "num mean"), text(half > 0 ? `${mega(mean - half)} to ${mega(mean + half)}` : "", "num"),
      text(kept.length ? Math.round((100 * kept.reduce((a, b) => a + b, 0)) / kept.length) + " %" : "", "num"),
      element("td", {}, picture(cell, points, 120, 28, false)), text(changes.slice(-2).join(", "), changes.length && cell.changes[cell.changes.length - 1].share < 0 ? "changes lower" : "changes higher"));
    row.dataset.mean = mean;
    row.dataset.half = half;
    row.addEventListener("click", () => open(cell, points, row));
    row.addEventListener("keydown", (event) => event.key === "Enter" && open(cell, points, row));
    rows.push(row);
  }
  body.replaceChildren(...rows);
  document.getElementById("said").textContent = `${rows.length} combinations of hub, disk and work in ${runs.size.toLocaleString("en")} runs. Click a row for its history.`;
}
form.addEventListener("input", show);
show();
document.documentElement.dataset.painted = Math.round(performance.now()); // milliseconds since the page was opened
