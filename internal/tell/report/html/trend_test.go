package html

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trend"
)

// fleet is the trend of so many hosts with 60 runs each. The last but one falls by 8 % at its 30th
// run, and of many hosts the first fell for ten runs.
func fleet(hosts int) *report.Document {
	r := rand.New(rand.NewPCG(41, uint64(hosts)))
	day := time.Date(2026, 9, 27, 8, 0, 0, 0, time.UTC)
	var list []trend.HostSeries
	for host := range hosts {
		s := trend.HostSeries{Host: fmt.Sprintf("Host %d", host+1)}
		for run := range 60 {
			rate := 2e9 * (1 + 0.015*r.NormFloat64())
			if host == max(0, hosts-2) && run >= 29 {
				rate *= 0.92
			}
			if hosts > 3 && host == 0 && run >= 20 && run < 30 {
				rate *= 0.7
			}
			s.Points = append(s.Points,
				trend.Point{Run: fmt.Sprint(run), Started: day.AddDate(0, 0, run), Rate: rate})
		}
		s.Stretches = trend.Stretches(s.Points, hosts)
		if n := len(s.Stretches); n > 1 {
			s.Stretches[n-1].With = []string{"A's firmware 1.2 → 1.4"}
		}
		list = append(list, s)
	}
	return report.OfTrend("WW on dock", "Left out: 2 incomplete.", list)
}

// The host that fell comes first, and a click or Enter opens its tile in place.
func TestTrendPage(t *testing.T) {
	ctx := browserFor(t)
	for _, hosts := range []int{1, 3, 20} {
		t.Run(fmt.Sprint(hosts), func(t *testing.T) {
			page := pageOf(t, fleet(hosts), nil, library())
			tab := openPage(t, ctx, page, screen{width: 1280, height: 844})
			fell := fmt.Sprintf("Host %d", max(1, hosts-1))
			check.Same(t, "host in the large chart", fell, eval[string](tab, `document.querySelector(".hero h2").textContent`))
			check.Same(t, "dots in it", 60, eval[int](tab, `document.querySelector(".hero .dots").getAttribute("d").split("h0").length - 1`))
			list := eval[string](tab, `document.querySelector(".hero .fact").innerText`)
			if !strings.Contains(list, "−") || !strings.Contains(list, fell) ||
				!strings.Contains(list, "with A's firmware 1.2 → 1.4") {
				t.Errorf("the first change is %q", list)
			}
			if hosts > 1 {
				changed := map[int]int{3: 1, 20: 2}[hosts]
				check.Same(t, "tiles of changed and steady hosts", []int{changed, hosts - changed},
					eval[[]int](tab, `[...document.querySelectorAll(".tiles")].map((tiles) => tiles.children.length)`))
				tab.do(chromedp.Focus(chromedp.CSS("#host-0 summary")))
				tab.press("\r")
				if !eval[bool](tab, `document.querySelector("#host-0").open && document.querySelector("#host-0 table").checkVisibility()`) {
					t.Error("Enter does not open a tile")
				}
				check.Same(t, "width of an open tile, as its grid's", true,
					eval[bool](tab, `document.querySelector("#host-0").offsetWidth === document.querySelector(".tiles").offsetWidth`))
			}
			for _, open := range []bool{false, true} {
				if open {
					tab.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach((d) => (d.open = true))`))
				}
				for _, tab.width = range []int64{1280, 820, 390} {
					tab.do(chromedp.EmulateViewport(tab.width, tab.height))
					tab.settle()
					for range 2 { // looking for labels switches between light and dark
						for _, bad := range eval[[]string](tab, findBadLabels) {
							t.Errorf("%d px, open: %v: %s", tab.width, open, bad)
						}
					}
					tab.fits()
				}
			}
			tab.hold(axeCore(t))
		})
	}
}

// Without a script the answer is in the page, and of more hosts than can be looked at the first are
// drawn.
func TestTrendOfMany(t *testing.T) {
	t.Parallel()
	page := string(pageOf(t, fleet(100), nil, nil))
	for _, want := range []string{
		"<h1>Host 99 has been 7.", "The first 60 of 100 hosts are drawn; the table has all.",
		"6,000 runs of 100 hosts: 2 changed, 98 are steady.",
		"Left out: 2 incomplete.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the page", want)
		}
	}
	check.Same(t, "tiles", 60, strings.Count(page, `class="tile"`))
}

// A disk that moved nothing, in runs of which nobody knows when they were, is a level like another.
func TestTrendOfNothing(t *testing.T) {
	t.Parallel()
	s := trend.HostSeries{}
	for run := range 12 {
		s.Points = append(s.Points, trend.Point{Run: fmt.Sprint(run), Rate: float64(run / 6)})
	}
	s.Stretches = trend.Stretches(s.Points, 1)
	page := string(pageOf(t, report.OfTrend("A", "",
		[]trend.HostSeries{s, {Stretches: s.Stretches[:1], Points: s.Points[:6]}}), nil, nil))
	for _, bad := range []string{"NaN", "Inf", "0001"} {
		if strings.Contains(between(t, page, "<main>", "</main>"), bad) {
			t.Errorf("%s is in the page", bad)
		}
	}
}
