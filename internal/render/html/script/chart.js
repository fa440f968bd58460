// A chart in its place: drawn once it comes into view, redrawn when the theme or the width changes.

class Chart {
  constructor(plot) {
    const data = JSON.parse(document.getElementById(plot.dataset.figure).textContent);
    this.plot = plot;
    this.option = data.option;
    this.view = data.view;
    this.live = plot.parentElement.querySelector("[aria-live]");
    this.hidden = new Set(this.view.fit ? ["fit"] : []);
    this.cursor = -1;
    this.readable = this.option.series.flatMap((s, i) => (/^disk/.test(s.name) && s.data ? s.data.map((_, row) => [i, row]) : []));
    this.ui = echarts.init(plot, null, { renderer: "canvas", height: Number(plot.dataset.height) });
    this.paint();
    this.listen();
  }

  rows(name, draw) {
    return this.option.series.find((s) => s.name === name && (!draw || s.renderItem === draw))?.data || [];
  }
  disk(series) {
    return this.view.disks[Number(series.slice(4))];
  }
  colour(disk) {
    return this.colours[this.view.disks.indexOf(disk)];
  }

  paint() {
    this.theme = root.dataset.theme;
    this.colours = this.view.disks.map(colourOf);
    const zoom = this.ui.getOption()?.dataZoom?.[0];
    this.ui.setOption(this.fit(resolve(this.option, this)), { notMerge: true });
    if (zoom) this.zoom(zoom.start, zoom.end);
    for (const name of this.hidden) this.ui.dispatchAction({ type: "legendUnSelect", name });
  }
  // Names of disks take what a narrow page can spare; the panels' own names stand at its left edge.
  fit(option) {
    const left = Math.round(Math.min(this.view.gutter * rem(), Math.max(52, this.ui.getWidth() * 0.16)));
    option.grid.forEach((grid) => (grid.left = left));
    option.yAxis.forEach((axis) => (axis.nameTextStyle.padding = [0, 0, 2, 8 - left]));
    return option;
  }
  // Fits the chart to its place, or to a width.
  resize(width) {
    if ((width || this.plot.clientWidth) === this.ui.getWidth() && this.theme === root.dataset.theme) return;
    this.ui.resize({ width: width || "auto", height: Number(this.plot.dataset.height) });
    this.paint();
  }

  zoom(start, end) {
    this.ui.dispatchAction({ type: "dataZoom", dataZoomIndex: 0, start, end });
    this.ui.dispatchAction({ type: "dataZoom", dataZoomIndex: 1, start, end });
  }
  scale(factor) {
    const now = this.ui.getOption().dataZoom?.[0];
    if (!now) return;
    const middle = (now.start + now.end) / 2, half = Math.max(0.01, ((now.end - now.start) / 2) * factor);
    this.zoom(Math.max(0, middle - half), Math.min(100, middle + half));
  }
  toggle(name, on) {
    if (on) this.hidden.delete(name);
    else this.hidden.add(name);
    this.ui.dispatchAction({ type: on ? "legendSelect" : "legendUnSelect", name });
  }

