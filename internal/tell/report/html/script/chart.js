// ECharts draws each chart when it comes into view. An option names colours of the style sheet and the functions below,
// and nothing else; words that people chose are escaped before they become markup.

// A colour of the style sheet as the library takes it; light-dark() is resolved only where it is used.
const style = (name) => {
  probe.style.color = "var(--" + name + ")";
  return getComputedStyle(probe).color;
};
const escape = (text) => String(text).replace(/[&<>"']/g, (c) => "&#" + c.charCodeAt(0) + ";");
const exact = (x) => String(Number(Number(x).toPrecision(6)));
const size = (bytes) => {
  const step = Math.max(0, Math.floor(Math.log10(bytes || 1) / 3 + 1e-4));
  return Number((bytes / 1000 ** step).toPrecision(3)) + " " + ["B", "KB", "MB", "GB", "TB", "PB"][step];
};
const write = ({ unit, name }, x) => (unit === "s" ? exact(x) + " s" : unit === "B" ? size(x) : (Math.abs(x) < 99.95 ? x.toPrecision(3) : x.toFixed(0)) + " " + (name.split(", ")[1] || ""));

const functions = {
  plain: () => exact,
  seconds: () => (x) => exact(x) + " s",
  bytes: () => size,
  key: ({ view }) => (name) => view.keys[name.slice(1)].label,
  row: ({ view }) => (row) => view.rows[row] || "",
  text: ({ view }) => (point) => (point.dataIndex ? "" : view.texts[point.seriesIndex - view.series.length]),
  tip: (chart) => (at) => (at.length ? chart.tell(at[0].axisValue) : chart.tell(at.seriesIndex, at.dataIndex)),
  file: ({ view }) => ({ seriesIndex }, api) => {
    const [x1, y] = api.coord([api.value(0), api.value(2)]), [x2] = api.coord([api.value(1), api.value(2)]), fill = api.visual("color"), opacity = api.visual("opacity");
    const pathData = view.symbols[view.series[seriesIndex].key], ignore = x2 - x1 < 9; // no room for the disk's symbol
    return { type: "group", children: [
      { type: "line", shape: { x1, x2: Math.max(x2, x1 + 1), y1: y, y2: y }, style: { stroke: fill, lineWidth: 2, opacity } },
      { type: "path", ignore, shape: { pathData, x: (x1 + x2) / 2 - 4, y: y - 4, width: 8, height: 8 }, style: { fill, opacity } },
    ] };
  },
};

function resolve(value, chart, key) {
  if (Array.isArray(value)) return key === "data" ? value : value.map((item) => resolve(item, chart));
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, resolve(v, chart, k)]));
  if (/color$/i.test(key) && value?.[0] === "@") return style(value.slice(1));
  return /^(formatter|renderItem)$/.test(key) && Object.hasOwn(functions, value) ? functions[value](chart) : value;
}

class Chart {
  constructor(plot, { option, view, columns }) {
    columns.forEach((list, i) => (option.series[i].data = (list[0] || []).map((_, row) => list.map((column) => column[row]))));
    Object.assign(this, { plot, option, view, cursor: -1, ui: echarts.init(plot, null, { height: Number(plot.dataset.height) }) });
    // The points that the keyboard steps through: one for each place of x if the tooltip tells of all disks.
    const stops = view.series.flatMap((_, series) => option.series[series].data.map((p, row) => [series, row, p[0]]));
    this.along = option.tooltip.trigger === "axis";
    this.stops = this.along ? [...new Map(stops.map((stop) => [stop[2], stop])).values()].sort((a, b) => a[2] - b[2]) : stops;
    this.paint();
    this.listen();
  }
  paint() {
    const zoom = this.ui.getOption()?.dataZoom?.[0], option = resolve(this.option, this), label = { textBorderColor: style("card"), textBorderWidth: 3 };
    option.textStyle = { color: style("ink"), fontFamily: getComputedStyle(document.body).fontFamily };
    option.series.forEach((s, i) => Object.assign(s, i < this.view.series.length ? { clip: true } : { silent: true, z: s.areaStyle ? 0 : 3, label: { ...s.label, ...label }, labelLayout: (text) => this.place(text) }));
    option.yAxis[0].nameTextStyle = { align: "left", fontWeight: 600 };
    if (this.view.rows) Object.assign(option.yAxis[0].axisLabel, { width: this.ui.getWidth() * 0.4, overflow: "truncate" });
    this.ui.setOption((this.drawn = option), true);
    if (zoom) this.zoom(zoom.start, zoom.end);
    for (const button of $$(".legend [aria-pressed=false]", this.plot.parentElement)) this.show(button);
  }
  // A text stands above its level, or at the head of what is upright, and moves up or down until it covers no other.
  place({ seriesIndex, text, rect, labelRect: { height } }) {
    if (!text) return {};
    if (!(seriesIndex > this.placed)) this.taken = [];
    this.placed = seriesIndex;
    const { data: [a, b], areaStyle } = this.option.series[seriesIndex], width = text.length * 7, x = Math.min(rect.x + rect.width + 5, this.ui.getWidth() - 6 - width);
    const fits = (y) => this.ui.containPixel("grid", [x, y]);
    for (let n = 0; n < 11; n++) {
      const y = rect.y + rect.height / 2 + (areaStyle || a[0] === b[0] ? 11 : -11) + 14 * Math.ceil(n / 2) * (n % 2 ? 1 : -1);
      if (!fits(y - 6) || !fits(y + 6) || this.taken.some((t) => x < t.x + t.width && t.x < x + width && Math.abs(y - t.y) < height)) continue;
      this.taken.push({ x, y, width });
      return { x, y, align: "left", verticalAlign: "middle" };
    }
    return { fontSize: 0.01 }; // no room
  }
  // Fits the chart to its place.
  resize() {
    if (this.plot.clientWidth === this.ui.getWidth()) return;
    this.ui.resize();
    this.paint();
  }
  zoom(start, end) {
    this.ui.dispatchAction({ type: "dataZoom", start, end });
  }
  scale(factor) {
    const { start, end } = this.ui.getOption().dataZoom?.[0] || {}, middle = (start + end) / 2, half = ((end - start) / 2) * factor;
    this.zoom(Math.max(0, middle - half), Math.min(100, middle + half));
  }
  show(button) {
    this.ui.dispatchAction({ type: button.ariaPressed === "true" ? "legendSelect" : "legendUnSelect", name: "k" + button.dataset.key });
  }

