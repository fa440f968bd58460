// The page around the charts: theme, the load that is shown, playing a race back, downloads. The answer is in the HTML
// already; nothing here works out a number that hubbench has not.

const root = document.documentElement;
const $ = (selector, from = document) => from.querySelector(selector);
const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
root.classList.add("on");
const probe = document.body.appendChild(document.createElement("span")); // see style

function theme() {
  const button = $("#theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const name = () => {
    button.textContent = dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", "Switch to " + (dark() ? "light" : "dark") + " colours");
    for (const chart of charts.values()) chart.paint();
  };
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    name();
  });
  system.addEventListener("change", name);
  name();
}

async function unpack(packed) {
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
      const source = document.getElementById(plot.dataset.figure);
      if ("packed" in source.dataset) source.textContent = await unpack(JSON.parse(source.textContent));
      plot.style.height = plot.dataset.height + "px";
      charts.set(plot, new Chart(plot));
    }
  }
}

// show puts a load into the hub diagram and its phase into the plot, both as the page's own template made them.
function show(load, id) {
  const old = $("#hub .hub");
  const next = document.createElement("template");
  next.innerHTML = load.hub;
  const paths = $$("path", next.content), now = $$("path[d]:not(.mark path)", old);
  if (paths.length === now.length && old.className === $(".hub", next.content).className) { // so that the cables move
    now.forEach((path, i) => path.setAttribute("d", paths[i].getAttribute("d")));
    const parts = (hub) => $$(":scope > :not(svg)", hub), others = parts($(".hub", next.content));
    parts(old).forEach((part, i) => part.replaceWith(others[i]));
    old.style.cssText = $(".hub", next.content).style.cssText;
  } else $("#hub").replaceChildren(next.content);
  if ($("#time")) $("#time").innerHTML = load.plot || '<p class="cap">Its files are in the details of the phase.</p>';
  if ($("#time-name")) $("#time-name").textContent = load.title;
  for (const button of $$("[data-load]")) button.setAttribute("aria-pressed", button.dataset.load === id);
}

function choose(loads) {
  addEventListener("click", (event) => {
    const id = event.target.closest("[data-load]")?.dataset.load;
    if (id && loads[id]) {
      show(loads[id], id);
      if (!event.target.closest("#seg")) $("#hub").scrollIntoView({ block: "nearest", behavior: "smooth" });
    }
  });
}

