// A chart in its place: drawn once it comes into view, redrawn when the theme or the width changes. It knows marks, and
// nothing of what they mean.

class Chart {
  constructor(plot) {
    const data = JSON.parse(document.getElementById(plot.dataset.figure).textContent);
    this.plot = plot;
    this.option = data.option;
    data.columns.forEach((columns, i) => (this.option.series[i].data = (columns[0] || []).map((_, row) => columns.map((column) => column[row]))));
    this.view = data.view;
    this.live = plot.parentElement.querySelector("[aria-live]");
    this.hidden = new Set(); // marks, by their number
    this.cursor = -1;
    this.readable = this.view.marks.flatMap((m, i) => (m.name && m.key >= 0 && m.name !== this.view.also ? this.rows(i).map((_, row) => [i, row]) : []));
    this.tall = 130; // pixels of the main panel on paper, where it stands without those below it
    this.main = Math.max(0, this.view.panels.findIndex((panel) => !panel.bare));
    this.step0 = this.view.marks.findIndex((m) => m.shape === "step");
    this.ui = echarts.init(plot, null, { renderer: "canvas", height: Number(plot.dataset.height) });
    if (this.view.also) this.show((m) => m.name === this.view.also, false);
    this.paint();
    this.listen();
  }

  rows(mark) {
    return this.option.series[mark].data || [];
  }
  markOf(series) {
    return this.view.marks[Number(series.slice(4))];
  }
  tint(mark) {
    if (mark.style === "limit") return style("doubt");
    const own = { gain: "gain", loss: "loss", turn: "muted" }[mark.style];
    if (own) return style(own);
    return mark.key < 0 || mark.style === "ink" ? style("ink") : this.colours[mark.key];
  }

  paint() {
    this.theme = root.dataset.theme;
    this.colours = this.view.keys.map(colourOf);
    const zoom = this.ui.getOption()?.dataZoom?.[0];
    this.ui.setOption(this.fit(resolve(this.option, this)), { notMerge: true });
    if (zoom) this.zoom(zoom.start, zoom.end);
    for (const mark of this.hidden) this.ui.dispatchAction({ type: "legendUnSelect", name: "mark" + mark });
  }
  // Names of disks take what a narrow page can spare, before their rows and after their marks; the panels' own names
  // stand at its left edge.
  fit(option) {
    const longest = Math.max(0, ...(this.view.panels.some((p) => p.rows) ? this.view.keys.map((key) => measure(key.label)) : [0]));
    const left = Math.round(Math.max(52 * rem(), Math.min(longest + 36, this.ui.getWidth() * 0.3)));
    const room = this.ui.getWidth() - left, { min, max } = option.xAxis[0];
    const beyond = this.view.marks.map((m, i) => (m.shape === "label" && this.rows(i).length ? room - ((room - 12 - measure(m.text, true)) * (max - min)) / (this.rows(i)[0][0] - min) : 0));
    this.right = Math.round(Math.min(Math.max(24, ...beyond), room * (this.view.x.bare ? 0.6 : 0.2))); // without an axis words are the values
    option.grid.forEach((grid) => Object.assign(grid, { left, right: this.right }));
    if (this.paper && this.view.zoom) {
      option.dataZoom.forEach((zoom) => (zoom.show = false));
      option.grid[this.main].height = this.tall;
      option.xAxis[this.main].axisLabel.show = true;
      option.grid.slice(this.main + 1).forEach((grid) => (grid.top = 5000)); // those below stay on the screen
    }
    option.yAxis.forEach((axis) => (axis.nameTextStyle.padding = [0, 0, 2, 8 - left]));
    return option;
  }
  // Fits the chart to its place, or to a width.
  resize(width) {
    if ((width || this.plot.clientWidth) === this.ui.getWidth() && this.theme === root.dataset.theme) return;
    this.paper = Boolean(width);
    const main = this.option.grid[this.main];
    this.ui.resize({ width: width || "auto", height: this.paper && this.view.zoom ? Number(main.top) + this.tall + 30 : this.plot.dataset.height });
    this.paint();
  }

