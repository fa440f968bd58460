// How things look and read: colours from the style sheet, the disks' symbols, numbers, safe text.
// The four parts of the page's script share one scope, in this order: look, draw, chart, page.

const root = document.documentElement;
const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];

const style = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim();
const rem = () => Math.max(1, parseFloat(getComputedStyle(root).fontSize) / 16); // the page's text grows on wide screens

const escape = (text) => String(text).replace(/[&<>"']/g, (c) => "&#" + c.charCodeAt(0) + ";");
const short = (x) => String(Number(Number(x).toPrecision(3)));
const rate = (x) => (Math.abs(x) >= 99.95 ? Number(x).toFixed(0) : Number(x).toPrecision(3)); // as the tables write them
const exact = (x) => String(Number(Number(x).toPrecision(6)));
const size = (bytes) => {
  const steps = ["B", "KB", "MB", "GB", "TB"];
  let step = 0;
  for (; Math.abs(bytes) >= 999.5 && step < steps.length - 1; step++) bytes /= 1000;
  return short(bytes) + " " + steps[step];
};

// write gives a value of an axis in the axis' unit.
const write = (unit, x) => ({ s: () => exact(x) + " s", B: () => size(x), ns: () => took(x) })[unit]?.() ?? rate(x);
const took = (ns) => (ns < 1e3 ? short(ns) + " ns" : ns < 1e6 ? short(ns / 1e3) + " µs" : ns < 1e9 ? short(ns / 1e6) + " ms" : short(ns / 1e9) + " s");

// extras are what a row says beyond its place: "size 1.2 GB, number 4".
const extras = (mark, row, from) => (mark.extra || []).map((e, i) => e.name + " " + (e.unit ? write(e.unit, row[from + i]) : exact(row[from + i]))).join(", ");

// The width of words in a chart, and words cut in their middle to a width.
const ruler = document.createElement("canvas").getContext("2d");
const measure = (words, bold) => {
  ruler.font = (bold ? "700 " : "") + 12 * rem() + "px system-ui, sans-serif";
  return ruler.measureText(words).width;
};
const middleCut = (words, room) => {
  const letters = [...words];
  let cut = words;
  for (let keep = letters.length - 1; keep > 2 && measure(cut) > room; keep--) {
    cut = letters.slice(0, Math.ceil(keep / 2)).join("") + "…" + letters.slice(letters.length - Math.floor(keep / 2)).join("");
  }
  return cut;
};

// The outlines of the symbols, as the page's own marks have them; none is a circle.
const shapes = $$(".defs g").map((shape) => {
  const points = shape.firstElementChild.getAttribute("points");
  return points && points.split(" ").map((pair) => pair.split(",").map(Number));
});
const colourOf = (key) => style("c" + (key.index % 8));
const shapeOf = (disk) => (disk.index + Math.floor(disk.index / 8)) % shapes.length;

const symbol = (disk, x, y, radius, fill, more) => {
  const points = shapes[shapeOf(disk)];
  return points
    ? { type: "polygon", shape: { points: points.map((p) => [x + (p[0] * radius) / 9, y + (p[1] * radius) / 9]) }, style: { fill, ...more } }
    : { type: "circle", shape: { cx: x, cy: y, r: radius * 0.92 }, style: { fill, ...more } };
};

const mark = (disk) =>
  `<svg class="mark c${disk.index % 8}" viewBox="-10 -10 20 20"><use href="#shape-${shapeOf(disk)}"/></svg>`;

const nameOf = (disk) => `<span class="name">${mark(disk)}<bdi title="${escape(disk.name)}">${escape(disk.label)}</bdi></span>`;

const text = (x, y, words, more) => ({
  type: "text",
  silent: true,
  style: {
    x, y, text: String(words).replace(/\s+/g, " "), fill: style("ink"), fontSize: 12 * rem(), fontFamily: "system-ui, sans-serif",
    textVerticalAlign: "middle", stroke: style("bg"), lineWidth: 3, ...more,
  },
});

const rect = (x, y, width, height, more) => ({ type: "rect", shape: { x, y, width, height }, style: more });
const line = (x1, y1, x2, y2, more) => ({ type: "line", shape: { x1, y1, x2, y2 }, style: more });
const group = (children, more) => ({ type: "group", children, ...more });
