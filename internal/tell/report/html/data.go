package html

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"

	"github.com/hubbench/hubbench/pkg/analysis"
)

// maxEvents is how many lines of events a page carries at most. A run with more has its page
// without them.
const maxEvents = 100_000

// mebi are the bytes of a MiB.
const mebi = 1 << 20

// maxPacked is how many bytes they take at most, compressed. Latencies hardly compress: a run of
// hours with them has its page without its events.
const maxPacked = 4 * mebi

// maxPage and maxRaw bound what Read takes from a page, which anyone may have made: its size, and
// that of its events unpacked. No page is given more.
const (
	maxPage = 64 * mebi
	maxRaw  = 4 * maxPage
)

// The marks between which Read finds a page's data. html/template escapes the like of them in any
// name.
const (
	summaryStart = `<script type="application/json" id="hubbench-summary">`
	eventsStart  = `<script type="application/json" id="hubbench-events">`
	scriptEnd    = `</script>`
)

// packed is the events in the page: events.jsonl as it was, compressed. Bytes marshal as base64.
type packed struct {
	Lines int    `json:"lines"`
	Gzip  []byte `json:"gzip"`
}

// pack compresses the events, or returns nothing where they are none or too many.
func pack(events io.Reader) (template.JS, error) {
	if events == nil {
		return "", nil
	}
	// Whole before it is compressed: of most long runs that would be for nothing.
	var text bytes.Buffer
	lines := 0
	for chunk := make([]byte, mebi); ; {
		n, err := events.Read(chunk)
		text.Write(chunk[:n])
		if lines += bytes.Count(chunk[:n], []byte("\n")); lines > maxEvents || text.Len() > maxRaw {
			return "", nil
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", fmt.Errorf("pack the events: %w", err)
		}
	}
	zipped, err := zip(text.Bytes())
	if err != nil || lines == 0 || len(zipped) > maxPacked {
		return "", err
	}
	out, err := json.Marshal(packed{lines, zipped})
	return template.JS(out), err //nolint:gosec // a number and base64
}

// zip compresses text for a page.
func zip(text []byte) ([]byte, error) {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	_, err := zip.Write(text)
	if err = errors.Join(err, zip.Close()); err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	return out.Bytes(), nil
}

// Read takes a report's data out of it again: the analysis, and events.jsonl as it was, or nil
// where the page has none (see Input.Events). Nothing in the page is run.
func Read(r io.Reader) (events []byte, a *analysis.Analysis, err error) {
	page, err := io.ReadAll(io.LimitReader(r, maxPage+1))
	if err != nil {
		return nil, nil, fmt.Errorf("read report: %w", err)
	}
	if len(page) > maxPage {
		return nil, nil,
			fmt.Errorf("read report: more than %d MB: no report of hubbench is that long",
				maxPage/mebi)
	}
	summary, found := cut(page, summaryStart)
	if !found {
		return nil, nil,
			errors.New("read report: no hubbench data in the page: is it a report.html, saved " +
				"whole?")
	}
	if bytes.HasPrefix(summary, []byte(`"`)) {
		var zipped []byte
		if err = json.Unmarshal(summary, &zipped); err == nil {
			summary, err = inflate(zipped)
		}
	}
	if err == nil {
		err = json.Unmarshal(summary, &a)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read report: its analysis: %w", err)
	}
	if a == nil {
		return nil, nil,
			errors.New("read report: its analysis is empty: is it a report.html as hubbench " +
				"wrote it?")
	}
	text, found := cut(page, eventsStart)
	if !found {
		return nil, a, nil
	}
	var p packed
	if err = json.Unmarshal(text, &p); err == nil {
		events, err = inflate(p.Gzip)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read report: its events: %w", err)
	}
	return events, a, nil
}

// inflate unpacks what a page carries, and no more of it than any page of hubbench does.
func inflate(zipped []byte) ([]byte, error) {
	var text []byte
	zip, err := gzip.NewReader(bytes.NewReader(zipped))
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(zip, maxRaw+1))
	}
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	if len(text) > maxRaw {
		return nil, fmt.Errorf("unpacks to more than %d MB: hubbench writes no such page",
			maxRaw/mebi)
	}
	return text, nil
}

// cut is the text of the script element that begins with start.
func cut(page []byte, start string) ([]byte, bool) {
	_, after, found := bytes.Cut(page, []byte(start))
	if !found {
		return nil, false
	}
	text, _, found := bytes.Cut(after, []byte(scriptEnd))
	return text, found
}
