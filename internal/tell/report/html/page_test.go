package html

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

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
				tab.shoot(strings.ReplaceAll(name, " ", "-"))
				for i, pixels := range painted(tab, 3) {
					if pixels < 400 {
						t.Errorf("disk %d: %d pixels in its colour, want its files to be painted", i, pixels)
					}
				}
				tab.fits()
			})
		}
	}
}

func TestHostileNamesInBrowser(t *testing.T) {
	tab := open(t, browserFor(t), fixture.Hostile(), screen{width: 1280, height: 900})
	tab.shoot("hostile")
	want := fixture.HostileNames()
	got := eval[[]string](tab, `[...document.querySelector(".phase:not([hidden]) .legend").querySelectorAll(".name bdi")].map((e) => e.parentElement.title || e.textContent)`)
	check.Same(t, "names in the legend", want, got)
	for i, pixels := range painted(tab, 8) {
		if pixels < 100 {
			t.Errorf("disk %d: %d pixels in its colour, want its files to be painted", i, pixels)
		}
	}
	// The tooltip is made in the page from the names.
	tab.do(focusPlot)
	tab.press("ArrowRight")
	tip := eval[[]string](tab, `[...document.querySelectorAll(".tip bdi")].map((e) => e.title)`)
	check.Same(t, "names in the tooltip", want, tip)
	if n := eval[int](tab, `document.querySelectorAll(".tip img, .tip script").length`); n != 0 {
		t.Errorf("%d elements in the tooltip came out of a name", n)
	}
}

func TestControls(t *testing.T) {
	tab := open(t, browserFor(t), fixture.Triple(), screen{width: 1280, height: 900})

	t.Run("legend", func(t *testing.T) {
		before := painted(tab, 3)
		tab.click(`.phase:not([hidden]) .legend button[data-key="2"]`)
		after := painted(tab, 3)
		if after[2] > 200 || after[0] != before[0] { // its name stays before its row
			t.Errorf("pixels per disk %v, want those of %v without C's", after, before)
		}
		tab.click(`.phase:not([hidden]) .legend button[data-key="2"]`)
		if again := painted(tab, 3); again[2] != before[2] {
			t.Errorf("pixels per disk %v after showing C again, want %v", again, before)
		}
	})

	t.Run("theme", func(t *testing.T) {
		tab.click("#theme")
		if got := eval[string](tab, `getComputedStyle(document.documentElement).getPropertyValue("--c0").trim()`); got != "#56b4e9" {
			t.Errorf("first colour %s after the switch to dark, want #56b4e9", got)
		}
		for i, pixels := range painted(tab, 3) {
			if pixels < 500 {
				t.Errorf("disk %d: %d pixels in its dark colour", i, pixels)
			}
		}
		tab.click("#theme")
	})

	t.Run("zoom", func(t *testing.T) {
		before := painted(tab, 3)
		tab.do(focusPlot)
		tab.press("+")
		if after := painted(tab, 3); cmp.Equal(before, after) {
			t.Error("plus changed nothing in the picture")
		}
		tab.press("0")
		if again := painted(tab, 3); !cmp.Equal(before, again) {
			t.Errorf("pixels per disk %v after zooming out, want %v", again, before)
		}
	})

	t.Run("the wheel scrolls the page", func(t *testing.T) {
		at := eval[[]float64](tab, `(() => { const box = document.querySelector(".phase:not([hidden]) .plot").getBoundingClientRect(); return [box.x + box.width / 2, box.y + 40]; })()`)
		from := eval[float64](tab, `scrollY`)
		tab.wheel(at[0], at[1], 200, 0)
		tab.wait(fmt.Sprintf(`scrollY > %g`, from))
		if got := eval[string](tab, `location.hash`); strings.Contains(got, "zoom") {
			t.Errorf("the address is %s after the wheel, want no zoom in it", got)
		}
	})

	t.Run("keyboard reads the chart", func(t *testing.T) {
		tab.do(focusPlot)
		tab.press("Home", "ArrowRight")
		first := eval[string](tab, `document.querySelector(".phase:not([hidden]) [aria-live]").textContent`)
		tab.press("End")
		last := eval[string](tab, `document.querySelector(".phase:not([hidden]) [aria-live]").textContent`)
		if !strings.Contains(first, "A 0.") && !strings.Contains(first, "A 1.") || !strings.Contains(first, "GB/s, file ") || first == last {
			t.Errorf("the live region said %q, then %q; want the rates at two instants", first, last)
		}
	})

	t.Run("each table can be saved", func(t *testing.T) {
		tab.do(chromedp.Evaluate[chromedp.Void](`HTMLAnchorElement.prototype.click = function () { globalThis.saved = this; }`))
		tab.click(`.phase:not([hidden]) [data-csv="disks"]`)
		tab.wait(`globalThis.saved !== undefined`)
		if got := eval[string](tab, `saved.download`); got != "disks.csv" {
			t.Errorf("saved as %q", got)
		}
	})

	t.Run("phases", func(t *testing.T) {
		tab.click(`.numbers tbody tr:nth-child(3) a`)
		if got := eval[string](tab, `document.querySelector(".phase:not([hidden])").dataset.name`); got != "A and B read, C writes" {
			t.Errorf("the third link of all phases shows %s, want that C writes", got)
		}
		for i, pixels := range painted(tab, 3) {
			if pixels < 500 {
				t.Errorf("disk %d: %d pixels in the third phase", i, pixels)
			}
		}
		tab.do(focusTab)
		tab.press("ArrowRight")
		if got := eval[string](tab, `document.querySelector("[role=tab][aria-selected=true]").textContent`); got != "all write" {
			t.Errorf("right of the last tab is %s, want the first", got)
		}
	})
}

