package html

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"go.uber.org/goleak"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/trace"
)

// TestMain stops the browser, and fails where a goroutine outlives the tests.
func TestMain(m *testing.M) {
	code := m.Run()
	stopBrowser()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

var stopBrowser = func() {}

// chrome is the headless browser of all tests, in which each opens tabs of its own.
var chrome = sync.OnceValues(func() (context.Context, error) {
	options := chromedp.DefaultExecAllocatorOptions[:]
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses to sandbox for root
	}
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stopTab := chromedp.NewContext(ctx)
	ctx, stopClock := context.WithTimeout(ctx, 15*time.Minute)
	stopBrowser = func() { stopClock(); stopTab(); stop() }
	return ctx, chromedp.Do(ctx)
})

// browserFor is the browser, or skips the test where there is none.
func browserFor(t *testing.T) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds to start")
	}
	found := false
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome",
		"google-chrome-stable", "chrome", "headless-shell"} {
		if _, err := exec.LookPath(name); err == nil {
			found = true
		}
	}
	if library() == nil {
		missing(t, "the chart library is not built: install Node and run make build")
	}
	if !found {
		missing(t, "no browser to look at the page with: install chromium")
	}
	ctx, err := chrome()
	if err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	return ctx
}

// missing skips where a person works, and fails where a machine is there to check everything.
func missing(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// tab is a report open in a browser. Anything on its console and any request is a failure of the
// test.
type tab struct {
	context.Context
	t    *testing.T
	file string
	screen
}

type screen struct {
	width, height int64
	dark          bool
	static        bool // a report without the chart library
	noScript      bool
	blocked       bool // scripts are meant to be blocked, which the console says
}

// open writes the run's report to a file and opens it.
func open(t *testing.T, parent context.Context, run *trace.Run, s screen) *tab {
	t.Helper()
	charts := library()
	if s.static {
		charts = nil
	}
	return openPage(t, parent, pageOf(t, reportOf(run), eventsOf(run), charts), s)
}

// openPage opens a page from a file of its own.
func openPage(t *testing.T, parent context.Context, page []byte, s screen) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	check.Must(t, os.WriteFile(file, page, 0o644))
	ctx, cancel := chromedp.NewContext(parent)
	tab := &tab{Context: ctx, t: t, file: file, screen: s}
	scheme := "light"
	if s.dark {
		scheme = "dark"
	}
	tab.do(chromedp.EmulateViewport(s.width, s.height))
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	}); err != nil {
		t.Fatal(err)
	}
	tab.watch(cancel)
	if s.noScript {
		if _, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled,
			emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
			t.Fatal(err)
		}
	}
	tab.do(chromedp.Navigate("file://" + filepath.ToSlash(file)))
	if s.noScript {
		return tab
	}
	tab.wait(`document.documentElement.dataset.ready !== undefined`)
	return tab
}

// watch collects what must not happen, and fails the test at its end where it did.
func (tab *tab) watch(stop context.CancelFunc) {
	var mu sync.Mutex
	var bad []string
	note := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		bad = append(bad, fmt.Sprintf(format, args...))
	}
	console, requests := chromedp.Console(tab), chromedp.Events(tab, network.RequestWillBeSent)
	if _, err := chromedp.Call(tab, network.Enable, network.EnableParams{}); err != nil {
		tab.t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() {
		for message, err := range console {
			if err != nil {
				return
			}
			if text := fmt.Sprint(message); !tab.blocked ||
				!strings.Contains(text, "Content Security Policy") {
				note("console: %s", text)
			}
		}
	})
	done.Go(func() {
		for event, err := range requests {
			if err != nil {
				return
			}
			url := event.Request.URL
			if !strings.HasSuffix(url, "/report.html") && !strings.HasPrefix(url, "data:") &&
				!strings.HasPrefix(url, "blob:") {
				note("request: %s", url)
			}
		}
	})
	tab.t.Cleanup(func() {
		stop()
		done.Wait()
		for _, line := range bad {
			tab.t.Error(line)
		}
	})
}

