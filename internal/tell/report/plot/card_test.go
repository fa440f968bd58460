package plot

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// cards are documents with an answer of each kind.
func cards() map[string]*report.Document {
	docs := map[string]*report.Document{}
	for name, run := range map[string]*trace.Run{
		"triple": fixture.Triple(), "hostile": fixture.Hostile(), "streams": fixture.Streams(),
	} {
		docs[name] = reportOf(run)
	}
	long := reportOf(fixture.Triple())
	long.Title = strings.Repeat("a long name ", 12)
	long.Hub = strings.Repeat("a long name of a hub ", 9)
	long.Page.Headline = strings.Repeat("a headline of no end ", 14)
	long.Page.Numbers = []report.Number{{Value: strings.Repeat("1", 40), Text: long.Hub}}
	long.Page.Sure = strings.Repeat("not sure at all ", 20)
	docs["long"] = long
	twelve := reportOf(fixture.Triple())
	load := &twelve.Page.Hero.(*report.Flow).States[0]
	for i := len(load.Disks); i < 12; i++ {
		d := load.Disks[0]
		d.Index = i
		d.Label = fmt.Sprintf("Samsung T7 Shield %d", i)
		load.Disks = append(load.Disks, d)
	}
	docs["twelve"] = twelve
	return docs
}

// A card says what its page says; its texts lie within it, and none on another.
func TestCard(t *testing.T) {
	for name, doc := range cards() {
		var out strings.Builder
		check.Must(t, WriteCard(&out, doc, Options{}))
		checkSVG(t, out.String())
		if !strings.Contains(out.String(), `width="1200" height="630"`) {
			t.Errorf("%s: not of 1200 by 630 pixels", name)
		}
		texts := textsOf(t, out.String())
		all := ""
		for i, a := range texts {
			all += a.words + " "
			if a.left < 0 || a.right > cardWidth || a.bottom > cardHeight {
				t.Errorf("%s: %q leaves the card", name, a.words)
			}
			for _, b := range texts[:i] {
				if a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom {
					t.Errorf("%s: %q lies on %q", name, a.words, b.words)
				}
			}
		}
		if name == "long" || name == "hostile" {
			continue
		}
		page := doc.Page
		if want := page.Headline; !strings.Contains(all, want) {
			t.Errorf("%s: no headline %q in %q", name, want, all)
		}
		for _, n := range page.Numbers {
			if !strings.Contains(all, n.Value) {
				t.Errorf("%s: no number %q", name, n.Value)
			}
		}
	}
}

// A card says that nothing was measured, and what makes its numbers doubtful.
func TestSmallPrint(t *testing.T) {
	doc := reportOf(fixture.Triple())
	doc.Simulated = true
	doc.Page.Status = "The computer was too busy."
	var out strings.Builder
	check.Must(t, WriteCard(&out, doc, Options{}))
	for _, want := range []string{">simulated<", ">The computer was too busy.<"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s on the card", want)
		}
	}
}

func TestCardAsPNG(t *testing.T) {
	var out bytes.Buffer
	check.Must(t, WriteCard(&out, reportOf(fixture.Triple()), Options{PNG: true, Dark: true}))
	picture, err := png.DecodeConfig(&out)
	check.Must(t, err)
	if picture.Width != cardWidth || picture.Height != cardHeight {
		t.Errorf("%d by %d pixels, want %d by %d", picture.Width, picture.Height, cardWidth,
			cardHeight)
	}
}

// Pictures have the page's colours.
func TestColoursOfThePage(t *testing.T) {
	css, err := os.ReadFile("../html/page.css")
	check.Must(t, err)
	page := map[string][2]string{}
	pairs := regexp.MustCompile(`(?:--([a-z]+[0-9]?)|\b(color)): light-dark\((#[0-9a-f]+), (#[0-9a-f]+)\)`)
	for _, m := range pairs.FindAllStringSubmatch(string(css), -1) {
		page[m[1]] = [2]string{m[3], m[4]}
	}
	for i, dark := range []bool{false, true} {
		p := paletteOf(dark)
		for name, got := range map[string]string{
			"paper": p.paper, "ink": p.ink, "soft": p.soft, "faint": p.faint, "line": p.line,
			"pill": p.pill, "bad": p.bad, "good": p.good, "mid": p.mid, "h1": p.h1, "h2": p.h2,
		} {
			if want := page[name][i]; got != want {
				t.Errorf("%s is %s, and %s on the page", name, got, want)
			}
		}
		for k, got := range report.Colours(dark) {
			if want := page[fmt.Sprintf("c%d", k)][i]; got != want {
				t.Errorf("disk %d is %s, and %s on the page", k, got, want)
			}
		}
	}
}

// placed is a text of a picture and the room that it takes in the widest font.
type placed struct {
	words                    string
	left, right, top, bottom vg.Length
}

func textsOf(t *testing.T, svg string) (list []placed) {
	t.Helper()
	var doc struct {
		Texts []struct {
			X     float64 `xml:"x,attr"`
			Y     float64 `xml:"y,attr"`
			Style string  `xml:"style,attr"`
			Words string  `xml:",chardata"`
		} `xml:"g>text"`
	}
	check.Must(t, xml.Unmarshal([]byte(svg), &doc))
	if len(doc.Texts) < 3 {
		t.Fatalf("%d texts", len(doc.Texts))
	}
	s := newSheet(1, 1, cardDPI, nil, Options{})
	for _, text := range doc.Texts {
		_, after, _ := strings.Cut(text.Style, "font-size:")
		before, _, _ := strings.Cut(after, "px")
		size, err := strconv.ParseFloat(before, 64)
		check.Must(t, err)
		st := style{size: vg.Length(size), bold: strings.Contains(text.Style, "weight:bold")}
		x, y := vg.Length(text.X), cardHeight+vg.Length(text.Y)
		list = append(list, placed{text.Words, x, x + s.room(st, text.Words),
			y - 0.7*st.size, y + 0.1*st.size})
	}
	return list
}
