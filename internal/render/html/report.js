// The page's behaviour: it draws the figures that hubbench worked out, and works out none itself.
// Charts come as JSON. Colours in them are "@name" tokens of the style sheet; functions are names from the
// list below; what people named (disks, phases) is only ever put in as text.
(() => {
  "use strict";
  const root = document.documentElement;
  const charts = new Map(); // plot element -> its chart
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];

  const style = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim();
  const rem = () => parseFloat(getComputedStyle(root).fontSize) / 16; // the page's text grows on wide screens
  const escape = (text) => String(text).replace(/[&<>"']/g, (c) => "&#" + c.charCodeAt(0) + ";");
  const short = (x) => String(Number(Number(x).toPrecision(3)));
  const size = (mb) => (mb >= 999.5 ? short(mb / 1000) + " GB" : mb >= 0.9995 ? short(mb) + " MB" : short(mb * 1000) + " KB");

  // Symbols: the same shapes as the page's marks.
  const shapes = $$(".defs g").map((shape) => {
    const points = shape.firstElementChild.getAttribute("points");
    return points && points.split(" ").map((pair) => pair.split(",").map(Number));
  });
  const colour = (disk) => style("c" + (disk.index % 8));
  const shape = (disk) => (disk.index + Math.floor(disk.index / 8)) % shapes.length;
  const symbol = (disk, x, y, radius, fill) => {
    const points = shapes[shape(disk)];
    const style = { fill };
    return points
      ? { type: "polygon", shape: { points: points.map((p) => [x + (p[0] * radius) / 9, y + (p[1] * radius) / 9]) }, style }
      : { type: "circle", shape: { cx: x, cy: y, r: radius * 0.92 }, style };
  };
  const mark = (disk) =>
    `<svg class="mark c${disk.index % 8}" viewBox="-10 -10 20 20"><use href="#shape-${shape(disk)}"/></svg>`;
  const text = (x, y, words, more) => ({
    type: "text",
    silent: true,
    style: {
      x, y, text: String(words).replace(/\s+/g, " "), fill: style("ink"), fontSize: 12 * rem(), fontFamily: "system-ui, sans-serif", textVerticalAlign: "middle",
      stroke: style("bg"), lineWidth: 3, ...more,
    },
  });

  // What is under an instant: for each disk the file in transfer, and the total.
  function at(chart, time) {
    const rows = chart.view.disks.map((disk, i) => {
      const files = chart.rows("disk" + i);
      let low = 0, high = files.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (files[middle][1] < time) low = middle + 1;
        else high = middle;
      }
      const file = files[low];
      return { disk, file: file && file[0] <= time ? file : null };
    });
    const totals = chart.rows("total");
    let total = null;
    for (const step of totals) {
      if (step[0] > time) break;
      total = step[1];
    }
    return { rows, total };
  }

  // The functions that options may name. Each is made for one chart.
  const functions = {
    seconds: () => (value) => short6(value) + " s",

    timeTip: (chart) => (params) => {
      const list = Array.isArray(params) ? params : [params];
      if (!list.length) return "";
      const time = Number(list[0].axisValue);
      const now = at(chart, time);
      const lines = now.rows.map(({ disk, file }) =>
        `<tr><td><span class="name">${mark(disk)}<bdi>${escape(disk.name)}</bdi></span></td>` +
        (file
          ? `<td class="num">${short(file[2])} ${chart.view.unit}</td><td class="num"><small>${size(file[3])}, file ${file[4] + 1}</small></td></tr>`
          : `<td class="num"><small>no file</small></td><td></td></tr>`));
      return `<div class="tip-in"><strong>${short(time)} s</strong><table>${lines.join("")}` +
        `<tr><td>together</td><td class="num"><strong>${short(now.total)} ${chart.view.unit}</strong></td><td></td></tr></table></div>`;
    },

    // A file in the speed panel: a line from its start to its end, the disk's symbol in its middle.
    segment: (chart) => (params, api) => {
      const disk = chart.disk(params.seriesName);
      const box = params.coordSys;
      const [x1, y] = api.coord([api.value(0), api.value(2)]);
      const x2 = api.coord([api.value(1), api.value(2)])[0];
      const left = Math.max(x1, box.x), right = Math.min(x2, box.x + box.width);
      if (right <= left) return null;
      const fill = chart.colour(disk);
      const radius = Math.min(4.5, Math.max(2.2, (x2 - x1) / 2.6));
      const children = [{ type: "line", shape: { x1: left, y1: y, x2: right, y2: y }, style: { stroke: fill, lineWidth: 2, opacity: 0.85 } }];
      const middle = (x1 + x2) / 2;
      if (middle >= box.x && middle <= box.x + box.width) children.push(symbol(disk, middle, y, radius, fill));
      return { type: "group", children };
    },

    // A file in the panel of files: a block in its disk's row.
    busy: (chart) => (params, api) => {
      const box = params.coordSys;
      const disk = chart.disk(params.seriesName);
      const [x1, y] = api.coord([api.value(0), api.value(2)]);
      const x2 = api.coord([api.value(1), api.value(2)])[0];
      const tall = Math.abs(api.size([0, 1])[1]) * 0.62;
      const left = Math.max(x1, box.x), right = Math.min(x2, box.x + box.width);
      if (right <= left) return null;
      const wide = right - left;
      return { type: "rect", shape: { x: left, y: y - tall / 2, width: Math.max(0.6, wide > 3 ? wide - 1 : wide * 0.8), height: tall }, style: { fill: chart.colour(disk) } };
    },

    // A disk's name before its row of files.
    row: (chart) => (params, api) => {
      const box = params.coordSys;
      const disk = chart.view.disks[api.value(1)];
      const y = api.coord([0, api.value(1)])[1];
      return {
        type: "group",
        children: [
          symbol(disk, 14, y, 5, chart.colour(disk)),
          text(24, y, disk.name, { width: box.x - 32, overflow: "truncate", ellipsis: "…" }),
        ],
      };
    },

    // The disks' names where their last files end: all in one go, so that none covers another.
    ends: (chart) => (params, api) => {
      if (params.dataIndex > 0) return null;
      const box = params.coordSys;
      const labels = chart.rows("ends").map(([time, rate, i]) => {
        const [x, y] = api.coord([time, rate]);
        const disk = chart.view.disks[i];
        return { disk, y, x, room: box.x + box.width - x };
      }).filter((label) => label.x >= box.x && label.room >= -1 && !chart.hidden.has("disk" + chart.view.disks.indexOf(label.disk)));
      labels.sort((a, b) => a.y - b.y);
      const placed = [];
      for (const label of labels) {
        const inside = label.room < 70; // no room after its end: above it
        label.x += inside ? 0 : 8;
        label.y -= inside ? 16 : 0;
        label.inside = inside;
        for (let tries = 0; tries < 3; tries++, label.y -= 14) {
          if (placed.some((other) => Math.abs(other.y - label.y) < 14 && Math.abs(other.x - label.x) < 60)) continue;
          placed.push(label);
          break;
        }
      }
      return {
        type: "group",
        children: placed.map((label) => text(label.x, label.y, label.disk.name, {
          fill: chart.colour(label.disk), fontWeight: 700, fontSize: 13, textAlign: label.inside ? "right" : "left",
          width: 120, overflow: "truncate", ellipsis: "…",
        })),
      };
    },

    // The overlap window, as high as its panel.
    shade: (chart) => (params, api) => {
      const box = params.coordSys;
      const left = Math.max(api.coord([api.value(0), 0])[0], box.x);
      const right = Math.min(api.coord([api.value(1), 0])[0], box.x + box.width);
      if (right <= left) return null;
      const children = [{ type: "rect", shape: { x: left, y: box.y, width: right - left, height: box.height }, style: { fill: style("shade") } }];
      if (api.value(2)) {
        children.push(text((left + right) / 2, box.y + 9, chart.view.window, { fill: style("muted"), textAlign: "center", width: right - left - 8, overflow: "truncate", stroke: null }));
      }
      return { type: "group", silent: true, children };
    },

    // The overlap's rate across its window.
    mean: (chart) => (params, api) => {
      const box = params.coordSys;
      const [x1, y] = api.coord([api.value(0), api.value(2)]);
      const left = Math.max(x1, box.x);
      const right = Math.min(api.coord([api.value(1), 0])[0], box.x + box.width);
      if (right <= left) return null;
      return {
        type: "group",
        children: [
          { type: "line", shape: { x1: left, y1: y, x2: right, y2: y }, style: { stroke: style("ink"), lineWidth: 1.2, lineDash: [5, 4] } },
          text(left + 8, y + 13, Number(api.value(2)).toPrecision(3) + " " + chart.view.unit + " in the overlap", { fontWeight: 600 }),
        ],
      };
    },

    // How long a disk took to recover: a bracket from the winner's end to the new level.
    bracket: (chart) => (params, api) => {
      const box = params.coordSys;
      const disk = chart.view.disks[api.value(3)];
      const [x1, level] = api.coord([api.value(0), api.value(2)]);
      const x2 = api.coord([api.value(1), 0])[0];
      if (x2 <= box.x || x1 >= box.x + box.width) return null;
      const y = level + (api.value(4) - 0.5) * 22;
      const fill = chart.colour(disk);
      const left = Math.max(x1, box.x), right = Math.min(x2, box.x + box.width);
      return {
        type: "group",
        children: [
          { type: "polyline", shape: { points: [[left, y - 4], [left, y + 4], [left, y], [right, y], [right, y - 4], [right, y + 4]] }, style: { stroke: fill, lineWidth: 1.3, fill: "none" } },
          symbol(disk, left + 10, y - 9, 3.6, fill),
          text(left + 18, y - 8, short(api.value(5)) + (box.width > 500 ? " s to recover" : " s"), {}),
        ],
      };
    },
  };
  const short6 = (x) => String(Number(Number(x).toPrecision(6)));

  // resolve puts colours and functions where the option names them. Names and data stay as they are.
  const colourKeys = new Set(["color", "borderColor", "backgroundColor", "fillerColor"]);
  const functionKeys = new Set(["formatter", "renderItem"]);
  function resolve(value, chart, key) {
    if (Array.isArray(value)) return key === "data" ? value : value.map((item) => resolve(item, chart));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, resolve(v, chart, k)]));
    }
    if (key === "fontSize") return value * rem();
    if (typeof value !== "string") return value;
    if (colourKeys.has(key) && value.startsWith("@")) return value === "@none" ? "transparent" : style(value.slice(1));
    if (functionKeys.has(key) && Object.hasOwn(functions, value)) return functions[value](chart);
    return value;
  }

  class Chart {
    constructor(plot) {
      const data = JSON.parse(document.getElementById(plot.dataset.figure).textContent);
      this.plot = plot;
      this.option = data.option;
      this.view = data.view;
      this.live = plot.parentElement.querySelector("[aria-live]");
      this.hidden = new Set();
      this.cursor = -1;
      plot.style.height = data.height + "px";
      this.ui = echarts.init(plot, null, { renderer: "canvas" });
      this.paint();
      this.listen();
    }
    rows(name) {
      this.found ??= new Map(this.option.series.map((s) => [s.name, s.data]).reverse());
      return this.found.get(name) || [];
    }
    disk(series) {
      return this.view.disks[Number(series.slice(4))];
    }
    colour(disk) {
      return this.colours[this.view.disks.indexOf(disk)];
    }
    paint() {
      this.colours = this.view.disks.map(colour);
      const zoom = this.ui.getOption()?.dataZoom?.[0];
      this.ui.setOption(this.fit(resolve(this.option, this)), { notMerge: true });
      if (zoom) this.zoom(zoom.start, zoom.end);
      for (const name of this.hidden) this.ui.dispatchAction({ type: "legendUnSelect", name });
    }
    // Names of disks take what a narrow page can spare; the panels' own names stand at its left edge.
    fit(option) {
      const left = Math.round(Math.min(this.view.gutter * rem(), Math.max(52, this.plot.clientWidth * 0.16)));
      option.grid.forEach((grid) => (grid.left = left));
      option.yAxis.forEach((axis) => (axis.nameTextStyle.padding = [0, 0, 2, 8 - left]));
      return option;
    }
    zoom(start, end) {
      this.ui.dispatchAction({ type: "dataZoom", dataZoomIndex: 0, start, end });
      this.ui.dispatchAction({ type: "dataZoom", dataZoomIndex: 1, start, end });
    }
    scale(factor) {
      const { start, end } = this.ui.getOption().dataZoom[0];
      const middle = (start + end) / 2, half = Math.max(0.01, ((end - start) / 2) * factor);
      this.zoom(Math.max(0, middle - half), Math.min(100, middle + half));
    }
    resize() {
      if (this.plot.clientWidth === this.ui.getWidth()) return;
      this.ui.resize();
      this.paint();
    }
    toggle(name, on) {
      if (on) this.hidden.delete(name);
      else this.hidden.add(name);
      this.ui.dispatchAction({ type: on ? "legendSelect" : "legendUnSelect", name });
    }
    // Moves the reading line by whole steps of the total, and says what is there.
    step(by) {
      const totals = this.rows("total");
      if (!totals.length) return;
      this.cursor = Math.min(totals.length - 1, Math.max(0, this.cursor + by));
      const index = this.option.series.findIndex((s) => s.name === "total");
      this.ui.dispatchAction({ type: "showTip", seriesIndex: index, dataIndex: this.cursor });
      const time = totals[this.cursor][0];
      const now = at(this, time);
      this.live.textContent = short(time) + " s: " +
        now.rows.map(({ disk, file }) => disk.name + " " + (file ? short(file[2]) + " " + this.view.unit : "no file")).join(", ") +
        ", together " + short(now.total) + " " + this.view.unit;
    }
    save() {
      const link = document.createElement("a");
      link.href = this.ui.getDataURL({ pixelRatio: 2, backgroundColor: style("bg") });
      link.download = this.plot.dataset.figure + ".png";
      link.click();
    }
    listen() {
      const figure = this.plot.closest("figure");
      const bar = figure.querySelector(".bar");
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
      const far = Math.max(1, Math.round(this.rows("total").length / 20));
      const keys = {
        ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1), PageDown: () => this.step(far), PageUp: () => this.step(-far),
        Home: () => this.step(-Infinity), End: () => this.step(Infinity),
        "+": () => this.scale(0.5), "=": () => this.scale(0.5), "-": () => this.scale(2), 0: () => this.zoom(0, 100),
        Escape: () => this.ui.dispatchAction({ type: "hideTip" }),
      };
      this.plot.addEventListener("keydown", (event) => {
        if (!Object.hasOwn(keys, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        keys[event.key]();
      });
    }
  }

  // draw makes the charts of the visible phase, and fits them to the page.
  function draw() {
    if (!globalThis.echarts) return;
    for (const plot of $$(".plot")) {
      if (plot.closest("[hidden]")) continue;
      if (charts.has(plot)) charts.get(plot).resize();
      else charts.set(plot, new Chart(plot));
    }
    root.dataset.painted = "true";
  }

  function theme() {
    const button = document.getElementById("theme");
    const system = matchMedia("(prefers-color-scheme: dark)");
    const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
    const show = () => {
      button.textContent = dark() ? "Light" : "Dark";
      button.setAttribute("aria-label", "Switch to " + (dark() ? "light" : "dark") + " colours");
      for (const chart of charts.values()) chart.paint();
    };
    button.hidden = false;
    button.addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      show();
    });
    system.addEventListener("change", show);
    show();
  }

  function tabs() {
    const bar = document.querySelector(".tabs");
    const phases = $$(".phase");
    if (!bar || phases.length < 2) return;
    const buttons = phases.map((phase) => {
      const button = document.createElement("button");
      button.type = "button";
      button.id = "tab-" + phase.id;
      button.textContent = phase.dataset.name;
      button.setAttribute("role", "tab");
      button.setAttribute("aria-controls", phase.id);
      phase.setAttribute("role", "tabpanel");
      button.addEventListener("click", () => choose(phase.id));
      bar.append(button);
      return button;
    });
    function show(id, focus) {
      phases.forEach((phase, i) => {
        const on = phase.id === id;
        phase.hidden = !on;
        buttons[i].setAttribute("aria-selected", String(on));
        buttons[i].tabIndex = on ? 0 : -1;
        if (on && focus) buttons[i].focus();
      });
      draw();
    }
    function choose(id, focus) {
      show(id, focus);
      history.replaceState(null, "", "#" + id);
    }
    bar.addEventListener("keydown", (event) => {
      const now = buttons.indexOf(document.activeElement);
      const next = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: buttons.length - 1 }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      choose(phases[(next + phases.length) % phases.length].id, true);
    });
    for (const link of $$(".matrix a")) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        choose(link.hash.slice(1));
        bar.scrollIntoView({ block: "start" });
      });
    }
    bar.hidden = false;
    const wanted = location.hash.slice(1);
    show(phases.some((phase) => phase.id === wanted) ? wanted : phases[0].id);
  }

  tabs();
  draw();
  theme();
  addEventListener("resize", draw);
})();
