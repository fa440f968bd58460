package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/render/fixture"
	"github.com/hubbench/hubbench/internal/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

var shots = flag.String("shots", "", "a folder for the pictures")

func TestEveryChart(t *testing.T) {
	for name, run := range map[string]*trace.Run{
		"triple": fixture.Triple(), "hostile": fixture.Hostile(), "many": fixture.Many(6000),
		"idle": fixture.Run("idle", []string{"A"}, nil, "nothing"),
	} {
		a := say.Analyze(run, analysis.Options{})
		for _, chart := range Names() {
			for _, format := range []Format{SVG, PNG} {
				if format == PNG && name != "triple" {
					continue // drawn by the same strokes, and slow
				}
				t.Run(name+" "+string(chart)+" "+string(format), func(t *testing.T) {
					var out bytes.Buffer
					if err := Write(&out, run, a, Options{Chart: chart, Format: format, Dark: name == "many"}); err != nil {
						t.Fatal(err)
					}
					if *shots != "" {
						if err := os.WriteFile(filepath.Join(*shots, name+"-"+string(chart)+"."+string(format)), out.Bytes(), 0o644); err != nil {
							t.Fatal(err)
						}
					}
					if format == PNG {
						if _, err := png.Decode(&out); err != nil {
							t.Error(err)
						}
						return
					}
					checkSVG(t, out.String())
				})
			}
		}
	}
}

// checkSVG wants well-formed XML of drawing elements only, with no number that is none.
func checkSVG(t *testing.T, text string) {
	t.Helper()
	reader := xml.NewDecoder(strings.NewReader(text))
	paths := 0
	for {
		token, err := reader.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		if element, ok := token.(xml.StartElement); ok {
			switch element.Name.Local {
			case "path":
				paths++
			case "svg", "g", "text":
			default:
				t.Errorf("an element <%s> in the picture", element.Name.Local)
			}
			for _, attribute := range element.Attr {
				if strings.HasPrefix(attribute.Name.Local, "on") || strings.Contains(attribute.Value, "NaN") || strings.Contains(attribute.Value, "Inf") ||
					strings.Contains(attribute.Value, "#-") {
					t.Errorf("<%s %s=%q>", element.Name.Local, attribute.Name.Local, attribute.Value)
				}
			}
		}
	}
	if paths < 3 {
		t.Errorf("%d paths: nothing is drawn", paths)
	}
}

func TestErrorsSayWhatToTry(t *testing.T) {
	run := fixture.Triple()
	a := say.Analyze(run, analysis.Options{})
	for _, test := range []struct {
		opts Options
		want string
	}{
		{Options{Chart: "pie"}, `unknown chart "pie": try one of time, alone, spread, size, worn`},
		{Options{Phase: "WWR"}, `no phase "WWR": try one of WWW, RRR, RRW`},
		{Options{Format: "gif"}, `unknown format "gif": try svg or png`},
	} {
		err := Write(io.Discard, run, a, test.opts)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got error %v, want %s", test.opts, err, test.want)
		}
	}
	if err := Write(io.Discard, &trace.Run{}, &analysis.Analysis{}, Options{}); err == nil || !strings.Contains(err.Error(), "no phase") {
		t.Errorf("an empty run: got error %v, want one that names what is missing", err)
	}
}