  // What a point says; without a row, what each disk did at a place of x.
  tell(at, row) {
    const { series, keys, symbols, rows, x, y } = this.view, said = new Map(row >= 0 ? [] : keys.map((_, i) => [i, []])), point = this.option.series[at]?.data[row];
    const add = (s, p) => {
      const value = s.kind === "files" ? 2 : 1, [a, b] = p.slice(Math.max(2, value + 1));
      const more = s.kind === "bar" ? b && " (" + write(x, a) + " to " + write(x, b) + ")" : a && ", file " + a + (b ? ", " + size(b) : "");
      said.set(s.key, [...(said.get(s.key) || []), (s.kind === "line" ? s.name + " " : "") + write(rows ? x : y, p[value]) + (more || "")]);
    };
    if (point) add(series[at], point);
    else series.forEach((s, i) => {
      const p = s.kind !== "dots" && this.option.series[i].data.findLast((p) => p[0] <= at);
      if (p && !(s.kind === "files" && p[1] < at)) add(s, p);
    });
    const where = !point ? write(x, Number(at)) : rows ? rows[Math.round(point[0])] : write(x, point[0]);
    const name = ({ index, name, label }, i) => `<span class="name"><svg class="mark" style="fill:var(--c${index % 8})" viewBox="-10 -10 20 20"><path d="${symbols[i]}"/></svg><bdi title="${escape(name)}">${escape(label)}</bdi></span>`;
    const lines = [...said].map(([i, words]) => `<tr><td>${keys[i] ? name(keys[i], i) : "together"} </td><td>${escape(words.join(", ") || "–")} </td></tr>`);
    return `<div class="tip-in"><strong>${escape(where)}</strong> <table>${lines.join("")}</table></div>`;
  }
  step(by) {
    this.cursor = Math.min(this.stops.length - 1, Math.max(0, this.cursor + by));
    const [seriesIndex, dataIndex, x] = this.stops[this.cursor];
    this.ui.dispatchAction({ type: "showTip", seriesIndex, dataIndex });
    this.live.innerHTML = this.along ? this.tell(x) : this.tell(seriesIndex, dataIndex);
  }
  // Saves the chart with its title and keys over it, and when and on what it was measured under it.
  save() {
    const ui = echarts.init(document.createElement("div"), null, { width: this.ui.getWidth(), height: this.ui.getHeight() + 90 });
    ui.setOption({ ...this.drawn, ...resolve(this.view.picture, this) });
    download(ui.getDataURL({ pixelRatio: 2, backgroundColor: style("card") }), this.plot.dataset.figure + ".png");
    ui.dispose();
  }
  listen() {
    const figure = this.plot.parentElement, bar = $(".bar", figure), step = (by) => () => this.step(by);
    const actions = {
      "+": () => this.scale(0.5), "-": () => this.scale(2), 0: () => this.zoom(0, 100), png: () => this.save(), ArrowRight: step(1), ArrowLeft: step(-1),
      PageDown: step(20), PageUp: step(-20), Home: step(-Infinity), End: step(Infinity), Escape: () => this.ui.dispatchAction({ type: "hideTip" }),
    };
    this.live = $("[aria-live]", figure);
    bar.hidden = false;
    for (const button of $$("button", bar)) {
      button.onclick = () => {
        if (button.dataset.do) return actions[button.dataset.do]();
        button.ariaPressed = button.ariaPressed !== "true";
        this.show(button);
      };
    }
    this.plot.onkeydown = (event) => {
      if (!Object.hasOwn(actions, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      actions[event.key]();
    };
  }
}