// Long names neither widen the page nor run over their neighbours, and the tab of what is open is in view.
func TestLongNamesOnAPhone(t *testing.T) {
	disks := []string{"Samsung Portable SSD T7 Shield 2TB left rear port", "כונן גיבוי של המשפחה בחדר העבודה"}
	parts, order := map[string][]fixture.Part{}, []string{}
	for i := range 6 {
		name := fmt.Sprintf("both write after a rest, round %d", i+1)
		order = append(order, name)
		parts[name] = []fixture.Part{{Disk: disks[0], Op: trace.Write, Files: 20, Pace: []fixture.Pace{{Rate: 0.7e9}}}, {Disk: disks[1], Op: trace.Write, Files: 20, Pace: []fixture.Pace{{Rate: 0.9e9}}}}
	}
	tab := open(t, browserFor(t), fixture.Run("names", disks, parts, order...), screen{width: 390, height: 800})
	tab.click(`main a[href="#phase-6"]`)
	tab.wait(`document.querySelector("#phase-6 .plot canvas") !== null`)
	tab.shoot("names-390")
	tab.fits()
	for _, name := range eval[[]string](tab, `[...document.querySelectorAll("section:not([hidden]) tbody th")].filter((th) => {
		const first = th.firstElementChild;
		return first && first.getBoundingClientRect().right > th.getBoundingClientRect().right + 1;
	}).map((th) => th.textContent)`) {
		t.Errorf("%s runs over the next column", name)
	}
	if !eval[bool](tab, `(() => {
		const bar = document.querySelector(".tabs").getBoundingClientRect(), tab = document.querySelector("[aria-selected=true]").getBoundingClientRect();
		return tab.width > 0 && tab.left >= bar.left - 1 && tab.right <= bar.right + 1;
	})()`) {
		t.Error("the tab of the phase that is open is out of view")
	}
}

// A study of many phases is one list to choose from; what is chosen is unpacked, and it and its zoom stand in the
// address. Plus zooms, and hiding a disk hides what is said of it.
func TestManyPhases(t *testing.T) {
	parts, order := map[string][]fixture.Part{}, []string{}
	for i := range 30 {
		name := fmt.Sprintf("WW-%d", i+1)
		order = append(order, name)
		parts[name] = []fixture.Part{
			{Disk: "A", Op: trace.Write, Files: 20, Pace: []fixture.Pace{{Rate: 0.7e9}, {FromS: 9, Rate: 1.4e9}}}, {Disk: "C", Op: trace.Write, Files: 18, Pace: []fixture.Pace{{Rate: 2e9}}},
		}
	}
	tab := open(t, browserFor(t), fixture.Run("study", []string{"A", "C"}, parts, order...), screen{width: 1280, height: 900})
	if n := eval[int](tab, `document.querySelectorAll(".plot canvas").length`); n > 1+5*maxPrinted {
		t.Errorf("%d charts drawn before a phase is opened, want those of the answer and of the phases that are printed", n)
	}
	// Each opens as itself.
	for _, phase := range []int{2, 25, 26, 30} {
		tab.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => { const list = document.querySelector(".tabs select"); list.value = "phase-%d"; list.dispatchEvent(new Event("change")); dispatchEvent(new Event("resize")); document.getElementById("phase-%d").scrollIntoView(); })()`, phase, phase)))
		tab.wait(fmt.Sprintf(`document.querySelector("#phase-%d .plot canvas") !== null`, phase))
		got := eval[string](tab, fmt.Sprintf(`document.querySelector("#phase-%d h2 bdi").textContent + " " + document.querySelector("#phase-%d .plot").dataset.figure`, phase, phase))
		if want := fmt.Sprintf("A and C write (%d) phase-%d-time", phase, phase); got != want {
			t.Errorf("phase %d opens as %s, want %s", phase, got, want)
		}
	}
	tab.do(chromedp.Evaluate[chromedp.Void](`(() => { const list = document.querySelector(".tabs select"); list.value = "phase-17"; list.dispatchEvent(new Event("change")); document.getElementById("phase-17").scrollIntoView(); })()`))
	tab.wait(`document.querySelector("#phase-17 .plot canvas") !== null`)
	tab.settle()
	for i, pixels := range painted(tab, 2) {
		if pixels < 500 {
			t.Errorf("disk %d: %d pixels in phase 17", i, pixels)
		}
	}
	whole := painted(tab, 2)
	tab.click(`#phase-17 .legend button[data-key="0"]`)
	if left := painted(tab, 2)[0]; left > 150 { // its name stays before its row
		t.Errorf("%d pixels of a hidden disk, want its files and its recovery gone", left)
	}
	tab.click(`#phase-17 .legend button[data-key="0"]`)
	tab.do(focusPlot)
	tab.press("+")
	if near(whole, painted(tab, 2)) {
		t.Error("plus changed nothing in the picture")
	}
	address := eval[string](tab, `location.hash`)
	if !strings.HasPrefix(address, "#phase-17&zoom=") {
		t.Errorf("the address ends in %q, want the phase and its zoom", address)
	}
	// The picture that is saved is higher than the chart by what it shows and where it comes from.
	tab.do(chromedp.Evaluate[chromedp.Void](`HTMLAnchorElement.prototype.click = function () { globalThis.saved = this; }`))
	tab.click(`#phase-17 [data-do="png"]`)
	tab.wait(`globalThis.saved !== undefined`)
	saved := eval[string](tab, `saved.download + " " + saved.href.slice(0, 22)`)
	if saved != "phase-17-time.png data:image/png;base64," {
		t.Errorf("saved %q, want a picture named for its phase and figure", saved)
	}
	zoomed := painted(tab, 2)
	tab.do(chromedp.Reload())
	tab.wait(`document.documentElement.dataset.painted !== undefined`)
	tab.settle()
	if again := painted(tab, 2); !near(zoomed, again) {
		t.Errorf("pixels per disk %v after opening the address again, want %v", again, zoomed)
	}
}