func (tab *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	check.Must(tab.t, chromedp.Do(tab, actions...))
}

func (tab *tab) wait(expression string) {
	tab.t.Helper()
	if _, err := chromedp.Run(tab, chromedp.Poll[bool](expression,
		chromedp.WithPollingTimeout(20*time.Second))); err != nil {
		tab.t.Fatalf("wait for %s: %v", expression, err)
	}
}

// eval is the value of an expression in the page.
func eval[T any](tab *tab, expression string) T {
	tab.t.Helper()
	value, err := chromedp.Run(tab, chromedp.Evaluate[T](expression))
	if err != nil {
		tab.t.Fatalf("evaluate %s: %v", expression, err)
	}
	return value
}

// texts are those of the elements that a selector finds.
func texts(tab *tab, selector string) []string {
	tab.t.Helper()
	const all = "[...document.querySelectorAll(%q)].map((e) => e.textContent)"
	return eval[[]string](tab, fmt.Sprintf(all, selector))
}

// fits holds the page to the width of its window.
func (tab *tab) fits() {
	tab.t.Helper()
	if wide := eval[int64](tab, `document.documentElement.scrollWidth`); wide > tab.width {
		tab.t.Errorf("the page is %d px wide in a window of %d", wide, tab.width)
	}
}

// chart opens the details that a chart is in, brings it into view, and waits until it is drawn. A
// chart is named by its figure, such as phase-1-time.
func (tab *tab) chart(figure string) {
	tab.t.Helper()
	tab.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
		const chart = document.querySelector("[data-figure='%s']");
		for (let d = chart.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
		chart.scrollIntoView({ block: "center" });
	})()`, figure)))
	tab.wait(fmt.Sprintf(`document.querySelector("[data-figure='%s'] canvas") !== null`, figure))
	tab.settle()
}

// painted counts a chart's pixels in each disk's colour, in the order of the disks.
func painted(tab *tab, figure string, disks int) []int {
	tab.t.Helper()
	tab.chart(figure)
	return eval[[]int](tab, fmt.Sprintf(`(() => {
		const canvas = document.querySelector("[data-figure='%s'] canvas"), probe = document.body.appendChild(document.createElement("span"));
		const copy = document.createElement("canvas");
		copy.width = canvas.width;
		copy.height = canvas.height;
		const pen = copy.getContext("2d", { willReadFrequently: true });
		pen.drawImage(canvas, 0, 0);
		const data = pen.getImageData(0, 0, canvas.width, canvas.height).data;
		const counts = [...Array(%d).keys()].map((i) => {
			probe.style.color = "var(--c" + i + ")";
			const [r, g, b] = getComputedStyle(probe).color.match(/\d+/g).map(Number);
			let n = 0;
			for (let p = 0; p < data.length; p += 4)
				if (Math.abs(data[p] - r) + Math.abs(data[p + 1] - g) + Math.abs(data[p + 2] - b) < 12) n++;
			return n;
		});
		probe.remove();
		return counts;
	})()`, figure, disks))
}

// drawAll opens the first phase and what else is closed outside the phases, draws every chart of
// these, and goes back to the top.
func (tab *tab) drawAll() {
	tab.t.Helper()
	tab.do(chromedp.Evaluate[chromedp.Void](drawCharts("document.querySelector('.phase')"),
		chromedp.EvalAwaitPromise))
	tab.settle()
}

// drawCharts opens a phase and all outside the phases, and draws all that can be seen. The phase is
// an expression.
func drawCharts(phase string) string {
	return `(async () => {
		const frame = () => new Promise((done) => requestAnimationFrame(done)), phase = ` + phase + `;
		for (const d of document.querySelectorAll("details:not(.phase, .phase *)")) d.open = true;
		for (const d of phase ? [phase, ...phase.querySelectorAll("details")] : []) d.open = true;
		await frame();
		for (const chart of globalThis.echarts ? document.querySelectorAll(".chart") : []) {
			if (!chart.checkVisibility()) continue;
			chart.scrollIntoView();
			for (let waited = 0; !chart.querySelector("canvas") && waited < 300; waited++) await frame();
		}
		scrollTo(0, 0);
		await frame();
	})()`
}

var keyCodes = map[string]string{
	"ArrowRight": kb.ArrowRight, "ArrowLeft": kb.ArrowLeft, "Home": kb.Home, "End": kb.End,
	"Escape": kb.Escape,
}

// focus puts the keyboard into a chart.
func (tab *tab) focus(figure string) {
	tab.t.Helper()
	tab.do(chromedp.Focus(chromedp.CSS(fmt.Sprintf("[data-figure='%s']", figure))))
}

// click presses an element where it stands, after bringing it into view.
func (tab *tab) click(selector string) {
	tab.t.Helper()
	tab.do(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
	tab.settle()
}

// press types keys into what has the focus.
func (tab *tab) press(keys ...string) {
	tab.t.Helper()
	for _, key := range keys {
		if code, named := keyCodes[key]; named {
			key = code
		}
		tab.do(chromedp.KeyEvent(key))
	}
	tab.settle()
}

// wheel turns the mouse's wheel over a place of the window.
func (tab *tab) wheel(x, y, delta float64, modifiers int64) {
	tab.t.Helper()
	if _, err := chromedp.Call(tab, input.DispatchMouseEvent, input.DispatchMouseEventParams{
		// A zero would be left out, which Chromium refuses.
		Type: input.DispatchMouseEventTypeMouseWheel, X: x, Y: y, DeltaX: 1e-9, DeltaY: delta,
		Modifiers: modifiers,
	}); err != nil {
		tab.t.Fatal(err)
	}
	tab.settle()
}

// settle waits until the page has painted twice: ECharts draws on the next frame.
func (tab *tab) settle() {
	tab.t.Helper()
	tab.do(chromedp.Evaluate[chromedp.Void](
		`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done()))))`,
		chromedp.EvalAwaitPromise))
}

// eventsOf is the run as events.jsonl: what a recording of it would hold.
func eventsOf(run *trace.Run) (out []byte) {
	add := func(e trace.Event) { out = trace.AppendEvent(out, &e) }
	add(trace.Event{
		Type: trace.RunType, Version: trace.FormatVersion, Name: run.Name, Started: run.Started,
		Disks: run.Disks,
	})
	for _, phase := range run.Phases {
		add(trace.Event{
			Type: trace.PhaseType, Phase: phase.Name, Roles: phase.Roles, Stop: phase.Stop,
			Work:   phase.Work,
			Search: phase.Search,
		})
		for _, disk := range phase.Disks {
			add := func(e trace.Event) {
				e.Phase, e.Disk = phase.Name, disk.Name
				add(e)
			}
			if disk.LateNS != nil {
				add(trace.Event{Type: trace.StartType, LateNS: *disk.LateNS})
			}
			for _, f := range disk.Files {
				for _, at := range f.Samples() {
					add(trace.Event{Type: trace.ProgressType, Seq: f.Seq, Bytes: at.Bytes,
						TNS: at.TNS})
				}
				add(trace.Event{
					Type: trace.FileType, Op: disk.Op, Seq: f.Seq, Bytes: f.Bytes,
					StartNS: f.StartNS, EndNS: f.EndNS,
				})
			}
			for _, s := range disk.Streams {
				for _, at := range s.Samples {
					add(trace.Event{
						Type: trace.StreamType, Stream: s.Name, TNS: at.TNS, Due: at.Due,
						Late:     at.Late,
						BufferNS: at.BufferNS, StallNS: at.StallNS,
					})
				}
			}
			for _, l := range disk.Latencies {
				add(trace.Event{Type: trace.LatencyType, Op: l.Op, TNS: l.TNS,
					Hist: latency.Encode(l.Hist)})
			}
		}
	}
	add(trace.Event{Type: trace.EndType, Status: run.Status})
	return out
}
