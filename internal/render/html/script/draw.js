// The functions that a chart's option may name, and nothing else: resolve looks them up here.
// Those that draw get one row of a series; which column is what stands with each.

// within cuts a stretch of pixels to the panel; null where nothing of it is left.
function within(box, from, to) {
  const left = Math.max(Math.min(from, to), box.x), right = Math.min(Math.max(from, to), box.x + box.width);
  return right > left ? [left, right] : null;
}

const functions = {
  plain: () => (value) => exact(value),
  seconds: () => (value) => exact(value) + " s",
  bytes: () => (value) => size(value),

  timeTip: (chart) => (params) => {
    const list = Array.isArray(params) ? params : [params];
    return list.length ? `<div class="tip-in">${chart.tell(Number(list[0].axisValue)).html}</div>` : "";
  },

  itemTip: (chart) => (params) => {
    const told = chart.about(params.seriesName, params.seriesIndex, params.dataIndex);
    return told ? `<div class="tip-in">${told.html}</div>` : "";
  },

  // A file: a line from its start to its end, the disk's symbol in its middle. from, to, rate, bytes, number, whether filler
  segment: (chart) => (params, api) => {
    const disk = chart.disk(params.seriesName), box = params.coordSys;
    const [x1, y] = api.coord([api.value(0), api.value(2)]);
    const x2 = api.coord([api.value(1), api.value(2)])[0];
    const seen = within(box, x1, x2);
    if (!seen) return null;
    const fill = chart.colour(disk), middle = (x1 + x2) / 2;
    const filler = chart.option.series[params.seriesIndex].data[params.dataIndex][5];
    const children = [line(seen[0], y, seen[1], y, { stroke: fill, lineWidth: 2, opacity: filler ? 0.35 : 0.85 })];
    if (filler) return group(children); // no part of the disk's work
    if (middle >= box.x && middle <= box.x + box.width) {
      children.push(symbol(disk, middle, y, Math.min(4.5, Math.max(2.2, (x2 - x1) / 2.6)), fill));
    }
    return group(children);
  },

  // Many files: their mean, and a band of the middle nine tenths. from, to, mean, 5th, 95th percentile
  band: (chart) => (params, api) => {
    const fill = chart.colour(chart.disk(params.seriesName));
    const [x1, y] = api.coord([api.value(0), api.value(2)]);
    const [x2, low] = api.coord([api.value(1), api.value(3)]);
    const high = api.coord([0, api.value(4)])[1];
    const seen = within(params.coordSys, x1, x2);
    if (!seen) return null;
    return group([
      rect(seen[0], high, seen[1] - seen[0] + 0.5, low - high, { fill, opacity: 0.22 }),
      line(seen[0], y, seen[1] + 0.5, y, { stroke: fill, lineWidth: 2 }),
    ]);
  },

  // A stretch with a file in transfer: a block in its disk's row. from, to, row
  busy: (chart) => (params, api) => {
    const [x1, y] = api.coord([api.value(0), api.value(2)]);
    const x2 = api.coord([api.value(1), api.value(2)])[0];
    const seen = within(params.coordSys, x1, x2);
    if (!seen) return null;
    const tall = Math.abs(api.size([0, 1])[1]) * 0.62, wide = seen[1] - seen[0];
    return rect(seen[0], y - tall / 2, Math.max(0.6, wide > 3 ? wide - 1 : wide * 0.8), tall, { fill: chart.colour(chart.disk(params.seriesName)) });
  },

  // A disk's name before its row. nothing, row
  row: (chart) => (params, api) => {
    const disk = chart.view.disks[api.value(1)], y = api.coord([0, api.value(1)])[1];
    return group([
      symbol(disk, 14, y, 5, chart.colour(disk)),
      text(24, y, disk.name, { width: params.coordSys.x - 32, overflow: "truncate", ellipsis: "…" }),
    ], { silent: true });
  },

  // The disks' names where their last files end: all in one go, so that none covers another. time, rate, disk
  ends: (chart) => (params, api) => {
    if (params.dataIndex > 0) return null;
    const box = params.coordSys;
    const labels = chart.rows("ends").map(([time, rate, i]) => {
      const [x, y] = api.coord([time, rate]);
      const room = box.x + box.width - x, inside = room < 70; // no room after its end: above it
      return { disk: chart.view.disks[i], hidden: chart.hidden.has("disk" + i), inside, room, x: x + (inside ? 0 : 8), y: y - (inside ? 16 : 0) };
    }).filter((label) => !label.hidden && label.x >= box.x && label.room >= -1);
    labels.sort((a, b) => a.y - b.y);
    const placed = [];
    for (const label of labels) {
      for (let tries = 0; tries < 3; tries++, label.y -= 14) {
        if (placed.some((other) => Math.abs(other.y - label.y) < 14 && Math.abs(other.x - label.x) < 60)) continue;
        placed.push(label);
        break;
      }
    }
    return group(placed.map((label) => text(label.x, label.y, label.disk.name, {
      fill: chart.colour(label.disk), fontWeight: 700, fontSize: 13 * rem(), textAlign: label.inside ? "right" : "left",
      width: 120, overflow: "truncate", ellipsis: "…",
    })), { silent: true });
  },

  // The overlap window, as high as its panel. from, to, whether it carries the label
  shade: (chart) => (params, api) => {
    const box = params.coordSys;
    const seen = within(box, api.coord([api.value(0), 0])[0], api.coord([api.value(1), 0])[0]);
    if (!seen) return null;
    const children = [rect(seen[0], box.y, seen[1] - seen[0], box.height, { fill: style("shade") })];
    if (api.value(2)) {
      children.push(text((seen[0] + seen[1]) / 2, box.y + 9, chart.view.window, {
        fill: style("muted"), textAlign: "center", width: seen[1] - seen[0] - 8, overflow: "truncate", stroke: null,
      }));
    }
    return group(children, { silent: true });
  },

  // The overlap's rate across its window. from, to, rate
  mean: (chart) => (params, api) => {
    const [x1, y] = api.coord([api.value(0), api.value(2)]);
    const seen = within(params.coordSys, x1, api.coord([api.value(1), 0])[0]);
    if (!seen) return null;
    return group([
      line(seen[0], y, seen[1], y, { stroke: style("ink"), lineWidth: 1.2, lineDash: [5, 4] }),
      text(seen[0] + 8, y + 13, rate(api.value(2)) + " " + chart.view.unit + " " + chart.view.mean, { fontWeight: 600 }),
    ], { silent: true });
  },

  // The disks' common limit, right across. from, to, rate
  limit: (chart) => (params, api) => {
    const box = params.coordSys, y = api.coord([0, api.value(2)])[1];
    return group([
      line(box.x, y, box.x + box.width, y, { stroke: style("doubt"), lineWidth: 1, lineDash: [2, 3] }),
      box.width > 500 && text(box.x + box.width, y - 8, chart.view.limit + ": " + rate(api.value(2)), { textAlign: "right", fill: style("doubt"), fontSize: 11 * rem() }),
    ].filter(Boolean), { silent: true });
  },

  // How long a disk took to recover: a bracket from the winner's end to the new level. from, to, rate, disk, place in its group, seconds
  bracket: (chart) => (params, api) => {
    const box = params.coordSys, disk = chart.view.disks[api.value(3)], fill = chart.colour(disk);
    const [x1, level] = api.coord([api.value(0), api.value(2)]);
    const seen = within(box, x1, api.coord([api.value(1), 0])[0]);
    if (!seen) return null;
    const [left, right] = seen, y = level + (api.value(4) - 0.5) * 22;
    return group([
      {
        type: "polyline",
        shape: { points: [[left, y - 4], [left, y + 4], [left, y], [right, y], [right, y - 4], [right, y + 4]] },
        style: { stroke: fill, lineWidth: 1.3, fill: "none" },
      },
      symbol(disk, left + 10, y - 9, 3.6, fill),
      text(left + 18, y - 8, short(api.value(5)) + (box.width > 500 ? " s to recover" : " s")),
    ], { silent: true });
  },

  // In the overlap against alone. shared, row, alone or -1, low, high
  pair: (chart) => (params, api) => {
    const box = params.coordSys, disk = chart.disk(params.seriesName), fill = chart.colour(disk);
    const [x, y] = api.coord([api.value(0), api.value(1)]);
    const tall = Math.abs(api.size([0, 1])[1]) * 0.5, children = [];
    let end = x;
    if (api.value(2) >= 0) {
      const alone = api.coord([api.value(2), 0])[0];
      end = Math.max(end, alone);
      children.push(rect(box.x, y - tall / 2, alone - box.x, tall, { fill: style("sunken"), stroke: fill, lineWidth: 1.4 }));
    }
    children.push(rect(box.x, y - tall / 2, x - box.x, tall, { fill }));
    if (api.value(3) >= 0) {
      const low = api.coord([api.value(3), 0])[0], high = api.coord([api.value(4), 0])[0];
      children.push(line(low, y, high, y, { stroke: style("ink"), lineWidth: 1.5 }));
    }
    const words = rate(api.value(0)) + (api.value(2) >= 0 ? " of " + rate(api.value(2)) : "");
    children.push(end - box.x > box.width - 80 ? text(Math.max(x, box.x + 60) - 6, y, words, { textAlign: "right", fontWeight: 600 })
      : text(end + 8, y, words, { fontWeight: 600 }));
    return group(children);
  },

  // A file among its disk's. rate, row, bytes, number
  strip: (chart) => (params, api) => {
    const disk = chart.disk(params.seriesName);
    const [x, y] = api.coord([api.value(0), api.value(1)]);
    // Spread over the row's height in an order that repeats only after many files: multiples of the golden ratio.
    const shift = ((api.value(3) * 0.618034) % 1) - 0.5;
    return symbol(disk, x, y + shift * Math.abs(api.size([0, 1])[1]) * 0.55, 2.6, chart.colour(disk), { opacity: 0.5 });
  },

  // Files of about one speed. from, row, to, count, share of the highest
  bin: (chart) => (params, api) => {
    const [x1, y] = api.coord([api.value(0), api.value(1)]);
    const x2 = api.coord([api.value(2), 0])[0], tall = Math.abs(api.size([0, 1])[1]) * 0.8 * api.value(4);
    return rect(x1, y - tall / 2, x2 - x1 + 0.3, tall, { fill: chart.colour(chart.disk(params.seriesName)), opacity: 0.5 });
  },

  // The middle nine tenths, the median, the mean. 5th percentile, row, 95th, median, mean
  box: (chart) => (params, api) => {
    const ink = style("ink"), [x1, y] = api.coord([api.value(0), api.value(1)]);
    const at = (column) => api.coord([api.value(column), 0])[0];
    const half = Math.abs(api.size([0, 1])[1]) * 0.3;
    return group([
      line(x1, y, at(2), y, { stroke: ink, lineWidth: 1.5 }),
      line(x1, y - 4, x1, y + 4, { stroke: ink, lineWidth: 1.5 }),
      line(at(2), y - 4, at(2), y + 4, { stroke: ink, lineWidth: 1.5 }),
      line(at(3), y - half, at(3), y + half, { stroke: ink, lineWidth: 3 }),
      { type: "circle", shape: { cx: at(4), cy: y, r: 4 }, style: { fill: style("bg"), stroke: ink, lineWidth: 1.5 } },
    ]);
  },

  // A file by its size. bytes, rate, number
  dot: (chart) => (params, api) => {
    const disk = chart.disk(params.seriesName), [x, y] = api.coord([api.value(0), api.value(1)]);
    return symbol(disk, x, y, 3.4, chart.colour(disk), { opacity: 0.75 });
  },

  // Files of about one size and speed. from, to, rates from, to, count, share of the most
  cell: (chart) => (params, api) => {
    const [x1, y1] = api.coord([api.value(0), api.value(2)]), [x2, y2] = api.coord([api.value(1), api.value(3)]);
    return rect(x1, y2, x2 - x1, y1 - y2, { fill: chart.colour(chart.disk(params.seriesName)), opacity: 0.15 + 0.85 * Math.sqrt(api.value(5)) });
  },

  // A stretch of a regression line: whole for least squares, dashed for Theil and Sen's. from, to, rates, disk, which
  line: (chart) => (params, api) => {
    const [x1, y1] = api.coord([api.value(0), api.value(2)]), [x2, y2] = api.coord([api.value(1), api.value(3)]);
    return line(x1, y1, x2, y2, { stroke: chart.colour(chart.view.disks[api.value(4)]), lineWidth: 1.8, lineDash: api.value(5) ? [6, 4] : null });
  },

  // Where a disk's speed changes for good. place, rate before, disk
  knee: (chart) => (params, api) => {
    const box = params.coordSys, disk = chart.view.disks[api.value(2)], x = api.coord([api.value(0), 0])[0];
    const right = x < box.x + box.width - 110;
    return group([
      line(x, box.y, x, box.y + box.height, { stroke: chart.colour(disk), lineWidth: 1.5, lineDash: [2, 3] }),
      symbol(disk, x + (right ? 10 : -10), box.y + 9, 4, chart.colour(disk)),
      text(x + (right ? 18 : -18), box.y + 9, "changes at " + size(api.value(0)), { textAlign: right ? "left" : "right" }),
    ], { silent: true });
  },
};

// resolve puts colours and functions where an option names them. What people named stands in other places,
// and stays as it is.
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
