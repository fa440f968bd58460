// The page around the charts: phases, theme. It shows what hubbench worked out, and works out none itself.

const charts = new Map(); // plot element -> its chart

function download(url, name) {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}

// Charts far down the page wait until they come near.
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
  if (!globalThis.echarts) return;
  const plots = $$(".plot").filter((plot) => !plot.closest("[hidden], details:not([open])") && !plot.parentElement.querySelector("[data-packed]"));
  plots.forEach((plot, i) => {
    plot.style.height = plot.dataset.height + "px";
    if (i === 0 || !near || charts.has(plot)) show(plot);
    else near.observe(plot);
  });
}
addEventListener("toggle", async (event) => {
  const packed = event.target.open && event.target.querySelector(":scope > .packed");
  if (packed) packed.outerHTML = await unpack(JSON.parse(packed.textContent)); // as the page's own template made it
  draw();
}, true);

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
  summary: async () => [$$("[data-get=summary]")[0].textContent, "application/json", await summary()],
  events: async () => ["events.jsonl", "application/x-ndjson", await events()],
  files: async () => ["files.csv", "text/csv", table(await events())],
};

async function summary() {
  const text = document.querySelector("script[id^=hubbench-]").textContent;
  return text.startsWith('"') ? unpack(JSON.parse(text)) : text;
}

async function events() {
  return unpack(JSON.parse(document.getElementById("hubbench-events").textContent).gzip);
}

async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

