package html

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/forecast"
	hubmodel "github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// findBadLabels says which labels a reader cannot read: those that lie on one another, and those
// that are cut. The words of charts are what a repaint passes to fillText, at their places in the
// page; all others are the lines of text nodes, as far as what scrolls shows them.
const findBadLabels = `(() => {
	const found = [], labels = [];
	const add = (words, box, cut) => {
		if (cut) found.push(words + " is cut");
		if (box.right - box.left > 1 && box.bottom - box.top > 1) labels.push({ words, ...box });
	};
	const exceeds = (box, edge) => box.left < edge.left - 1 || box.right > edge.right + 1 || box.top < edge.top - 1 || box.bottom > edge.bottom + 1;

	const pens = CanvasRenderingContext2D.prototype, fillText = pens.fillText;
	pens.fillText = function (words, x, y, ...rest) {
		if (this.canvas.checkVisibility() && String(words).trim()) {
			const size = this.measureText(words), edge = this.canvas.getBoundingClientRect(), scale = edge.width / this.canvas.width;
			const onPage = (x, y) => {
				const at = this.getTransform().transformPoint(new DOMPoint(x, y));
				return { x: edge.left + at.x * scale, y: edge.top + at.y * scale };
			};
			const a = onPage(x - size.actualBoundingBoxLeft, y - size.actualBoundingBoxAscent);
			const z = onPage(x + size.actualBoundingBoxRight, y + size.actualBoundingBoxDescent);
			const box = { left: Math.min(a.x, z.x), right: Math.max(a.x, z.x), top: Math.min(a.y, z.y), bottom: Math.max(a.y, z.y) };
			add(words, box, exceeds(box, edge));
		}
		return fillText.call(this, words, x, y, ...rest);
	};
	document.getElementById("theme").click(); // which paints all charts at once
	pens.fillText = fillText;

	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
	for (let node; (node = walker.nextNode()); ) {
		const words = node.data.trim().replace(/\s+/g, " ").slice(0, 40), parent = node.parentElement;
		if (!words || !parent.checkVisibility({ visibilityProperty: true }) || parent.closest(".sr, noscript, option, [hidden]")) continue;
		range.selectNodeContents(node);
		for (const line of range.getClientRects()) {
			const air = line.height * 0.18; // above and below the letters
			const box = { left: line.left, right: line.right, top: line.top + air, bottom: line.bottom - air };
			let cut = false;
			for (let around = parent; around !== document.body; around = around.parentElement) {
				const { overflowX, display } = getComputedStyle(around), edge = around.getBoundingClientRect();
				if (overflowX === "visible" || display === "inline") continue;
				if (overflowX === "hidden") cut ||= exceeds(box, edge);
				box.left = Math.max(box.left, edge.left);
				box.right = Math.min(box.right, edge.right);
				box.top = Math.max(box.top, edge.top);
				box.bottom = Math.min(box.bottom, edge.bottom);
			}
			add(words, box, cut || box.left < -1 || box.right > innerWidth + 1);
		}
	}

	labels.forEach((a, i) => labels.slice(i + 1).forEach((b) => {
		const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left), high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
		if (wide > 1 && high > 1) found.push(a.words + " lies on " + b.words);
	}));
	return found;
})()`

// No label of a page lies on another, and none is cut, however many disks there are, in both
// themes, and with all details closed or open.
func TestLabelsAreLegible(t *testing.T) {
	ctx, docs := browserFor(t), answers()
	docs["two"], docs["four"] = reportOf(two()), reportOf(twelve(4))
	docs["plan"] = plan(t)
	for _, name := range []string{"two", "four", "study", "twelve", "streams", "race", "comparison",
		"plan", "hostile", "check", "checkup"} {
		t.Run(name, func(t *testing.T) {
			tab := openPage(t, ctx, pageOf(t, docs[name], nil, library()),
				screen{width: 1280, height: 844})
			for _, open := range []bool{false, true} {
				if open {
					// The last phase, which all disks take part in.
					tab.do(chromedp.Evaluate[chromedp.Void](drawCharts(`[...document.querySelectorAll(".phase")].at(-1)`), chromedp.EvalAwaitPromise))
				}
				for _, tab.width = range []int64{1280, 390} {
					tab.do(chromedp.EmulateViewport(tab.width, tab.height))
					tab.settle()
					for range 2 { // looking for labels switches between light and dark
						for _, bad := range eval[[]string](tab, findBadLabels) {
							t.Errorf("%d px, open: %v: %s", tab.width, open, bad)
						}
					}
					for _, card := range eval[[]string](tab, `[...document.querySelectorAll(".hub li")].filter((row) => row.firstElementChild.offsetHeight > row.offsetHeight).map((row) => row.innerText)`) {
						t.Errorf("%d px: higher than its row: %q", tab.width, card)
					}
					tab.fits()
				}
			}
		})
	}
}

// plan is what hubbench would do for three disks.
func plan(t *testing.T) *report.Document {
	t.Helper()
	data, _ := configs.Scenario("study-demo")
	loaded, err := scenario.Load("study-demo.yaml", data)
	check.Must(t, err)
	planned, err := loaded.Plan()
	check.Must(t, err)
	model, _ := configs.Hub("goshen-ridge")
	profile, err := hubmodel.Load("goshen-ridge", model)
	check.Must(t, err)
	forecasts, err := forecast.Of(planned, profile, nil)
	check.Must(t, err)
	out := report.Plan{Plan: planned, Model: "goshen-ridge", Forecasts: forecasts,
		Total: forecast.Total(forecasts)}
	for _, d := range planned.Disks {
		out.Disks = append(out.Disks,
			report.PlannedDisk{Name: d.Name, Where: "simulated as " + d.Name})
	}
	return report.OfPlan(out)
}

// two disks with long names write and read, each alone and both together.
func two() *trace.Run {
	disks := []string{"Samsung T7 left", "Crucial X9 right"}
	var s fixture.Study
	for _, op := range []trace.Role{trace.Write, trace.Read} {
		for _, disk := range disks {
			s.Add(fmt.Sprintf("%s %ss", disk, op), disk, op, 20, 2e9)
		}
		for i, disk := range disks {
			s.Add(fmt.Sprintf("both %s", op), disk, op, 20, 0.9e9+4e8*float64(i))
		}
	}
	return s.Run("two", disks...)
}
