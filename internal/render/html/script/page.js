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
}

// draw makes or fits the charts of the visible phase, the first of them at once.
function draw() {
  const plots = $$(".plot").filter((plot) => !plot.closest("[hidden]"));
  for (const plot of plots) plot.style.height = plot.dataset.height + "px";
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

tabs();
draw();
theme();
addEventListener("resize", draw);
root.dataset.painted = "true";
