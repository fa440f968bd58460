package html

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// The answer is drawn in every disk's colour, at every width and in both themes, and so is the
// chart of its files.
func TestPageInBrowser(t *testing.T) {
	ctx := browserFor(t)
	for _, width := range []int64{390, 1280, 2560} {
		for _, dark := range []bool{false, true} {
			name := fmt.Sprintf("%d light", width)
			if dark {
				name = fmt.Sprintf("%d dark", width)
			}
			t.Run(name, func(t *testing.T) {
				tab := open(t, ctx, fixture.Triple(), screen{width: width, height: 900, dark: dark})
				// A cable between computer and hub and one to the disk, and the disk's files: all
				// in its colour.
				drawn := eval[[]string](tab, `[...document.querySelectorAll("#hub path:not(.ghost, .mark *), #time path[stroke]")].filter((path) => {
					const box = path.getBoundingClientRect();
					return box.width > 20 && box.height > 0.5;
				}).map((path) => path.getAttribute("fill") || path.getAttribute("stroke"))`)
				for i := range 3 {
					colour := fmt.Sprintf("var(--c%d)", i)
					if n := strings.Count(strings.Join(drawn, " "), colour); n < 3 {
						t.Errorf("disk %d: %d cables and lines in its colour, want three at least",
							i, n)
					}
				}
				for i, pixels := range painted(tab, "phase-1-time", 3) {
					if pixels < 300 {
						t.Errorf("disk %d: %d pixels in its colour, want its files to be painted",
							i, pixels)
					}
				}
				tab.fits()
			})
		}
	}
}

// hostile is a study of disks with hostile names: alone, in twos and all at once.
func hostile() *trace.Run {
	names := fixture.HostileNames()[:8]
	var s fixture.Study
	for i, name := range names {
		s.Add(name+" alone", name, trace.Write, 12, 1e9)
		if i%2 == 1 {
			s.Add(name+" and another", names[i-1], trace.Write, 12, 0.5e9)
			s.Add(name+" and another", name, trace.Write, 12, 0.5e9)
		}
	}
	for _, name := range names {
		s.Add(names[0], name, trace.Write, 12, 0.2e9)
	}
	return s.Run(names[2], names...)
}

// Names stay text wherever the page shows them: cards, heat maps, buttons, plots, charts and their
// tooltips.
func TestHostileNamesInBrowser(t *testing.T) {
	tab := open(t, browserFor(t), hostile(), screen{width: 1280, height: 900})
	const elements = `document.querySelectorAll("main img, main script:not([type]), main iframe, main [onerror]").length`
	labels := texts(tab, "#hub li bdi")
	if all := strings.Join(labels, " "); len(labels) != 8 || !strings.Contains(all, "<img") &&
		!strings.Contains(all, "</sc") {
		t.Errorf("the cards are called %q", labels)
	}
	for _, button := range eval[[]string](tab, `[...document.querySelectorAll("#pairs [data-load]")].map((e, i) => (e.id = "cell" + i))`) {
		tab.click("#" + button)
		if n := eval[int](tab, `document.querySelectorAll("#hub li").length`); n != 2 {
			t.Errorf("%s shows %d disks, want two", button, n)
		}
	}
	check.Same(t, "labels of the last pair's plot", true, eval[bool](tab, `document.querySelectorAll("#time .lab, #time .t").length > 0`))
	heads := texts(tab, "#pairs tbody th")
	if len(heads) != 8 || !strings.HasPrefix(heads[2], `"'>`) {
		t.Errorf("the rows of the heat map are called %q", heads)
	}
	tab.do(chromedp.Evaluate[chromedp.Void](`location.hash = "phase-13"`))
	for i, pixels := range painted(tab, "phase-13-time", 8) {
		if pixels < 100 {
			t.Errorf("disk %d: %d pixels in its colour, want its files to be painted", i, pixels)
		}
	}
	want := fixture.HostileNames()[:8]
	got := eval[[]string](tab, `[...document.querySelectorAll("#phase-13 figure:has([data-figure$='-time']) .legend .name")].map((e) => e.title || e.textContent.trim())`)
	check.Same(t, "names in the legend", want, got)
	// The tooltip is made in the page from the names.
	tab.focus("phase-13-time")
	tab.press("ArrowRight")
	tip := eval[[]string](tab, `[...document.querySelectorAll("[data-figure='phase-13-time'] .tip bdi")].map((e) => e.title)`)
	check.Same(t, "names in the tooltip", want, tip)
	if n := eval[int](tab, elements); n != 0 {
		t.Errorf("%d elements came out of a name", n)
	}
}