function table(lines) {
  // The same as the command's (see cells.Clean): no mark of direction, and a dot for a control character.
  const clean = (name) => name.replace(/\p{Bidi_Control}/gu, "").replace(/[\p{Cc}\u2028\u2029]/gu, "·");
  const tame = (name) => clean(name).replace(/^[=+\-@]/, "'$&");
  const quote = (text) => (/^\s|[",\r\n]/.test(text) || text === "\\." ? '"' + text.replace(/"/g, '""') + '"' : text);
  const seconds = (ns) => (ns < 0 ? "-" : "") + Math.floor(Math.abs(ns) / 1e9) + "." + String(Math.abs(ns) % 1e9).padStart(9, "0");
  const phases = new Map();
  let order = [], simulated = false;
  for (const line of lines.split("\n")) {
    let event;
    try {
      event = JSON.parse(line);
    } catch {
      continue; // empty, or torn at the end
    }
    if (event.type === "run") {
      order = event.disks.map((disk) => disk.name);
      simulated = event.disks.length > 0 && event.disks.every((disk) => disk.profile);
    }
    if (!event.phase) continue;
    if (!phases.has(event.phase)) phases.set(event.phase, []);
    if (event.type === "file") phases.get(event.phase).push(event);
  }
  const place = (disk) => (order.includes(disk) ? order.indexOf(disk) : order.length);
  const rows = ["phase,disk,op,seq,bytes,start_s,end_s,rate,filler,simulated"];
  for (const [phase, files] of phases) {
    files.sort((a, b) => place(a.disk) - place(b.disk) || a.start_ns - b.start_ns);
    for (const f of files) {
      const usable = f.bytes > 0 && f.end_ns > f.start_ns;
      rows.push([
        quote(tame(phase)), quote(tame(f.disk)), f.op, f.seq ?? 0, f.bytes, seconds(f.start_ns), seconds(f.end_ns),
        usable ? Math.round(f.bytes / ((f.end_ns - f.start_ns) / 1e9)) : "",
        Boolean(f.filler), simulated,
      ].join(","));
    }
  }
  return rows.join("\n") + "\n";
}

// offer saves text as a file.
function offer(content, type, name) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  download(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

// tables saves one as CSV, with nothing in it that a spreadsheet would run.
function tables() {
  addEventListener("click", (event) => {
    const button = event.target.closest("[data-csv]");
    if (!button) return;
    const quote = (text) => '"' + text.trim().replace(/\s+/g, " ").replace(/^[=+@-]/, "'$&").replaceAll('"', '""') + '"';
    const lines = [...button.closest("table").rows].map((row) => [...row.cells].map((cell) => quote(cell.textContent)).join(","));
    offer(lines.join("\n") + "\n", "text/csv", button.dataset.csv + ".csv");
  });
}

function downloads() {
  const section = document.querySelector(".data");
  if (!section) return; // the page of a comparison
  section.hidden = false;
  for (const button of $$("[data-get]", section)) {
    button.addEventListener("click", async () => {
      const [name, type, content] = await data[button.dataset.get]();
      offer(content, type, name);
      document.getElementById("data-said").textContent = name + " saved";
    });
  }
}

// What is open stands in the address: the phase, and how its first chart is zoomed.
function remember(zoom, phase) {
  const open = phase || document.querySelector(".phase:not([hidden])")?.id;
  if (open) history.replaceState(null, "", "#" + open + (zoom ? "&zoom=" + zoom : ""));
}

// unpackPhase gives a phase that nobody has opened its charts.
async function unpackPhase(section) {
  for (const figure of $$("script[data-packed]", section)) {
    figure.textContent = await unpack(JSON.parse(figure.textContent));
    delete figure.dataset.packed;
  }
}

function zoomTo(section, zoom) {
  const [start, end] = (zoom || "").split("-").map(Number), plot = section.querySelector(".plot");
  if (end > start && start >= 0 && plot && globalThis.echarts) show(plot).zoom(start, end);
}

const many = 12; // phases: more are chosen from a list

async function tabs() {
  const bar = document.querySelector(".tabs"), phases = $$(".phase");
  const [wanted, zoom] = location.hash.slice(1).split("&zoom=");
  if (!bar || phases.length < 2) {
    draw();
    if (phases.length) zoomTo(phases[0], zoom);
    return;
  }
  const open = async (id) => {
    const section = document.getElementById(id);
    mark(id);
    for (const phase of phases) phase.hidden = phase !== section;
    await unpackPhase(section);
    draw();
    return section;
  };
  const choose = (id) => {
    remember("", id);
    return open(id);
  };
  const folded = phases.some((phase) => phase.dataset.fold);
  const mark = folded || phases.length > many ? list(bar, phases, choose) : buttons(bar, phases, choose);
  for (const link of $$("main a[href^='#phase-']")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      choose(link.hash.slice(1));
      bar.scrollIntoView({ block: "start" });
    });
  }
  bar.hidden = false;
  const first = document.querySelector("main").dataset.open;
  zoomTo(await open(phases.some((phase) => phase.id === wanted) ? wanted : first), zoom);
}

function list(bar, phases, choose) {
  const select = document.createElement("select");
  select.setAttribute("aria-label", "Phase");
  const groups = new Map(); // tries of searches, by search: after the phases that stand for themselves
  for (const phase of phases) {
    const fold = phase.dataset.fold, option = new Option(phase.dataset.name, phase.id);
    if (!fold) {
      select.append(option);
      continue;
    }
    if (!groups.has(fold)) groups.set(fold, Object.assign(document.createElement("optgroup"), { label: fold }));
    groups.get(fold).append(option);
  }
  select.append(...groups.values());
  select.addEventListener("change", () => choose(select.value));
  bar.append(select);
  return (id) => (select.value = id);
}

function buttons(bar, phases, choose) {
  bar.setAttribute("role", "tablist");
  const all = phases.map((phase) => {
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
  bar.addEventListener("keydown", (event) => {
    const now = all.indexOf(document.activeElement);
    const next = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: all.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const to = (next + phases.length) % phases.length;
    choose(phases[to].id);
    all[to].focus();
  });
  return (id) => phases.forEach((phase, i) => {
    const tab = all[i], open = phase.id === id;
    tab.setAttribute("aria-selected", String(open));
    tab.tabIndex = open ? 0 : -1;
    if (open) bar.scrollLeft = tab.offsetLeft - (bar.clientWidth - tab.offsetWidth) / 2;
  });
}

// On paper stand the answer and the phases that it is from, with the charts that the style sheet leaves, drawn for their
// width.
function printing() {
  const paper = (plot) => (plot.closest(".figures") ? 340 : plot.closest(".answer") ? 420 : 700); // pixels: A4 or Letter between its margins
  const open = () => [...charts].filter(([plot]) => plot.isConnected && !plot.closest("[hidden]"));
  let before = null;
  addEventListener("beforeprint", () => {
    if (before) return;
    before = { theme: root.dataset.theme, hidden: $$(".phase[hidden]") };
    root.dataset.theme = "light";
    for (const phase of $$(".phase")) phase.hidden = phase.dataset.print === undefined;
    draw();
    if (globalThis.echarts) for (const plot of $$(".answer .plot, .summary .plot, .phase:not([hidden]) .plot")) if (!plot.closest("details:not([open])")) show(plot).resize(paper(plot));
  });
  addEventListener("afterprint", () => {
    if (!before) return;
    if (before.theme) root.dataset.theme = before.theme;
    else delete root.dataset.theme;
    for (const phase of $$(".phase")) phase.hidden = before.hidden.includes(phase);
    before = null;
    for (const [, chart] of open()) chart.resize();
  });
}

printing();
theme();
downloads();
tables();
addEventListener("resize", draw);
tabs().then(() => (root.dataset.painted = Math.round(performance.now()))); // milliseconds since the page was opened
