// The page around the charts: theme, the load that is shown, playing a race back, downloads. The answer is in the HTML
// already; nothing here works out a number that hubbench has not.

const root = document.documentElement;
const $ = (selector, from = document) => from.querySelector(selector);
const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
root.classList.add("on");
const probe = document.body.appendChild(document.createElement("span")); // see style

function theme() {
  const button = $("#theme"), system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const name = () => {
    button.textContent = dark() ? "Light" : "Dark";
    button.ariaLabel = "Switch to " + (dark() ? "light" : "dark") + " colours";
    for (const chart of charts.values()) chart.paint();
  };
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    name();
  });
  system.addEventListener("change", name);
  name();
}

// unpack is the text that an element carries, as it is or as its gzip.
async function unpack({ textContent }) {
  const value = JSON.parse(textContent), packed = value.gzip ?? value;
  if (typeof packed !== "string") return textContent;
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

const charts = new Map(); // plot -> its chart

// draw makes or fits the charts that can be seen.
async function draw() {
  if (!globalThis.echarts) return;
  for (const plot of $$(".chart")) {
    if (!plot.offsetParent) continue;
    if (charts.has(plot)) charts.get(plot).resize();
    else {
      charts.set(plot, { resize() {}, paint() {} }); // while it is unpacked
      const text = await unpack(document.getElementById(plot.dataset.figure));
      plot.style.height = plot.dataset.height + "px";
      charts.set(plot, new Chart(plot, JSON.parse(text)));
    }
  }
}

// show puts a hub diagram in the place of another, as the page's own template made it. Where both have the same disks,
// the cables move.
function show(markup) {
  const old = $("#hub .hub"), fresh = document.createElement("template");
  fresh.innerHTML = markup;
  const next = $(".hub", fresh.content), cables = (hub) => $$("path[d]:not(.mark path)", hub), parts = (hub) => $$(":scope > :not(svg)", hub);
  const paths = cables(next), others = parts(next);
  if (paths.length !== cables(old).length || old.className !== next.className) return $("#hub").replaceChildren(fresh.content);
  cables(old).forEach((path, i) => path.setAttribute("d", paths[i].getAttribute("d")));
  parts(old).forEach((part, i) => part.replaceWith(others[i]));
  old.style.cssText = next.style.cssText;
}

// step finds the load that an arrow key leads to: in a row of buttons, or cell by cell in a table.
function step(button, key) {
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key] ?? [0, 0];
  const cell = button.closest("td, th"), rows = cell?.closest("table").rows;
  if (!cell) {
    const row = $$("[data-load]", button.parentElement);
    return row[row.indexOf(button) + dx];
  }
  let x = cell.cellIndex, y = cell.parentElement.rowIndex, found;
  while ((dx || dy) && !found && rows[(y += dy)]?.cells[(x += dx)]) found = $("[data-load]", rows[y].cells[x]);
  return found;
}

