// The page around the charts: phases, theme. It shows what hubbench worked out, and works out none itself.

const charts = new Map(); // plot element -> its chart

function download(url, name) {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}

// Charts far down the page wait until they come near.
for (const plot of $$(".plot")) plot.style.height = plot.dataset.height + "px";

const near = globalThis.IntersectionObserver && new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) show(entry.target);
}, { rootMargin: "300px" });

function show(plot) {
  near?.unobserve(plot);
  if (charts.has(plot)) charts.get(plot).resize();
  else charts.set(plot, new Chart(plot));
  return charts.get(plot);
}

// draw makes or fits the charts of the visible phase, the first of them at once.
function draw() {
  const plots = $$(".plot").filter((plot) => !plot.closest("[hidden]"));
  plots.forEach((plot, i) => {
    if (i === 0 || !near || charts.has(plot)) show(plot);
    else near.observe(plot);
  });
}

function theme() {
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const tell = () => {
    button.textContent = dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", "Switch to " + (dark() ? "light" : "dark") + " colours");
  };
  const change = () => {
    tell();
    for (const chart of charts.values()) chart.paint();
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    change();
  });
  system.addEventListener("change", change);
  tell();
}

// The page's data as files: the analysis and the events as hubbench wrote them, and the files as the CSV that
// hubbench report --format csv writes.
const data = {
  summary: async () => ["analysis.json", "application/json", document.getElementById("hubbench-summary").textContent],
  events: async () => ["events.jsonl", "application/x-ndjson", await events()],
  files: async () => ["files.csv", "text/csv", table(await events())],
};

async function events() {
  const packed = JSON.parse(document.getElementById("hubbench-events").textContent).gzip;
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

function table(lines) {
  const tame = (name) => (/^[=+\-@\t\r]/.test(name) ? "'" + name : name);
  const quote = (text) => (/^\s|[",\r\n]/.test(text) || text === "\\." ? '"' + text.replace(/"/g, '""') + '"' : text);
  const seconds = (ns) => (ns < 0 ? "-" : "") + Math.floor(Math.abs(ns) / 1e9) + "." + String(Math.abs(ns) % 1e9).padStart(9, "0");
  const phases = new Map();
  let order = [];
  for (const line of lines.split("\n")) {
    let event;
    try {
      event = JSON.parse(line);
    } catch {
      continue; // empty, or torn at the end
    }
    if (event.type === "run") order = event.disks.map((disk) => disk.name);
    if (!event.phase) continue;
    if (!phases.has(event.phase)) phases.set(event.phase, []);
    if (event.type === "file") phases.get(event.phase).push(event);
  }
  const place = (disk) => (order.includes(disk) ? order.indexOf(disk) : order.length);
  const rows = ["phase,disk,op,seq,bytes,start_s,end_s,rate,filler"];
  for (const [phase, files] of phases) {
    files.sort((a, b) => place(a.disk) - place(b.disk) || a.start_ns - b.start_ns);
    for (const f of files) {
      const usable = f.bytes > 0 && f.end_ns > f.start_ns;
      rows.push([
        quote(tame(phase)), quote(tame(f.disk)), f.op, f.seq ?? 0, f.bytes, seconds(f.start_ns), seconds(f.end_ns),
        usable ? Math.round(f.bytes / ((f.end_ns - f.start_ns) / 1e9)) : "",
        Boolean(f.filler),
      ].join(","));
    }
  }
  return rows.join("\n") + "\n";
}

function downloads() {
  const section = document.querySelector(".data");
  if (!section) return; // the page of a comparison
  section.hidden = false;
  for (const button of $$("[data-get]", section)) {
    button.addEventListener("click", async () => {
      const [name, type, content] = await data[button.dataset.get]();
      const url = URL.createObjectURL(new Blob([content], { type }));
      download(url, name);
      setTimeout(() => URL.revokeObjectURL(url), 60000);
      document.getElementById("data-said").textContent = name + " saved";
    });
  }
}

function tabs() {
  const bar = document.querySelector(".tabs"), phases = $$(".phase");
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
  const open = (id) => {
    phases.forEach((phase, i) => {
      const on = phase.id === id;
      phase.hidden = !on;
      buttons[i].setAttribute("aria-selected", String(on));
      buttons[i].tabIndex = on ? 0 : -1;
    });
    draw();
  };
  const choose = (id) => {
    open(id);
    history.replaceState(null, "", "#" + id);
  };
  bar.addEventListener("keydown", (event) => {
    const now = buttons.indexOf(document.activeElement);
    const next = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const to = (next + phases.length) % phases.length;
    choose(phases[to].id);
    buttons[to].focus();
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
  open(phases.some((phase) => phase.id === wanted) ? wanted : phases[0].id);
}

// On paper stand all phases, their charts drawn for its width, and every list is open.
function printing() {
  const paper = (plot) => (plot.closest(".figures") ? 400 : 760); // pixels: A4 or Letter between its margins, or half
  let before = null;
  addEventListener("beforeprint", () => {
    if (before) return;
    before = { theme: root.dataset.theme, hidden: $$(".phase[hidden]"), closed: $$("details:not([open])") };
    root.dataset.theme = "light";
    for (const phase of before.hidden) phase.hidden = false;
    for (const list of before.closed) list.open = true;
    if (globalThis.echarts) $$(".plot").forEach((plot) => (charts.get(plot) || show(plot)).resize(paper(plot)));
  });
  addEventListener("afterprint", () => {
    if (!before) return;
    if (before.theme) root.dataset.theme = before.theme;
    else delete root.dataset.theme;
    for (const phase of before.hidden) phase.hidden = true;
    for (const list of before.closed) list.open = false;
    before = null;
    for (const chart of charts.values()) chart.resize();
  });
}

tabs();
draw();
printing();
theme();
downloads();
addEventListener("resize", draw);
root.dataset.painted = Math.round(performance.now()); // milliseconds since the page was opened