  // What each disk did at an instant, in words and in markup.
  tell(time) {
    const unit = this.view.unit;
    const found = this.view.disks.map((disk, i) => {
      const bands = this.rows("disk" + i, "band");
      const rows = bands.length ? bands : this.rows("disk" + i, "segment");
      let low = 0, high = rows.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (rows[middle][1] < time) low = middle + 1;
        else high = middle;
      }
      const row = rows[low] && rows[low][0] <= time ? rows[low] : null;
      const detail = !row ? "" : bands.length ? rate(row[3]) + " – " + rate(row[4]) : size(row[3]) + (row[5] ? ", filler" : ", file " + (row[4] + 1));
      return { disk, speed: row ? rate(row[2]) + " " + unit : "no file", detail };
    });
    let total = 0;
    for (const step of this.rows("total")) {
      if (step[0] > time) break;
      total = step[1];
    }
    const lines = found.map(({ disk, speed, detail }) =>
      `<tr><td>${nameOf(disk)}</td><td class="num">${speed}</td><td class="num"><small>${detail}</small></td></tr>`);
    return {
      words: exact(time) + " s: " + found.map(({ disk, speed }) => disk.name + " " + speed).join(", ") + ", together " + rate(total) + " " + unit,
      html: `<strong>${exact(time)} s</strong><table>${lines.join("")}<tr><td>together</td><td class="num"><strong>${rate(total)} ${unit}</strong></td><td></td></tr></table>`,
    };
  }

  // What one row of a series says, in words and in markup.
  about(name, series, at) {
    if (!/^disk/.test(name)) return null;
    const row = this.option.series[series].data[at], disk = this.disk(name), unit = this.view.unit;
    const words = {
      segment: () => rate(row[2]) + " " + unit + " from " + size(row[0]) + " to " + size(row[1]),
      band: () => rate(row[2]) + " " + unit + " (" + rate(row[3]) + " – " + rate(row[4]) + ") from " + size(row[0]) + " to " + size(row[1]),
      pair: () => rate(row[0]) + " " + unit + " in the overlap" + (row[2] >= 0 ? ", " + rate(row[2]) + " alone" : ""),
      strip: () => rate(row[0]) + " " + unit + ", " + size(row[2]) + ", file " + (row[3] + 1),
      bin: () => row[3] + " files from " + short(row[0]) + " to " + rate(row[2]) + " " + unit,
      box: () => "median " + short(row[3]) + ", mean " + short(row[4]) + ", middle nine tenths " + short(row[0]) + " – " + rate(row[2]) + " " + unit,
      dot: () => rate(row[1]) + " " + unit + ", " + size(row[0]) + ", file " + (row[2] + 1),
      cell: () => row[4] + " files of " + size(row[0]) + " to " + size(row[1]) + " at " + short(row[2]) + " – " + short(row[3]) + " " + unit,
      knee: () => "changes at " + size(row[0]),
    }[this.option.series[series].renderItem]?.();
    return words ? { words: disk.name + ": " + words, html: nameOf(disk) + " " + escape(words) } : null;
  }

  // Moves the tooltip on with the keyboard, and says what is there.
  step(by) {
    const time = this.view.kind === "time", rows = time ? this.rows("total") : this.readable;
    if (!rows.length) return;
    this.cursor = Math.min(rows.length - 1, Math.max(0, this.cursor + by));
    const [seriesIndex, dataIndex] = time ? [this.option.series.findIndex((s) => s.name === "total"), this.cursor] : rows[this.cursor];
    this.ui.dispatchAction({ type: "showTip", seriesIndex, dataIndex });
    const told = time ? this.tell(rows[this.cursor][0]) : this.about(this.option.series[seriesIndex].name, seriesIndex, dataIndex);
    this.live.textContent = told ? told.words : "";
  }

  save() {
    download(this.ui.getDataURL({ pixelRatio: 2, backgroundColor: style("bg") }), this.plot.dataset.figure + ".png");
  }

  listen() {
    const bar = this.plot.closest("figure").querySelector(".bar");
    bar.hidden = false;
    for (const button of $$(".legend button", bar)) {
      button.addEventListener("click", () => {
        const on = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(on));
        this.toggle(button.dataset.series, on);
      });
    }
    const actions = { in: () => this.scale(0.5), out: () => this.scale(2), reset: () => this.zoom(0, 100), png: () => this.save() };
    for (const button of $$("[data-do]", bar)) button.addEventListener("click", actions[button.dataset.do]);
    const keys = {
      ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1), PageDown: () => this.step(20), PageUp: () => this.step(-20),
      Home: () => this.step(-Infinity), End: () => this.step(Infinity),
      "+": actions.in, "=": actions.in, "-": actions.out, 0: actions.reset,
      Escape: () => this.ui.dispatchAction({ type: "hideTip" }),
    };
    // ECharts keeps every turn of the wheel from the page, whether it zooms or not: only those with Ctrl are for it.
    for (const type of ["wheel", "mousewheel"]) {
      this.plot.addEventListener(type, (event) => event.ctrlKey || event.stopPropagation(), { capture: true, passive: true });
    }
    this.plot.addEventListener("keydown", (event) => {
      if (!Object.hasOwn(keys, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      keys[event.key]();
    });
  }
}