// A script that is put into the page does not run, from whatever place.
func TestInjectedScriptsAreBlocked(t *testing.T) {
	whole := string(pageOf(t, reportOf(fixture.Triple()), nil, library()))
	whole = strings.Replace(whole, "<main>", `<main><script>globalThis.ran = 1</script><img src="data:," onerror="globalThis.ran = 2">`, 1)
	tab := openPage(t, browserFor(t), []byte(whole),
		screen{width: 1280, height: 900, blocked: true})
	tab.do(chromedp.Evaluate[chromedp.Void](`(() => {
		const script = document.createElement("script");
		script.textContent = "globalThis.ran = 3";
		document.body.append(script);
		document.body.insertAdjacentHTML("beforeend", "<a id='bad' href='javascript:globalThis.ran = 4'>x</a><img src='data:,' onerror='globalThis.ran = 5'>");
		document.getElementById("bad").click();
	})()`))
	tab.settle()
	if eval[bool](tab, `"ran" in globalThis`) {
		t.Errorf("script %d ran", eval[int](tab, `globalThis.ran`))
	}
	if got := eval[string](tab, `document.querySelector("#hub .v").textContent`); got == "" {
		t.Error("the page does not show its answer")
	}
}

// What disks do is chosen by a button or by a cell: the diagram's numbers, the timeline and its
// title change with it.
func TestChoosingALoad(t *testing.T) {
	doc := reportOf(twoByTwo())
	tab := openPage(t, browserFor(t), pageOf(t, doc, nil, library()),
		screen{width: 1280, height: 900})
	shown := func() []string {
		return eval[[]string](tab, `[document.querySelector(".hub .tot").textContent, ...[...document.querySelectorAll("#hub li > div")].map((e) => e.innerText.replace(/\s+/g, " ")),
			document.querySelector("#time-name").textContent, document.querySelector("#time svg").getAttribute("aria-label")]`)
	}
	pressed := func() []string {
		return eval[[]string](tab, `[...document.querySelectorAll("[data-load][aria-pressed=true]")].map((e) => e.dataset.load)`)
	}
	want := func(s *report.FlowState) []string {
		out := []string{s.Total.Text}
		for _, d := range s.Disks {
			words := []string{d.Label, d.Verb, d.Value.Text, d.Of, d.Keeps.Text}
			out = append(out, strings.Join(strings.Fields(strings.Join(words, " ")), " "))
		}
		return append(out, s.Title, s.Chart.Title)
	}
	states := doc.Page.Hero.(*report.Flow).States
	first := &states[0]
	check.Same(t, "at first", want(first), shown())
	for _, id := range pressed() {
		check.Same(t, "pressed at first", first.ID, id)
	}
	for i := range states {
		l := &states[i]
		selector := fmt.Sprintf(`#pairs [data-load=%q]`, l.ID)
		if l.Choice && i > 0 {
			selector = fmt.Sprintf(`#seg [data-load=%q]`, l.ID)
		}
		if eval[bool](tab, fmt.Sprintf(`document.querySelector(%q) === null`, selector)) {
			continue // a disk alone
		}
		tab.click(selector)
		check.Same(t, l.Title, want(l), shown())
		for _, id := range pressed() {
			if id != l.ID {
				t.Errorf("%s is shown as pressed while %s is", id, l.ID)
			}
		}
	}
	if n := len(pressed()); n == 0 {
		t.Error("no button says that it is pressed")
	}
	tab.click(fmt.Sprintf(`#all th [data-load=%q]`, first.ID))
	check.Same(t, "again", want(first), shown())
}

