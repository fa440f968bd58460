package atlas

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/hubbench/hubbench/internal/tell/table"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/stats"
)

// farm makes rows of runs on two hubs, one a day, of two models; One loses a tenth with a firmware that half of the runs have, at
// which it runs into a limit, so that the rate of each run is known to very much less.
func farm(runs int) (rows []table.Disk) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range runs {
		for i, model := range []string{"SSD One", "SSD <Two>"} {
			rate := 1e9 * float64(i+1) * (1 + 0.02*r.NormFloat64())
			firmware := "1.0"
			if i == 0 && n >= runs/2 {
				firmware, rate = "1.1", rate*0.9
			}
			low, high, kept := rate*0.99, rate*1.01, 0.5
			if firmware == "1.1" {
				low, high = rate*(1-1e-6), rate*(1+1e-6)
			}
			rows = append(rows, table.Disk{
				Run: table.Run{
					ID: fmt.Sprintf("run-%04d", n), Host: "bench", Hub: fmt.Sprintf("Hub %d", n%2), Started: time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC).AddDate(0, 0, n/4),
				},
				Model: model, Firmware: firmware, Pattern: "WW", Op: "write", Disk: "AB"[i : i+1], Rate: &rate, RateLow: &low, RateHigh: &high, Retention: &kept,
			})
		}
	}
	return rows
}

func TestOf(t *testing.T) {
	rows := farm(100)
	rows = append(rows, table.Disk{Run: table.Run{ID: "x"}, Disk: "Z", Pattern: "W"}) // no overlap
	a := Of(rows, map[string]string{"run-0003": "r/report.html"})
	if len(a.Cells) != 4 || len(a.Runs) != 100 || a.Runs[3].Link != "r/report.html" || len(a.Firmware) != 2 {
		t.Fatalf("%d cells of %d runs: %+v", len(a.Cells), len(a.Runs), a.Runs[3])
	}
	for _, c := range a.Cells {
		changed := len(c.Changes) == 1 && math.Abs(c.Changes[0].Share+0.1) < 0.02
		if len(c.Points) != 50 || changed != (c.Model == "SSD One") {
			t.Errorf("%s on %s: %d points, %+v", c.Model, c.Hub, len(c.Points), c.Changes)
		}
	}
}

// Repeats and disks of one model are one rate of the run, and a row that is given twice counts once; other work is another
// cell, and what is incomplete is left out.
func TestOneRateOfARun(t *testing.T) {
	row := func(phase, disk, work, warnings string, rate, half float64) table.Disk {
		low, high := rate-half, rate+half
		return table.Disk{Run: table.Run{ID: "r"}, Phase: phase, Disk: disk, Model: "M", Pattern: "WW", Op: "write", Work: work,
			Warnings: warnings, Rate: &rate, RateLow: &low, RateHigh: &high}
	}
	rows := []table.Disk{
		row("WW-1", "A", "big", "", 100, 3), row("WW-1", "B", "big", "", 200, 4), row("WW-2", "A", "big", "hot", 300, 0),
		row("WW-2", "A", "big", "", 300, 0), row("WW-2", "B", "big", "hot partial", 9000, 0), row("WW-3", "A", "small", "", 7, 1),
	}
	kept := 0.5
	rows[1].Retention = &kept
	a := Of(rows, nil)
	if len(a.Cells) != 2 || len(a.Cells[0].Points) != 1 || len(a.Cells[1].Points) != 1 {
		t.Fatalf("%+v", a.Cells)
	}
	big, small := a.Cells[0].Points[0], a.Cells[1].Points[0]
	if math.Abs(big[1]-200) > 1e-9 || math.Abs(big[2]-5.0/3) > 1e-9 || big[3] != 0.5 || small[1] != 7 || small[3] != -1 {
		t.Errorf("%v, %v", big, small)
	}
}

func square(x float64) float64 { return x * x }

// own is the variance of a run by itself.
func own(r *table.Disk) float64 { return square((*r.RateHigh - *r.RateLow) / 2 / 1.96) }

// pooled is the mean of a random-effects model by the formulas of Paule and Mandel (1982) and of Hartung and Knapp (2001).
func pooled(rows []table.Disk) (mean, half float64) {
	n := float64(len(rows))
	at := func(between float64) (mean, w, squares float64) {
		for _, r := range rows {
			v := 1 / (own(&r) + between)
			w, mean = w+v, mean+v**r.Rate
		}
		mean /= w
		for _, r := range rows {
			squares += square(*r.Rate-mean) / (own(&r) + between)
		}
		return mean, w, squares
	}
	between := 0.0
	for step := 1e18; step > 1; step /= 2 {
		if _, _, squares := at(between + step); squares > n-1 {
			between += step
		}
	}
	mean, w, squares := at(between)
	return mean, stats.StudentQuantile(0.975, n-1) * math.Sqrt(squares/((n-1)*w))
}