  zoom(start, end) {
    this.ui.dispatchAction({ type: "dataZoom", batch: [{ dataZoomIndex: 0, start, end }, { dataZoomIndex: 1, start, end }] });
  }
  scale(factor) {
    const now = this.ui.getOption().dataZoom?.[0];
    if (!now) return;
    const middle = (now.start + now.end) / 2, half = Math.max(0.01, ((now.end - now.start) / 2) * factor);
    this.zoom(Math.max(0, middle - half), Math.min(100, middle + half));
  }
  // Shows or hides the marks that are meant: a disk's annotations go with it.
  show(meant, on) {
    this.view.marks.forEach((mark, i) => {
      if (!meant(mark)) return;
      if (on) this.hidden.delete(i);
      else this.hidden.add(i);
      this.ui.dispatchAction({ type: on ? "legendSelect" : "legendUnSelect", name: "mark" + i });
    });
  }

  // The row of a mark that holds at an instant.
  rowAt(mark, time) {
    const rows = this.rows(mark);
    let low = 0, high = rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle][1] < time) low = middle + 1;
      else high = middle;
    }
    return rows[low] && rows[low][0] <= time ? rows[low] : null;
  }

  // What each disk did at an instant, in words and in markup: its file, what the panels below the main one show of it, and
  // all disks together; in a chart that has no total, what each panel shows.
  tell(time) {
    const together = this.step0 >= 0, unit = (panel) => this.view.panels[panel].name.split(", ")[1] || "";
    const found = this.view.keys.map((key, k) => {
      const said = [], more = []; // of the main panel, and of those below it
      this.view.marks.forEach((mark, i) => {
        const panel = this.view.place[i];
        if (mark.key !== k || this.view.panels[panel].rows || !["segment", "band", "bar"].includes(mark.shape)) return;
        const row = this.rowAt(i, time), band = mark.shape === "band";
        if (row && together && panel > this.main) more.push((mark.name + " " + (mark.shape === "bar" ? exact(row[3] - row[2]) : rate(row[2])) + " " + unit(panel)).trim());
        else if (row) said.push({ speed: rate(row[band ? 4 : 2]) + " " + unit(panel), detail: band ? rate(row[2]) + " – " + rate(row[3]) : extras(mark, row, 4) });
      });
      const { speed, detail } = said[0] || { speed: together ? "no file" : "no reading", detail: "" };
      return together ? { key, speed: [speed, ...more].join(", "), detail } : { key, speed: said.map((s) => s.speed).join(", ") || speed, detail };
    });
    let total = "";
    if (together) {
      for (const step of this.rows(this.step0)) {
        if (step[0] > time) break;
        total = rate(step[1]) + " " + unit(this.main);
      }
    }
    const lines = found.map(({ key, speed, detail }) => `<tr><td>${nameOf(key)}</td><td class="num">${speed}</td><td class="num"><small>${escape(detail)}</small></td></tr>`);
    if (together) lines.push(`<tr><td>together</td><td class="num"><strong>${total}</strong></td><td></td></tr>`);
    return {
      words: exact(time) + " s: " + found.map(({ key, speed }) => key.name + " " + speed).join(", ") + (together ? ", together " + total : ""),
      html: `<strong>${exact(time)} s</strong><table>${lines.join("")}</table>`,
    };
  }

  // What one row of a mark says, in words and in markup.
  about(series, at) {
    const mark = this.view.marks[series], row = this.rows(series)[at];
    if (!mark || !row || mark.key < 0 || !mark.name) return null;
    const panel = this.view.panels[this.view.place[series]], x = this.view.x;
    const said = (axis, ...values) => [...new Set(values.map((v) => write(axis.unit, v)))].join(" to ") + (axis.unit ? "" : " " + (axis.name.split(", ")[1] || ""));
    let words;
    const range = mark.shape === "segment" || mark.shape === "bar" || mark.shape === "band";
    const after = { segment: 4, bar: 4, band: 5 }[mark.shape] || 2;
    if (panel.rows) words = mark.name + " " + (range ? (row[0] === 0 ? said(x, row[1]) : said(x, row[0], row[1])) : said(x, row[0]));
    else if (mark.shape === "band") words = mark.name + " " + said(panel, row[4]) + " (" + said(panel, row[2], row[3]) + "), " + said(x, row[0], row[1]);
    else words = mark.name + " " + (range ? said(panel, row[2], row[3]) + ", " + said(x, row[0], row[1]) : said(panel, row[1]) + ", " + said(x, row[0]));
    const more = extras(mark, row, after), key = this.view.keys[mark.key];
    if (more) words += ", " + more;
    return { words: key.name + ": " + words, html: nameOf(key) + " " + escape(words) };
  }

  // Moves the tooltip on with the keyboard, and says what is there.
  step(by) {
    const time = this.view.zoom && this.step0 >= 0, rows = time ? this.rows(this.step0) : this.readable;
    if (!rows.length) return;
    this.cursor = Math.min(rows.length - 1, Math.max(0, this.cursor + by));
    const [seriesIndex, dataIndex] = time ? [this.step0, this.cursor] : rows[this.cursor];
    this.ui.dispatchAction({ type: "showTip", seriesIndex, dataIndex });
    const told = time ? this.tell(rows[this.cursor][0]) : this.about(seriesIndex, dataIndex);
    this.live.textContent = told ? told.words : "";
  }

  // Saves the chart with what it shows over it, and when and on what it was measured under it.
  save() {
    const chart = this.ui.getRenderedCanvas({ pixelRatio: 2, backgroundColor: style("bg") });
    const canvas = document.createElement("canvas"), pen = canvas.getContext("2d");
    canvas.width = chart.width;
    canvas.height = chart.height + 104;
    pen.fillStyle = style("bg");
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(chart, 0, 60);
    pen.fillStyle = style("ink");
    pen.font = "600 28px system-ui, sans-serif";
    pen.fillText(this.view.title, 24, 40, canvas.width - 48);
    pen.fillStyle = style("muted");
    pen.font = "20px system-ui, sans-serif";
    pen.fillText(this.view.origin, 24, canvas.height - 16, canvas.width - 48);
    download(canvas.toDataURL(), this.plot.dataset.figure + ".png");
  }

  listen() {
    const bar = this.plot.closest("figure").querySelector(".bar");
    bar.hidden = false;
    for (const button of $$(".legend button", bar)) {
      button.addEventListener("click", () => {
        const on = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(on));
        const { key, also } = button.dataset;
        this.show((m) => (also ? m.name === also : m.key === Number(key)), on);
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
    if (this.view.zoom) {
      this.drag();
      this.ui.on("datazoom", () => {
        const { start, end } = this.ui.getOption().dataZoom[0];
        remember(start <= 0 && end >= 100 ? "" : exact(start) + "-" + exact(end));
      });
    }
  }

  // Dragging the mouse over the panels marks the stretch to zoom to.
  drag() {
    let from = null, brush = null;
    const left = () => this.ui.getOption().grid[0].left, right = () => this.ui.getWidth() - this.right;
    const x = (event) => Math.min(right(), Math.max(left(), event.clientX - this.plot.getBoundingClientRect().left));
    this.plot.addEventListener("pointerdown", (event) => {
      const y = event.clientY - this.plot.getBoundingClientRect().top;
      if (event.pointerType === "mouse" && event.button === 0 && y < Number(this.plot.dataset.height) - 70) from = x(event);
    });
    this.plot.addEventListener("pointermove", (event) => {
      if (from === null) return;
      if (!brush) {
        brush = document.createElement("div");
        brush.className = "brush";
        this.plot.append(brush);
      }
      brush.style.left = Math.min(from, x(event)) + "px";
      brush.style.width = Math.abs(x(event) - from) + "px";
    });
    addEventListener("pointerup", (event) => {
      if (from === null) return;
      const to = x(event), start = from;
      from = null;
      brush?.remove();
      brush = null;
      if (Math.abs(to - start) < 8) return;
      const now = this.ui.getOption().dataZoom[0], wide = right() - left();
      const share = (px) => now.start + ((px - left()) / wide) * (now.end - now.start);
      this.zoom(share(Math.min(start, to)), share(Math.max(start, to)));
    });
  }
}