// twoByTwo is a study of three disks: alone, in twos, and all at once, writing and reading.
func twoByTwo() *trace.Run {
	rates := map[trace.Role][]float64{trace.Write: {1.5e9, 1.4e9, 2.8e9},
		trace.Read: {2.6e9, 2.7e9, 2.5e9}}
	var s fixture.Study
	for _, op := range []trace.Role{trace.Write, trace.Read} {
		for _, disks := range []string{"A", "B", "AB", "C", "AC", "BC", "ABC"} {
			for _, disk := range disks {
				rate := rates[op][disk-'A'] / (1 + 0.4*float64(len(disks)-1))
				s.Add(string(op)+" "+disks, string(disk), op, int(rate/1e8), rate)
			}
		}
	}
	return s.Run("study", "A", "B", "C")
}

// race is one phase in which C takes most and ends first.
func race() *trace.Run {
	run := fixture.Triple()
	run.Phases = run.Phases[:1]
	return run
}

// A race is played back: at each moment every card has the rate of the file that was moved then, a
// stage has the means that the answer has, and a disk that has finished says so.
func TestPlayingARaceBack(t *testing.T) {
	run := race()
	doc := reportOf(run)
	tab := openPage(t, browserFor(t), pageOf(t, doc, nil, library()),
		screen{width: 1280, height: 900})
	cards := func() []string { return texts(tab, "#hub li .v") }
	means := cards()
	var want []string
	first := doc.Page.Hero.(*report.Flow).States[0]
	for _, d := range first.Disks {
		want = append(want, d.Value.Text)
	}
	check.Same(t, "means", want, means)
	seek := func(s float64) {
		tab.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
			const moment = document.querySelector("#moment");
			moment.value = %g;
			moment.dispatchEvent(new Event("input"));
		})()`, s)))
	}
	verbs := func() []string { return texts(tab, "#hub li .verb") }
	for _, at := range []float64{1, 20, 42, 50} {
		seek(at)
		got, total := cards(), 0.0
		for i, d := range run.Phases[0].Disks {
			rate := 0.0
			for _, f := range d.Files {
				if float64(f.StartNS) <= at*1e9 && at*1e9 < float64(f.EndNS) {
					rate = float64(f.Bytes) / float64(f.EndNS-f.StartNS) // in GB/s
				}
			}
			shown, _ := strconv.ParseFloat(got[i], 64)
			check.Near(t, fmt.Sprintf("%s at %g s", d.Name, at), rate, shown, 0.006)
			total += rate
		}
		words := eval[string](tab, `document.querySelector("#hub .tot").textContent`)
		sum, _ := strconv.ParseFloat(strings.TrimSuffix(words, " GB/s"), 64)
		check.Near(t, "together", total, sum, 0.02)
		left := eval[float64](tab, `parseFloat(document.querySelector(".plot .head").style.left)`)
		check.Near(t, "the line in the plot, in per cent", 100*at/first.Chart.X.Max,
			left, 0.1)
	}
	check.Same(t, "after C has finished", []string{"writes", "writes", "has finished"}, verbs())
	check.Same(t, "its card", true, eval[bool](tab, `document.querySelector("#hub li:nth-child(3)").classList.contains("off")`))
	tab.click(`[data-stage="1"]`)
	recovering := eval[string](tab, `document.querySelector("#stage").textContent`)
	if !strings.HasPrefix(recovering, "A and B recover in ") ||
		!strings.HasSuffix(recovering, ", mean") {
		t.Errorf("the second stage is %q", recovering)
	}
	check.Same(t, "C's card then", "0", cards()[2])
	tab.click(`[data-stage="0"]`)
	check.Same(t, "means of the first stage, as the answer's", means, cards())
	check.Same(t, "nobody has finished", []string{"writes", "writes", "writes"}, verbs())
	tab.click("#play")
	tab.wait(`Number(document.querySelector("#moment").value) > 1`)
	tab.click("#play")
	at := eval[string](tab, `document.querySelector("#moment").value`)
	tab.settle()
	check.Same(t, "the moment after a pause", at, eval[string](tab, `document.querySelector("#moment").value`))
}

func TestControls(t *testing.T) {
	tab := open(t, browserFor(t), fixture.Triple(), screen{width: 1280, height: 900})
	const figure = "phase-1-time"
	const at = `document.querySelector("[data-figure='` + figure + `']")`

	t.Run("legend", func(t *testing.T) {
		before := painted(tab, figure, 3)
		tab.click(`#phase-1 .legend button[data-key="2"]`)
		after := painted(tab, figure, 3)
		// Its level's text has the colour of its border.
		if after[2] > 200 || after[0] != before[0] {
			t.Errorf("pixels per disk %v, want those of %v without C's", after, before)
		}
		tab.click(`#phase-1 .legend button[data-key="2"]`)
		if again := painted(tab, figure, 3); again[2] != before[2] {
			t.Errorf("pixels per disk %v after showing C again, want %v", again, before)
		}
	})

	t.Run("theme", func(t *testing.T) {
		name := func() string { return eval[string](tab, `document.querySelector("#theme").textContent`) }
		check.Same(t, "the button", "Dark", name())
		tab.click("#theme")
		check.Same(t, "the button in dark colours", "Light", name())
		if got := eval[string](tab, `getComputedStyle(document.querySelector("#hub .mark")).fill`); got != "rgb(86, 180, 233)" {
			t.Errorf("first colour %s after the switch to dark, want #56b4e9", got)
		}
		for i, pixels := range painted(tab, figure, 3) {
			if pixels < 500 {
				t.Errorf("disk %d: %d pixels in its dark colour", i, pixels)
			}
		}
		tab.click("#theme")
		check.Same(t, "the button again", "Dark", name())
	})

	t.Run("zoom", func(t *testing.T) {
		before := painted(tab, figure, 3)
		tab.focus(figure)
		tab.press("+")
		if after := painted(tab, figure, 3); cmp.Equal(before, after) {
			t.Error("plus changed nothing in the picture")
		}
		tab.press("0")
		if again := painted(tab, figure, 3); !near(before, again) {
			t.Errorf("pixels per disk %v after zooming out, want %v", again, before)
		}
	})

	t.Run("the wheel scrolls the page", func(t *testing.T) {
		box := eval[[]float64](tab, `(() => { const box = `+at+`.getBoundingClientRect(); return [box.x + box.width / 2, box.y + 40]; })()`)
		from, before := eval[float64](tab, `scrollY`), painted(tab, figure, 3)
		tab.wheel(box[0], box[1], 200, 0)
		tab.wait(fmt.Sprintf(`scrollY > %g`, from))
		if after := painted(tab, figure, 3); !near(before, after) {
			t.Errorf("pixels per disk %v after the wheel, want those of %v: no zoom", after, before)
		}
	})

	t.Run("keyboard reads the chart", func(t *testing.T) {
		said := func() string { return eval[string](tab, at+`.parentElement.querySelector("[aria-live]").textContent`) }
		tab.focus(figure)
		tab.press("Home", "ArrowRight")
		first := said()
		tab.press("End")
		last := said()
		if !strings.Contains(first, "A 0.") && !strings.Contains(first, "A 1.") ||
			!strings.Contains(first, "GB/s, file ") || first == last {
			t.Errorf("the live region said %q, then %q; want the rates at two instants", first,
				last)
		}
	})

	t.Run("each table can be saved", func(t *testing.T) {
		tab.do(chromedp.Evaluate[chromedp.Void](`HTMLAnchorElement.prototype.click = function () { globalThis.saved = this; }`))
		tab.do(chromedp.Evaluate[chromedp.Void](`
			URL.createObjectURL = (blob) => { blob.text().then((text) => (globalThis.written = text)); return "#"; };
			const cells = document.querySelector("#phase-1 [data-name=disks] tbody tr").cells;
			["=A", "−33%", "+2.5", "＝A", "-3 to 3"].forEach((text, i) => (cells[i].textContent = text));`))
		tab.click(`#phase-1 [data-csv="disks"]`)
		tab.wait(`globalThis.saved !== undefined && globalThis.written !== undefined`)
		_, rows, _ := strings.Cut(eval[string](tab, `written`), "\n")
		if want := `"'=A",-33%,2.5,"'＝A","'-3 to 3",`; !strings.HasPrefix(rows, want) {
			t.Errorf("saved %q, want it to begin with %q", rows, want)
		}
		if got := eval[string](tab, `saved.download`); got != "disks.csv" {
			t.Errorf("saved as %q", got)
		}
	})

	t.Run("phases", func(t *testing.T) {
		tab.click(`[data-name="all-phases"] tbody tr:nth-child(3) a`)
		if got := eval[string](tab, `location.hash`); got != "#phase-3" {
			t.Errorf("the third link of all phases leads to %s", got)
		}
		tab.wait(`document.querySelector("#phase-3").open`)
		if got := eval[string](tab, `document.querySelector("#phase-3 summary").textContent`); !strings.HasPrefix(got, "A and B read, C writes") {
			t.Errorf("the third link of all phases shows %s, want that C writes", got)
		}
		for i, pixels := range painted(tab, "phase-3-time", 3) {
			if pixels < 500 {
				t.Errorf("disk %d: %d pixels in the third phase", i, pixels)
			}
		}
	})
}

