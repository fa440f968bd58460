package analysis

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
)

var update = flag.Bool("update", false, "write testdata/everywhere/analysis.json afresh, on amd64")

// TestEverywhereTheSame holds the analysis of one trace to what amd64 made of it, number by number
// to 1e-9 of each, so that two people who look at the same run on different machines read the same.
// Processors differ in the last bits: arm64 and s390x multiply and add in one step, without
// rounding between. The trace is of
//
//	hubbench simulate everywhere.yaml
//
// and has a recovery, a throttle and all findings that the model can give. make platforms runs it
// on other processors.
func TestEverywhereTheSame(t *testing.T) {
	text, err := json.MarshalIndent(Analyze(everywhere(t), Options{}), "", "\t")
	check.Must(t, err)
	golden := filepath.Join("testdata", "everywhere", "analysis.json")
	if *update {
		check.Must(t, os.WriteFile(golden, append(text, '\n'), 0o644))
	}
	amd64, err := os.ReadFile(golden)
	check.Must(t, err)
	var got, want any
	check.Must(t, json.Unmarshal(text, &got))
	check.Must(t, json.Unmarshal(amd64, &want))
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
		t.Errorf("(-amd64 +here):\n%s", diff)
	}
}

// everywhere is the recorded run.
func everywhere(t *testing.T) *trace.Run {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "everywhere", "events.jsonl"))
	check.Must(t, err)
	defer f.Close()
	run, err := trace.Load(f, "events.jsonl")
	check.Must(t, err)
	return run
}