// near reports whether two pictures differ by no more than the line that follows the mouse.
func near(a, b []int) bool {
	for i := range a {
		if d := a[i] - b[i]; max(d, -d)*100 > a[i] {
			return false
		}
	}
	return true
}

// Without the library and without scripts there are pictures, and every table is there.
func TestPictures(t *testing.T) {
	ctx := browserFor(t)
	for _, test := range []struct {
		name     string
		screen   screen
		pictures int // of the page: all of three phases
	}{
		{"static", screen{width: 1280, height: 900, static: true}, 3 * 5},
		{"static, no scripts", screen{width: 390, height: 900, static: true, noScript: true}, 3 * 5},
		{"no scripts", screen{width: 1280, height: 900, noScript: true}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			tab := open(t, ctx, fixture.Triple(), test.screen)
			tab.shoot(strings.NewReplacer(",", "", " ", "-").Replace(test.name))
			widths := eval[[]int](tab, `[...document.images].map((image) => image.naturalWidth)`)
			for i, width := range widths {
				if width < 500 {
					t.Errorf("picture %d is %d px wide", i, width)
				}
			}
			if len(widths) != test.pictures {
				t.Errorf("%d pictures, want %d", len(widths), test.pictures)
			}
			if n := eval[int](tab, `document.querySelectorAll(".phase table").length`); n < 3*4 {
				t.Errorf("%d tables in three phases, want at least 12", n)
			}
			notice := eval[string](tab, `document.querySelector("main").textContent`)
			if says := strings.Contains(notice, "in place of live charts"); says != test.screen.static {
				t.Errorf("says that charts are missing: %v, want %v", says, test.screen.static)
			}
		})
	}
}

// The first chart stands soon after opening, however many the files. The limits leave room for a busy machine.
func TestPaintsSoon(t *testing.T) {
	ctx := browserFor(t)
	for _, test := range []struct {
		name string
		run  *trace.Run
	}{{"three phases", fixture.Triple()}, {"many files", fixture.Many(200_000)}} {
		t.Run(test.name, func(t *testing.T) {
			tab := open(t, ctx, test.run, screen{width: 1280, height: 900})
			took := eval[string](tab, `document.documentElement.dataset.painted`)
			size, err := os.Stat(tab.file)
			check.Must(t, err)
			t.Logf("painted %s ms after opening; the page takes %d bytes", took, size.Size())
			if ms, err := strconv.Atoi(took); err != nil || ms > 5000 {
				t.Errorf("painted after %s ms, want at most 5000", took)
			}
			for i, pixels := range painted(tab, len(test.run.Disks)) {
				if pixels < 500 {
					t.Errorf("disk %d: %d pixels in its colour", i, pixels)
				}
			}
			tab.shoot("soon-" + strings.ReplaceAll(test.name, " ", "-"))
		})
	}
}