// A link to a phase opens it, and all that it is in; one that leads nowhere does no harm.
func TestHashLinks(t *testing.T) {
	tab := open(t, browserFor(t), fixture.Triple(), screen{width: 1280, height: 900})
	for _, hash := range []string{"phase-2", "%", "nothing", "phase-3"} {
		tab.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`location.hash = %q`, hash)))
		tab.settle()
	}
	opened := eval[[]string](tab, `[...document.querySelectorAll("details[open]")].map((d) => d.id)`)
	check.Same(t, "open", []string{"phases", "phase-2", "phase-3"}, opened)
	tab.do(chromedp.Reload())
	tab.wait(`document.querySelector("#phase-3 canvas") !== null`)
	if top := eval[float64](tab, `document.querySelector("#phase-3").getBoundingClientRect().top`); top > 900 {
		t.Errorf("the phase that the address names lies at %.0f px", top)
	}
}

// Long names neither widen the page nor run over their neighbours, and the tab of what is open is
// in view.
func TestLongNamesOnAPhone(t *testing.T) {
	disks := []string{"Samsung Portable SSD T7 Shield 2TB left rear port",
		"כונן גיבוי של המשפחה בחדר העבודה"}
	var s fixture.Study
	for i := range 6 {
		name := fmt.Sprintf("both write after a rest, round %d", i+1)
		s.Add(name, disks[0], trace.Write, 20, 0.7e9)
		s.Add(name, disks[1], trace.Write, 20, 0.9e9)
	}
	tab := open(t, browserFor(t), s.Run("names", disks...), screen{width: 390, height: 800})
	tab.chart("phase-6-time")
	tab.fits()
	for _, name := range eval[[]string](tab, `[...document.querySelectorAll("tbody th, #hub li > div")].filter((box) => {
		const name = box.querySelector(".name, .who");
		return name?.checkVisibility() && name.getBoundingClientRect().right > box.getBoundingClientRect().right + 1;
	}).map((box) => box.textContent)`) {
		t.Errorf("%s runs over what is next to it", name)
	}
}