// race plays a phase back: the cables, the cards and the line in the plot share one clock.
function race(state) {
  const range = $("#moment"), play = $("#play"), head = $(".plot .head"), hub = $("#hub .hub");
  const paths = $$("path[d]:not(.mark path)", hub), rows = $$("li", hub), n = rows.length;
  range.max = state.end;
  range.hidden = play.hidden = false;
  const rateAt = (points, t) => points.find((p) => p[0] <= t && t < p[1])?.[2] ?? 0;
  const ribbon = (a, thick, b, end) => `M0 ${a}C50 ${a} 50 ${b} 100 ${b}v${end}C50 ${b + end} 50 ${a + thick} 0 ${a + thick}Z`;
  const digits = (rate) => (rate >= 99.95 ? rate.toFixed(0) : rate.toPrecision(3));
  function draw(rates, t, when, what) {
    const thick = rates.map((rate) => (rate > 0 ? Math.max(state.minimum, rate * state.scale) : 0));
    const trunk = thick.reduce((a, b) => a + b, 0);
    let y = (state.height - trunk) / 2;
    hub.style.setProperty("--T", trunk);
    $(".tot", hub).textContent = digits(rates.reduce((a, b) => a + b, 0)) + " " + state.unit;
    state.disks.forEach((disk, i) => {
      const middle = (state.height - n * state.row) / 2 + state.row * (i + 0.5);
      const ghost = Math.min(Math.max(disk.baseline * state.scale, thick[i]), state.row - 4);
      paths[i].setAttribute("d", `M0 ${y}H100v${thick[i]}H0Z`);
      paths[n + i].setAttribute("d", ribbon(y, thick[i], middle - ghost / 2, ghost));
      paths[2 * n + i].setAttribute("d", ribbon(y, thick[i], middle - thick[i] / 2, thick[i]));
      y += thick[i];
      const over = t >= disk.end, kept = disk.baseline ? Math.round((100 * rates[i]) / disk.baseline) : 0;
      rows[i].className = over ? "off" : "";
      $(".verb", rows[i]).textContent = over ? "has finished" : disk.verb;
      $(".v", rows[i]).textContent = over ? "0" : digits(rates[i]);
      $(".k", rows[i]).textContent = kept && !over ? kept + " %" : "";
      $(".k", rows[i]).classList.toggle("neg", kept < 90);
    });
    $("#at").textContent = when;
    $("#stage").textContent = what;
    range.setAttribute("aria-valuetext", when + " " + what);
  }
  const press = (stage) => $$("[data-stage]").forEach((b, i) => b.setAttribute("aria-pressed", state.stages[i] === stage));
  function moment(t) {
    const stage = state.stages.find((s) => s.from <= t && t < s.to);
    draw(state.disks.map((disk) => rateAt(disk.points, t)), t, Math.round(t) + " s", stage ? stage.text : "");
    press(stage);
    range.value = t;
    head.hidden = false;
    head.style.left = (100 * t) / state.end + "%";
  }
  let frame = 0;
  const stop = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    play.textContent = "▶ Play";
  };
  play.addEventListener("click", () => {
    if (frame) return stop();
    let t = +range.value >= state.end - 0.1 ? 0 : +range.value, last = performance.now();
    play.textContent = "❚❚ Pause";
    const step = (now) => {
      t += ((now - last) / 1000) * (state.end / 12); // all of it in 12 seconds
      last = now;
      moment(Math.min(t, state.end));
      if (t >= state.end) stop();
      else frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
  });
  range.addEventListener("input", () => {
    stop();
    moment(+range.value);
  });
  $$("[data-stage]").forEach((button, i) => button.addEventListener("click", () => {
    stop();
    const stage = state.stages[i];
    draw(stage.rates, (stage.from + stage.to) / 2, Math.round(stage.from) + "–" + Math.round(stage.to) + " s", stage.text + ", mean");
    press(stage);
    range.value = stage.from;
    head.hidden = true;
  }));
}

function download(url, name) {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  $("#saved").textContent = name + " saved";
}

function save(content, type, name) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  download(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

// The page's data as files: the analysis and the events as hubbench wrote them, and each table.
addEventListener("click", async ({ target }) => {
  const { get, name, csv } = target.closest("button")?.dataset ?? {};
  if (get === "summary") {
    const { textContent } = $("script[id^=hubbench-]");
    save(textContent.startsWith('"') ? await unpack(JSON.parse(textContent)) : textContent, "application/json", name + ".json");
  }
  if (get === "events") save(await unpack(JSON.parse($("#hubbench-events").textContent).gzip), "application/x-ndjson", "events.jsonl");
  if (csv) { // with nothing in it that a spreadsheet would run
    const quote = (text) => '"' + text.trim().replace(/\s+/g, " ").replace(/^[=+@-]/, "'$&").replaceAll('"', '""') + '"';
    const lines = [...target.closest("table").rows].map((row) => [...row.cells].map((cell) => quote(cell.textContent)).join(","));
    save(lines.join("\n") + "\n", "text/csv", csv + ".csv");
  }
});

// A link leads into details that may be closed.
function follow() {
  let target = null;
  try {
    target = location.hash ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  } catch {
    return; // no link of this page
  }
  for (let d = target?.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
  target?.scrollIntoView();
}

addEventListener("toggle", async (event) => {
  const packed = event.target.open && $(":scope > .packed", event.target);
  if (packed) packed.outerHTML = await unpack(JSON.parse(packed.textContent)); // as the page's own template made it
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
    const state = JSON.parse(await unpack(JSON.parse(packed.textContent)));
    choose(state.loads);
    if (state.race) race(state.race);
  }
  follow();
  await draw();
  root.dataset.ready = Math.round(performance.now());
}
start();
