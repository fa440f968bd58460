// Package atlas writes many runs as one page that opens offline: what each disk does on each hub beside which
// others, with what it varies by from run to run, its history, and since when it is what it is. The runs are given
// as rows of the table of disks (package table). Start at Write.
//
// The page holds the rates of all runs and works its means out itself, since they depend on the hubs, disks,
// firmware and days that a reader chooses. The mean of a cell is that of a random-effects model, with the variance
// between runs after Paule and Mandel ("Consensus values and weighting factors", 1982) and its interval after
// Hartung and Knapp ("A refined method for the meta-analysis of controlled clinical trials with binary outcome",
// 2001). Change points come from package trend, of all days.
package atlas

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/table"
	"github.com/hubbench/hubbench/pkg/trend"
)

//go:embed page.tmpl atlas.js atlas.css
var parts embed.FS

// Cell is what one model of disk does on one hub, beside others that do what the pattern says.
type Cell struct {
	Hub     string `json:"hub"`
	Model   string `json:"model"`
	Disk    string `json:"disk"` // of a disk whose model is not known
	Pattern string `json:"pattern"`
	Op      string `json:"op"`
	Work    string `json:"work"`
	// One of each run, the mean over repeats and disks of the model, in order of time: its Unix time, the rate, half its
	// interval (0 if it has none), what was kept of the rate without the others (-1 if that is not known), and the places
	// of the run and of the firmware in the atlas.
	Points  [][6]float64 `json:"points"`
	Changes []Change     `json:"changes"` // of the rate
}

// Change is a point at which a cell's rate changed.
type Change struct {
	At    int64   `json:"at"` // Unix time
	Share float64 `json:"share"`
}

// Run is what the page says of a run.
type Run struct {
	ID   string `json:"id"`
	Host string `json:"host"`
	Link string `json:"link,omitempty"` // of its report
}

// Atlas is the data of the page.
type Atlas struct {
	Tool  string `json:"tool"`
	Cells []Cell `json:"cells"`
	Runs  []Run  `json:"runs"`

	Firmware []string `json:"firmware"`
}

// Of sorts rows of disks into cells, but for those of incomplete phases. links are the runs' reports by their ids.
// Without a model there is only the disk's name to go by.
func Of(rows []table.Disk, links map[string]string) *Atlas {
	slices.SortStableFunc(rows, func(a, b table.Disk) int { return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.ID, b.ID)) })
	a := &Atlas{Cells: []Cell{}, Runs: []Run{}, Firmware: []string{}}
	type key struct{ hub, model, disk, pattern, op, work string }
	runs, cellAt := map[string]int{}, map[key]int{}
	type row struct{ run, phase, disk string }
	seen := map[row]bool{}
	var inPoint [][2]float64 // by cell, how many rates and how many shares its last point is the mean of
	for i := range rows {
		r := &rows[i]
		id := row{r.ID, r.Phase, r.Disk}
		if r.Rate == nil || seen[id] || slices.Contains(strings.Fields(r.Warnings), "partial") {
			continue
		}
		seen[id] = true
		run, known := runs[r.ID]
		if !known {
			run = len(a.Runs)
			runs[r.ID] = run
			a.Runs = append(a.Runs, Run{r.ID, cells.Clean(r.Host), links[r.ID]})
		}
		firmware := slices.Index(a.Firmware, cells.Clean(r.Firmware))
		if firmware < 0 {
			firmware = len(a.Firmware)
			a.Firmware = append(a.Firmware, cells.Clean(r.Firmware))
		}
		k := key{r.Hub, r.Model, "", r.Pattern, r.Op, r.Work}
		if r.Model == "" {
			k.disk = r.Disk
		}
		if r.Simulated {
			k.hub = strings.TrimSpace(k.hub + " (simulated)")
		}
		at, known := cellAt[k]
		if !known {
			at = len(a.Cells)
			cellAt[k] = at
			a.Cells = append(a.Cells, Cell{
				Hub: cells.Clean(k.hub), Model: cells.Clean(k.model), Disk: cells.Clean(k.disk), Pattern: cells.Clean(k.pattern), Op: k.op,
				Work: cells.Clean(k.work), Changes: []Change{},
			})
			inPoint = append(inPoint, [2]float64{})
		}
		points, in := &a.Cells[at].Points, &inPoint[at]
		if n := len(*points); n == 0 || (*points)[n-1][4] != float64(run) || (*points)[n-1][5] != float64(firmware) {
			*points = append(*points, [6]float64{float64(r.Started.Unix()), 0, 0, -1, float64(run), float64(firmware)})
			*in = [2]float64{}
		}
		p := &(*points)[len(*points)-1]
		half := p[2] * in[0]
		in[0]++
		p[1] += (*r.Rate - p[1]) / in[0]
		if r.RateLow != nil {
			half = math.Hypot(half, (*r.RateHigh-*r.RateLow)/2)
		}
		p[2] = half / in[0]
		if r.Retention != nil {
			in[1]++
			p[3] = max(0, p[3])
			p[3] += (*r.Retention - p[3]) / in[1]
		}
	}
	for i := range a.Cells {
		var history []trend.Point
		for _, p := range a.Cells[i].Points {
			history = append(history, trend.Point{Run: a.Runs[int(p[4])].ID, Started: time.Unix(int64(p[0]), 0).UTC(), Rate: p[1]})
		}
		for _, s := range trend.Of(history)[1:] {
			a.Cells[i].Changes = append(a.Cells[i].Changes, Change{s.From.Unix(), s.Change})
		}
	}
	slices.SortStableFunc(a.Cells, func(a, b Cell) int {
		return cmp.Or(cmp.Compare(a.Hub, b.Hub), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Disk, b.Disk),
			cmp.Compare(a.Pattern, b.Pattern), cmp.Compare(a.Op, b.Op), cmp.Compare(a.Work, b.Work))
	})
	return a
}

// Write writes the page. Nothing in it loads anything, and a policy forbids it.
func Write(w io.Writer, a *Atlas) error {
	style, err := parts.ReadFile("atlas.css")
	if err != nil {
		return err
	}
	script, err := parts.ReadFile("atlas.js")
	if err != nil {
		return err
	}
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	tmpl, err := template.ParseFS(parts, "page.tmpl")
	if err != nil {
		return err
	}
	hash := func(text []byte) string {
		sum := sha256.Sum256(text)
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	err = tmpl.Execute(w, map[string]any{
		"Policy": fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'", hash(style), hash(script)),
		"Style":  template.CSS(style), //nolint:gosec // this program's own file, as the next
		"Script": template.JS(script), //nolint:gosec // see above
		"Data":   template.JS(data),   //nolint:gosec // json.Marshal escapes what could end the element
		"Atlas":  a,
	})
	if err != nil {
		return fmt.Errorf("write the atlas: %w", err)
	}
	return nil
}