// Of many phases each opens as itself, unpacked, and only then.
func TestManyPhases(t *testing.T) {
	var s fixture.Study
	for i := range 30 {
		name := fmt.Sprintf("WW-%d", i+1)
		s.Add(name, "A", trace.Write, 20, 0.7e9, fixture.Pace{FromS: 9, Rate: 1.4e9})
		s.Add(name, "C", trace.Write, 18, 2e9)
	}
	tab := open(t, browserFor(t), s.Run("study", "A", "C"), screen{width: 1280, height: 900})
	if n := eval[int](tab, `document.querySelectorAll(".chart canvas").length`); n > 0 {
		t.Errorf("%d charts drawn before a phase is opened", n)
	}
	for _, phase := range []int{2, 25, 26, 30, 17} {
		tab.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`location.hash = "phase-%d"`, phase)))
		tab.wait(fmt.Sprintf(`document.querySelector("#phase-%d .chart canvas") !== null`, phase))
		got := eval[string](tab, fmt.Sprintf(`document.querySelector("#phase-%d summary bdi").textContent + " " + document.querySelector("#phase-%d .chart").dataset.figure`, phase, phase))
		if want := fmt.Sprintf("A and C write (%d) phase-%d-time", phase, phase); got != want {
			t.Errorf("phase %d opens as %s, want %s", phase, got, want)
		}
	}
	for i, pixels := range painted(tab, "phase-17-time", 2) {
		if pixels < 500 {
			t.Errorf("disk %d: %d pixels in phase 17", i, pixels)
		}
	}
	// The picture that is saved is named for its phase and chart.
	tab.do(chromedp.Evaluate[chromedp.Void](`HTMLAnchorElement.prototype.click = function () { globalThis.saved = this; }`))
	tab.click(`#phase-17 [data-do="png"]`)
	tab.wait(`globalThis.saved !== undefined`)
	saved := eval[string](tab, `saved.download + " " + saved.href.slice(0, 22)`)
	if saved != "phase-17-time.png data:image/png;base64," {
		t.Errorf("saved %q, want a picture named for its phase and chart", saved)
	}
}