// choose shows the load of what is pressed or in the address, and its phase in the plot. Arrow keys go to the next one.
function choose(loads) {
  const fromAddress = () => put(location.hash.match(/^#load=(.+)/)?.[1]);
  addEventListener("keydown", (event) => {
    const next = event.target.dataset?.load && step(event.target, event.key);
    if (!next) return;
    event.preventDefault();
    next.focus();
    next.click();
  });
  addEventListener("hashchange", fromAddress);
  addEventListener("click", ({ target }) => {
    const id = target.closest("[data-load]")?.dataset.load;
    if (!put(id)) return;
    history.replaceState(null, "", "#load=" + id);
    if (!target.closest("#seg")) $("#hub").scrollIntoView({ block: "nearest", behavior: "smooth" });
  });
  function put(id) {
    const load = loads[id];
    if (!load) return false;
    show(load.hub);
    if ($("#time")) $("#time").innerHTML = load.plot || '<p class="cap">Its files are in the details of the phase.</p>';
    if ($("#time-name")) $("#time-name").textContent = load.title;
    for (const button of $$("[data-load]")) button.ariaPressed = button.dataset.load === id;
    return true;
  }
  fromAddress();
}

// race plays a phase back: the cables, the cards and the line in the plot share one clock.
function race({ end, frames, stages }) {
  const range = $("#moment"), play = $("#play"), head = $(".plot .head"), buttons = $$("[data-stage]");
  let timer = 0;
  range.max = end;
  range.hidden = play.hidden = false;
  function put(hub, stage, when, what) {
    show(hub);
    $("#at").textContent = when;
    $("#stage").textContent = what;
    range.ariaValueText = when + " " + what;
    buttons.forEach((button, i) => (button.ariaPressed = stages[i] === stage));
  }
  function moment(t) {
    const stage = stages.find((s) => s.from <= t && t < s.to);
    put(frames[Math.floor((t / end) * (frames.length - 1))], stage, Math.round(t) + " s", stage?.text ?? "");
    range.value = t;
    head.hidden = false;
    head.style.left = (100 * t) / end + "%";
  }
  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "▶ Play";
  }
  play.onclick = () => {
    if (timer) return stop();
    const from = range.value < end - 0.1 ? Number(range.value) : 0, start = performance.now();
    play.textContent = "❚❚ Pause";
    timer = setInterval(() => {
      const t = from + ((performance.now() - start) / 12000) * end; // all of it in 12 seconds
      moment(Math.min(t, end));
      if (t >= end) stop();
    }, 20);
  };
  range.oninput = () => {
    stop();
    moment(Math.min(range.value, end));
  };
  buttons.forEach((button, i) => {
    button.onclick = () => {
      const stage = stages[i];
      stop();
      put(stage.hub, stage, Math.round(stage.from) + "–" + Math.round(stage.to) + " s", stage.text + ", mean");
      range.value = stage.from;
      head.hidden = true;
    };
  });
}

function download(url, name) {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  $("#saved").textContent = name + " saved";
}

function save(content, name) {
  const url = URL.createObjectURL(new Blob([content]));
  download(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

// drawn is a picture as a PNG, which forums take, in the fonts of this page.
async function drawn(svg) {
  const image = new Image(), canvas = document.createElement("canvas");
  image.src = "data:image/svg+xml," + encodeURIComponent(svg);
  await image.decode();
  canvas.width = 2 * image.width;
  canvas.height = 2 * image.height;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done));
}

// The page's data as files: the analysis and the events as hubbench wrote them, and each table.
addEventListener("click", async ({ target }) => {
  const { get, name, csv, copy } = target.closest("button")?.dataset ?? {};
  if (copy !== undefined) {
    await navigator.clipboard?.writeText(target.previousElementSibling.textContent.trim());
    target.textContent = "Copied";
  }
  if (get === "card") save(await drawn(await unpack($("#hubbench-card"))), name);
  else if (get) save(await unpack(get === "events" ? $("#hubbench-events") : $("script[id^=hubbench-]")), name);
  if (csv) { // with nothing in it that a spreadsheet would run
    const number = /^[+−]?(\d+(\.\d+)?%?)$/, formula = /^[=+@＝＋－＠-]/;
    const quote = (words) => {
      const text = words.trim().replace(/\s+/g, " ");
      if (number.test(text)) return text.replace("−", "-").replace("+", "");
      return '"' + text.replace(formula, "'$&").replaceAll('"', '""') + '"';
    };
    const lines = [...target.closest("table").rows].map((row) => [...row.cells].map((cell) => quote(cell.textContent)).join(","));
    save(lines.join("\n") + "\n", csv + ".csv");
  }
});

// A link leads into details that may be closed.
function follow() {
  const target = document.getElementById(location.hash.slice(1));
  for (let d = target?.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
  target?.scrollIntoView();
}

addEventListener("toggle", async (event) => {
  const packed = event.target.open && $(":scope > .packed", event.target);
  if (packed) packed.outerHTML = await unpack(packed); // as the page's own template made it
  draw();
}, true);
addEventListener("hashchange", follow);
addEventListener("resize", draw);
const paper = 700; // pixels between the margins of A4 and Letter
addEventListener("beforeprint", () => {
  for (const chart of charts.values()) chart.resize(paper);
});
addEventListener("afterprint", draw);

async function start() {
  theme();
  const packed = $("#loads");
  if (packed) {
    const state = JSON.parse(await unpack(packed));
    choose(state.loads);
    if (state.race) race(state.race);
  }
  follow();
  await draw();
  root.dataset.ready = Math.round(performance.now());
}
start();