// The page opens within a second, says what the formulas say, also of what a reader chooses, and holds no markup of a name.
func TestPage(t *testing.T) {
	found := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil && found == "" {
			found = path
		}
	}
	if found == "" || testing.Short() {
		if os.Getenv("CI") == "true" && !testing.Short() {
			t.Fatal("no browser")
		}
		t.Skip("needs chromium")
	}
	rows := farm(1000)
	still := rows[0]
	still.Disk, still.Model, still.Rate, still.RateLow, still.RateHigh = "Z", "SSD Still", new(float64), nil, nil
	rows = append(rows, still)
	var page bytes.Buffer
	check.Must(t, Write(&page, Of(rows, map[string]string{"run-0999": "last/report.html"})))
	path := filepath.Join(t.TempDir(), "atlas.html")
	check.Must(t, os.WriteFile(path, page.Bytes(), 0o644))
	options := chromedp.DefaultExecAllocatorOptions[:]
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	defer stop()
	ctx, stopTab := chromedp.NewContext(ctx)
	defer stopTab()
	ctx, stopClock := context.WithTimeout(ctx, time.Minute)
	defer stopClock()
	eval := func(js string) string {
		t.Helper()
		text, err := chromedp.Run(ctx, chromedp.Evaluate[string](js))
		if err != nil {
			t.Fatalf("%s: %v", js, err)
		}
		return text
	}
	address := "file://" + filepath.ToSlash(path)
	check.Must(t, chromedp.Do(ctx, chromedp.EmulateViewport(1280, 800), chromedp.Navigate(address)))
	t.Logf("%d bytes, painted %s ms after opening", page.Len(), eval(`document.documentElement.dataset.painted`))
	number := func(js string) float64 {
		t.Helper()
		v, err := strconv.ParseFloat(eval(`String(`+js+`)`), 64)
		check.Must(t, err)
		return v
	}
	holds := func(what string, keep func(r *table.Disk) bool) {
		t.Helper()
		var of []table.Disk
		for i := range rows {
			if rows[i].Hub == "Hub 0" && rows[i].Model == "SSD One" && keep(&rows[i]) {
				of = append(of, rows[i])
			}
		}
		mean, half := pooled(of)
		plain := 0.0
		for _, r := range of {
			plain += *r.Rate / float64(len(of))
		}
		if math.Abs(mean/plain-1) > 0.01 {
			t.Errorf("%s: mean %g, far from %g: some runs count for nothing", what, mean, plain)
		}
		row := `[...document.querySelectorAll("#cells tbody tr")].find((r) => r.textContent.includes("Hub 0") && r.textContent.includes("SSD One")).dataset`
		if got := number(row + ".mean"); math.Abs(got/mean-1) > 1e-9 {
			t.Errorf("%s: mean %g, want %g", what, got, mean)
		}
		if got := number(row + ".half"); math.Abs(got/half-1) > 1e-4 {
			t.Errorf("%s: ±%g, want %g", what, got, half)
		}
	}
	holds("all", func(*table.Disk) bool { return true })
	if got := eval(`document.getElementById("said").textContent`); got != "5 combinations of hub, disk and work in 1,000 runs. Click a row for its history." {
		t.Errorf("%q", got)
	}
	choose := func(name, value string) {
		t.Helper()
		eval(fmt.Sprintf(`(() => { const e = document.getElementById("filters").elements[%q]; e.value = %q; e.dispatchEvent(new Event("input", { bubbles: true })); return ""; })()`, name, value))
	}
	choose("firmware", "1.1")
	holds("of one firmware", func(r *table.Disk) bool { return r.Firmware == "1.1" })
	choose("firmware", "")
	choose("from", "2026-03-01")
	choose("to", "2026-03-07")
	holds("of a week", func(r *table.Disk) bool {
		day := r.Started.Format("2006-01-02")
		return day >= "2026-03-01" && day <= "2026-03-07"
	})
	choose("from", "")
	choose("to", "")
	eval(`(() => { [...document.querySelectorAll("#cells tbody tr")].find((r) => r.textContent.includes("Still")).click(); return ""; })()`)
	eval(`(() => { document.querySelector("#cells tbody tr").click(); return ""; })()`)
	if got := eval(`document.getElementById("history").textContent`); !strings.Contains(got, "Hub 0") {
		t.Errorf("the history says %q", got)
	}
	if got := eval(`String(document.querySelectorAll("#history circle").length) + " " + document.querySelectorAll("#cells two").length`); got != "500 0" {
		t.Errorf("%q runs in the history and elements out of a name, want 500 and none", got)
	}
	if dir := os.Getenv("HUBBENCH_SHOTS"); dir != "" {
		picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(90))
		check.Must(t, err)
		check.Must(t, os.WriteFile(filepath.Join(dir, "atlas.jpg"), picture, 0o644))
	}
}
