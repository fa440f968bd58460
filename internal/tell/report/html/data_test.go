package html

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// A report read back is the run it was made from: the events to the byte, and the same analysis of
// them.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, run := range []*trace.Run{fixture.Triple(), fixture.Hostile(), fixture.Streams(),
		fixture.Search()} {
		recorded, found := eventsOf(run), analysis.Analyze(run, analysis.Options{})
		events, a, err := Read(bytes.NewReader(pageOf(t, reportOf(run), recorded, standIn)))
		check.Must(t, err)
		if !bytes.Equal(events, recorded) {
			t.Errorf("%s: %d bytes of events, want the %d that went in", run.Name, len(events),
				len(recorded))
		}
		again, err := trace.Load(bytes.NewReader(events), "report.html")
		check.Must(t, err)
		// What is read back has the numbers of findings without their types.
		text := func(a *analysis.Analysis) string {
			t.Helper()
			text, err := json.Marshal(a)
			check.Must(t, err)
			return string(text)
		}
		check.Same(t, run.Name+": the analysis that was read back", text(found), text(a))
		check.Same(t, run.Name+": the analysis of the events", text(found),
			text(analysis.Analyze(again, analysis.Options{})))
	}
}

// Events that are too many stay out, as do those that are few but do not compress.
func TestTooManyEventsStayOut(t *testing.T) {
	t.Parallel()
	noise := make([]byte, maxPacked/2)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise) // it never fails
	random := base64.StdEncoding.EncodeToString(noise)
	for _, test := range []struct {
		name, events string
		want         bool
	}{
		{"as many as may be", strings.Repeat("{}\n", maxEvents), true},
		{"one more", strings.Repeat("{}\n", maxEvents+1), false},
		{"noise", random + "\n", true},
		{"long noise", strings.Repeat(random, 3) + "\n", false},
	} {
		packed, err := pack(strings.NewReader(test.events))
		check.Must(t, err)
		check.Same(t, test.name, test.want, packed != "")
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	run := fixture.Triple()
	whole := string(pageOf(t, reportOf(run), eventsOf(run), standIn))
	before, _, _ := strings.Cut(whole, eventsStart)
	var bomb bytes.Buffer
	zip := gzip.NewWriter(&bomb)
	for range maxRaw>>20 + 1 {
		if _, err := zip.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	check.Must(t, zip.Close())
	packedBomb, err := json.Marshal(packed{Gzip: bomb.Bytes()})
	check.Must(t, err)
	for _, test := range []struct{ name, page, want string }{
		{"another page", "<html></html>", "is it a report.html"},
		{"cut inside the summary", whole[:strings.Index(whole, summaryStart)+100],
			"is it a report.html"},
		{"no JSON", strings.Replace(whole, summaryStart, summaryStart+"x", 1), "its analysis"},
		{"an empty analysis", summaryStart + "null" + scriptEnd, "its analysis is empty"},
		{"torn events", before + eventsStart + `{"gzip":"H4sIAAAAAAAA"}</script>`, "its events: unpack"},
		{"a bomb", before + eventsStart + string(packedBomb) + scriptEnd, "unpacks to more than"},
		{"too long", summaryStart + strings.Repeat(" ", maxPage),
			"no report of hubbench is that long"},
	} {
		_, _, err := Read(strings.NewReader(test.page))
		check.Refused(t, test.name, err, test.want)
	}
	if events, a, err := Read(strings.NewReader(before)); err != nil || events != nil || a == nil {
		t.Errorf("without events: got %d bytes, analysis %v, error %v; want the analysis alone",
			len(events), a != nil, err)
	}
}

// The buttons save what the command writes.
func TestDownloads(t *testing.T) {
	ctx := browserFor(t)
	for _, run := range []*trace.Run{fixture.Triple(), fixture.Hostile()} {
		tab := open(t, ctx, run, screen{width: 1280, height: 900})
		dir := t.TempDir()
		yes := true
		if _, err := chromedp.CallBrowser(tab, browser.SetDownloadBehavior,
			browser.SetDownloadBehaviorParams{
				Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir,
				EventsEnabled: &yes,
			}); err != nil {
			t.Fatal(err)
		}
		get := func(button, name string) []byte {
			t.Helper()
			tab.click(`[data-get="` + button + `"]`)
			// The browser takes the name with an empty file, and puts the download there when it is
			// whole. Its own event may come before anybody waits.
			look := time.NewTicker(20 * time.Millisecond)
			defer look.Stop()
			there := func() bool {
				stat, err := os.Stat(filepath.Join(dir, name))
				return err == nil && stat.Size() > 0
			}
			for !there() {
				select {
				case <-look.C:
				case <-tab.Done():
					t.Fatalf("%s was not downloaded", name)
				}
			}
			text, err := os.ReadFile(filepath.Join(dir, name))
			check.Must(t, err)
			return text
		}
		if got, want := get("events", "events.jsonl"), eventsOf(run); !bytes.Equal(got, want) {
			t.Errorf("%d bytes of events, want the recorded %d", len(got), len(want))
		}
		recorded, err := json.Marshal(analysis.Analyze(run, analysis.Options{}))
		check.Must(t, err)
		var got, want any
		check.Must(t, errors.Join(json.Unmarshal(get("summary", "analysis.json"), &got),
			json.Unmarshal(recorded, &want)))
		check.Same(t, "the analysis that is saved", want, got)
		picture, err := png.DecodeConfig(bytes.NewReader(get("card", "card.png")))
		check.Must(t, err)
		if picture.Width != 2*1200 || picture.Height != 2*630 {
			t.Errorf("a card of %d by %d pixels", picture.Width, picture.Height)
		}
	}
}
