// The functions that a chart's option may name, and nothing else: resolve looks them up here. One for each shape of
// mark; the columns of a row are those that the report's figures give the shape.

// within cuts a stretch of pixels to the panel; null where nothing of it is left.
function within(box, from, to) {
  const left = Math.max(Math.min(from, to), box.x), right = Math.min(Math.max(from, to), box.x + box.width);
  return right > left ? [left, right] : null;
}

const dashes = { dashed: [6, 4], limit: [2, 3] };

// shape makes a function of a mark: draw gets the mark, its colour, its row, the panel and the places of values.
const shape = (draw) => (chart) => (params, api) => {
  const mark = chart.markOf(params.seriesName), row = chart.option.series[params.seriesIndex].data[params.dataIndex];
  const at = { x: (v, y = 0) => api.coord([v, y])[0], y: (v) => api.coord([chart.option.xAxis[0].min, v])[1] };
  return draw(mark, chart.tint(mark), row, params.coordSys, at, chart);
};

const functions = {
  plain: () => (value) => exact(value),
  seconds: () => (value) => exact(value) + " s",
  bytes: () => (value) => size(value),

  lineTip: (chart) => (params) => {
    const list = Array.isArray(params) ? params : [params];
    return list.length ? `<div class="tip-in">${chart.tell(Number(list[0].axisValue)).html}</div>` : "";
  },
  itemTip: (chart) => (params) => {
    const told = chart.about(params.seriesIndex, params.dataIndex);
    return told ? `<div class="tip-in">${told.html}</div>` : "";
  },

  segment: shape((mark, fill, row, box, at, chart) => {
    const [x1, x2, y1, y2] = [at.x(row[0]), at.x(row[1]), at.y(row[2]), at.y(row[3])];
    if (x1 === x2) return x1 < box.x || x1 > box.x + box.width ? null : line(x1, y1, x2, y2, { stroke: fill, lineWidth: mark.style === "line" ? 2 : 3 });
    const seen = within(box, x1, x2);
    if (!seen) return null;
    const look = { stroke: fill, lineWidth: mark.style === "ink" ? 1.5 : 2, opacity: mark.style === "faint" ? 0.35 : 0.9, lineDash: dashes[mark.style] };
    const slope = (y2 - y1) / (x2 - x1), part = [line(seen[0], y1 + slope * (seen[0] - x1), seen[1], y1 + slope * (seen[1] - x1), look)];
    if (mark.style === "ink") {
      if (seen[0] === x1) part.push(line(x1, y1 - 4, x1, y1 + 4, look));
      if (seen[1] === x2) part.push(line(x2, y2 - 4, x2, y2 + 4, look));
    }
    const middle = (x1 + x2) / 2;
    if (!mark.style && middle >= box.x && middle <= box.x + box.width) {
      part.push(symbol(chart.view.keys[mark.key], middle, (y1 + y2) / 2, Math.min(4.5, Math.max(2.2, (x2 - x1) / 2.6)), fill));
    }
    return group(part);
  }),
  point: shape((mark, fill, row, box, at, chart) => {
    const x = at.x(row[0]), y = at.y(row[1]);
    return symbol(chart.view.keys[mark.key], x, y, mark.style === "faint" ? 2.6 : 3.4, fill, { opacity: mark.style === "faint" ? 0.5 : 0.75 });
  }),
  bar: shape((mark, fill, row, box, at) => {
    const seen = within(box, at.x(row[0]), at.x(row[1]) + (row[0] === row[1] ? 2 : 0));
    if (!seen) return null;
    const top = Math.min(at.y(row[2]), at.y(row[3])), tall = Math.abs(at.y(row[2]) - at.y(row[3])), wide = seen[1] - seen[0];
    if (mark.style === "hatched") {
      const lines = [rect(seen[0], top, wide, tall, { fill: "transparent", stroke: fill, lineWidth: 1 })];
      for (let o = 6 - tall; o < wide; o += 6) {
        const from = Math.max(0, -o), to = Math.min(tall, wide - o); // up to the right, within the bar
        lines.push(line(seen[0] + o + from, top + tall - from, seen[0] + o + to, top + tall - to, { stroke: fill, lineWidth: 1 }));
      }
      return group(lines);
    }
    if (mark.style === "outline") return rect(seen[0], top, wide, tall, { fill: "transparent", stroke: fill, lineWidth: 1.5 });
    const changed = ["gain", "loss", "turn"].includes(mark.style) && row[0] < row[1]; // words stand in it
    const opacity = changed ? 0.3 : mark.style === "density" ? 0.15 + 0.85 * Math.sqrt(row[row.length - 1]) : mark.style === "faint" ? 0.5 : 1;
    const gap = mark.style === "apart" && wide > 3 ? 1 : 0;
    const seam = opacity === 1 && !gap ? 1 : 0; // pixel over the edge, or what is behind shows between neighbours
    return rect(seen[0], top, Math.max(0.6, wide - gap + seam), tall, { fill, opacity });
  }),
  band: shape((mark, fill, row, box, at) => {
    const seen = within(box, at.x(row[0]), at.x(row[1]));
    if (!seen) return null;
    const low = at.y(row[2]), high = at.y(row[3]), y = at.y(row[4]);
    return group([
      rect(seen[0], high, seen[1] - seen[0] + 0.5, low - high, { fill, opacity: 0.22 }),
      line(seen[0], y, seen[1] + 0.5, y, { stroke: fill, lineWidth: 2 }),
    ]);
  }),
  span: shape((mark, fill, row, box, at) => {
    const seen = within(box, at.x(row[0]), at.x(row[1]));
    return seen && group([rect(seen[0], box.y, seen[1] - seen[0], box.height, { fill: style("shade") })], { silent: true });
  }),
  rule: shape((mark, fill, row, box, at) => {
    const look = { stroke: fill, lineWidth: 1.3, lineDash: dashes[mark.style] || [2, 3] };
    if (row.length < 3) {
      const x = at.x(row[0]);
      return x < box.x || x > box.x + box.width ? null : group([line(x, box.y, x, box.y + box.height, look)], { silent: true });
    }
    const seen = within(box, at.x(row[0]), at.x(row[1]));
    return seen && group([line(seen[0], at.y(row[2]), seen[1], at.y(row[2]), look)], { silent: true });
  }),
  label: () => () => null, // words are placed together

  // All that is written in a panel, each where it is free: what would cover another moves up or down, and is left out
  // where there is no room; in a bare panel nothing moves. And the disks' names before their rows.
  words: shape((mark, fill, row, box, at, chart) => {
    const place = chart.view.place[chart.view.marks.indexOf(mark)], parts = [], taken = [], { bare, rows } = chart.view.panels[place], { min, max } = chart.option.yAxis[place];
    if (rows) {
      chart.view.keys.forEach((key, i) => {
        if (i < min || i > max) return;
        const y = at.y(i), room = box.x - 32;
        parts.push(symbol(key, 14, y, 5, chart.colours[i]), text(24, y, middleCut(key.label, room), {}));
      });
    }
    const wanted = [];
    chart.view.marks.forEach((m, i) => {
      const first = chart.option.series[i].data[0];
      if (!m.text || !first || chart.view.place[i] !== place || chart.hidden.has(i)) return;
      const wide = measure(m.text, m.shape === "label");
      let x = at.x(first[0]), y = at.y(first[2] ?? first[1] ?? 0), key = m.key >= 0 ? chart.view.keys[m.key] : null;
      if (m.shape === "rule") {
        const seen = first.length < 3 ? [x, x] : within(box, x, at.x(first[1]));
        if (!seen || x > box.x + box.width) return;
        y = first.length < 3 ? box.y + 9 : y + (m.style === "limit" ? -9 : 12);
        x = m.style === "limit" ? seen[1] - wide - 4 : seen[0] + 8;
      } else if (m.shape === "label") {
        x += 8;
        key = null;
      } else if (bare) {
        const seen = within(box, x, at.x(first[1]) + 2);
        if (!seen) return;
        x = seen[0] + 4;
        if (x + wide > box.x + box.width + chart.right) x = seen[0] - wide - 4;
        y = (y + at.y(first[3])) / 2;
      } else {
        x += 4;
        y -= 11;
      }
      if (x < box.x - 1 || x > box.x + box.width + 20) return; // beyond the zoom
      wanted.push({ m, x, y, wide: wide + (key ? 14 : 0), key });
    });
    wanted.sort((a, b) => a.y - b.y);
    for (const w of wanted) {
      w.x = Math.max(box.x + 2, Math.min(w.x, box.x + box.width + chart.right - 2 - w.wide));
      for (let step = 0; step < (bare ? 1 : 9); step++) {
        const y = w.y + 15 * Math.ceil(step / 2) * (step % 2 ? 1 : -1);
        const spot = [w.x - 2, y - 7, w.x + w.wide + 2, y + 7];
        if (y < box.y - 2 || y > box.y + box.height + 2 || taken.some((t) => t[0] < spot[2] && spot[0] < t[2] && t[1] < spot[3] && spot[1] < t[3])) continue;
        taken.push(spot);
        const look = w.m.style === "limit" ? { fill: style("doubt") } : w.m.shape === "label" ? { fill: chart.tint(w.m), fontWeight: 700 } : {};
        if (w.key) parts.push(symbol(w.key, w.x + 6, y, 4, chart.tint(w.m)));
        parts.push(text(w.x + (w.key ? 14 : 0), y, w.m.text, look));
        break;
      }
    }
    return group(parts, { silent: true });
  }),
};

// resolve puts colours and functions where an option names them. What people named stands in other places, and stays as
// it is.
const colourKeys = new Set(["color", "borderColor", "backgroundColor", "fillerColor"]);
const functionKeys = new Set(["formatter", "renderItem"]);
function resolve(value, chart, key) {
  if (Array.isArray(value)) return key === "data" ? value : value.map((item) => resolve(item, chart));
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, resolve(v, chart, k)]));
  if (key === "fontSize") return value * rem();
  if (typeof value !== "string") return value;
  if (colourKeys.has(key) && value.startsWith("@")) return value === "@none" ? "transparent" : style(value.slice(1));
  if (functionKeys.has(key) && Object.hasOwn(functions, value)) return functions[value](chart);
  return value;
}
