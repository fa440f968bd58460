package recorded

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/report/export"
	"github.com/hubbench/hubbench/internal/tell/report/html"
	"github.com/hubbench/hubbench/internal/tell/report/text"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
)

// A run whose disks are one, or were not checked, says so first, and names no winner: on the
// terminal, on its page and when that is read back.
func TestUncheckedRun(t *testing.T) {
	var events strings.Builder
	for _, phase := range []string{"A alone", "B alone", "both"} {
		for _, disk := range []string{"A", "B"} {
			rate := map[string]float64{"A both": 0.3, "B both": 1}[disk+" "+phase]
			if strings.HasPrefix(phase, disk) {
				rate = 1
			}
			for seq := 0; float64(seq) < 300*rate; seq++ {
				ns := 1e8 / rate
				fmt.Fprintf(&events, `{"type":"file","phase":%q,"disk":%q,"op":"write","seq":%d,"bytes":100000000,"start_ns":%.0f,"end_ns":%.0f}`+"\n",
					phase, disk, seq, float64(seq)*ns, float64(seq+1)*ns-1000)
			}
		}
	}
	for want, info := range map[string]rundir.Info{
		"": {Allow: []string{"system_disk"}},
		"share one physical disk": {Warnings: []string{
			"a.yaml:4: is on the same physical disk as disk A [same_disk]"}},
		"Disks of this run share one physical disk, or were not checked for that": {
			Allow: []string{"system_disk", "same_disk"}},
		"Not checked (--allow): busy and background.": {Allow: []string{"busy", "background"}},
	} {
		folder := t.TempDir()
		info.Status = trace.Complete
		data, err := json.Marshal(info)
		check.Must(t, err)
		check.Must(t, os.WriteFile(filepath.Join(folder, rundir.InfoFile), data, 0o600))
		check.Must(t, os.WriteFile(filepath.Join(folder, rundir.EventsFile),
			[]byte(events.String()), 0o600))
		run, err := Load(folder)
		check.Must(t, err)
		opened, err := run.OpenEvents()
		check.Must(t, err)
		saved := filepath.Join(folder, "report.html")
		page, err := os.Create(saved)
		check.Must(t, err)
		check.Must(t, errors.Join(html.Write(page, run.Document(false), opened), page.Close(),
			opened.Close()))
		again, err := Load(saved)
		check.Must(t, err)
		unnamed, err := Options{Redacted: true}.Load(folder)
		check.Must(t, err)
		for from, r := range map[string]*Run{"folder": run, "page": again,
			"without names": unnamed} {
			var terminal, markdown bytes.Buffer
			check.Must(t, text.Write(&terminal, r.Document(true), text.Options{Width: 300}))
			check.Must(t, export.Markdown(&markdown, r.Document(true)))
			a := r.Analysis.Answer
			named := strings.Contains(terminal.String()+markdown.String()+a.Headline,
				"drops to ") || len(a.Wins)+len(a.Loses)+len(a.Advice) > 0
			says := strings.Contains(terminal.String(), want) &&
				strings.Contains(markdown.String(), want)
			// Skipped checks are said beside the answer, a shared disk in place of it.
			if stands := !strings.Contains(want, "share"); named != stands || !says {
				t.Errorf("%s, want %q, and an answer: %v: %+v\n%s\n%s", from, want, stands, a,
					&terminal, &markdown)
			}
		}
	}
}