// near reports whether two pictures differ by no more than the line that follows the mouse.
func near(a, b []int) bool {
	for i := range min(len(a), len(b)) {
		if d := a[i] - b[i]; max(d, -d)*100 > a[i] {
			return false
		}
	}
	return true
}

// Without the library and without scripts there are pictures, the answer is in the HTML, and every
// table is there.
func TestPictures(t *testing.T) {
	ctx := browserFor(t)
	doc := reportOf(fixture.Triple())
	first := doc.Page.Hero.(*report.Flow).States[0]
	tables := 0
	for _, phase := range doc.Phases() {
		tables += len(report.Collect[*report.Table](phase.Blocks))
	}
	for _, test := range []struct {
		name     string
		screen   screen
		pictures int // of the page: three of each of three phases
	}{
		{"static", screen{width: 1280, height: 900, static: true}, 3 * 3},
		{"static, no scripts", screen{width: 390, height: 900, static: true, noScript: true},
			3 * 3},
		{"no scripts", screen{width: 1280, height: 900, noScript: true}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			tab := open(t, ctx, fixture.Triple(), test.screen)
			tab.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach((d) => (d.open = true))`))
			widths := eval[[]int](tab, `[...document.images].map((image) => image.naturalWidth)`)
			for i, width := range widths {
				if width < 500 {
					t.Errorf("picture %d is %d px wide", i, width)
				}
			}
			if len(widths) != test.pictures {
				t.Errorf("%d pictures, want %d", len(widths), test.pictures)
			}
			if n := eval[int](tab, `document.querySelectorAll(".phase table").length`); n != tables {
				t.Errorf("%d tables in three phases, want %d", n, tables)
			}
			says := strings.Contains(texts(tab, "main")[0], "in place of live charts")
			linked := eval[bool](tab, `document.querySelector("main a[href='https://github.com/hubbench/hubbench/releases']") !== null`)
			if says != test.screen.static || linked != says {
				t.Errorf("says that charts are missing: %v, and links to them: %v", says, linked)
			}
			// The answer is drawn, and nothing is shown that only a script can work.
			var want []string
			for _, d := range first.Disks {
				want = append(want, d.Value.Text)
			}
			check.Same(t, "rates", want, texts(tab, "#hub .v"))
			check.Same(t, "headline", doc.Page.Headline, eval[string](tab, `document.querySelector("h1").textContent.replaceAll("\u00a0", " ")`))
			if n := eval[int](tab, `document.querySelectorAll("#time path[stroke]").length`); n != 3 {
				t.Errorf("%d disks in the timeline, want three", n)
			}
			if n := eval[int](tab, `[...document.querySelectorAll(".seg, .acts, footer button, [data-csv]")].filter((e) => e.checkVisibility()).length`); (n > 0) == test.screen.noScript {
				t.Errorf("%d controls of scripts are shown", n)
			}
		})
	}
}

// The answer stands soon after opening, and the chart of all files soon after it is asked for,
// however many they are. The limits leave room for a busy machine.
func TestPaintsSoon(t *testing.T) {
	ctx := browserFor(t)
	for _, test := range []struct {
		name string
		run  *trace.Run
	}{{"three phases", fixture.Triple()}, {"many files", fixture.Many(200_000)}} {
		t.Run(test.name, func(t *testing.T) {
			tab := open(t, ctx, test.run, screen{width: 1280, height: 900})
			ready, _ := strconv.ParseFloat(eval[string](tab, `document.documentElement.dataset.ready`), 64)
			if ready <= 0 || ready > 5000 {
				t.Errorf("ready after %.0f ms, want at most 5000", ready)
			}
			if n := eval[int](tab, `document.querySelectorAll("#hub li, .plot path[stroke]").length`); n < 2*len(test.run.Disks) {
				t.Errorf("%d cards and lines of %d disks", n, len(test.run.Disks))
			}
		})
	}
}
