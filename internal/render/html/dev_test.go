package html

import (
	"os"
	"testing"

	"github.com/hubbench/hubbench/internal/render/fixture"
	"github.com/hubbench/hubbench/internal/render/text"
	"github.com/hubbench/hubbench/pkg/analysis"
)

func TestDev(t *testing.T) {
	run := fixture.Triple()
	a := analysis.Analyze(run, analysis.Options{})
	f, _ := os.Create("/tmp/r.html")
	if err := Write(f, Input{Run: run, Analysis: a, Info: Info{Tool: "dev", Host: "bench-mac", OS: "macOS 15.1", Seed: "42"}}); err != nil {
		t.Fatal(err)
	}
	f.Close()
	text.Write(os.Stdout, a)
}
