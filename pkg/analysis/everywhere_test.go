package analysis

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/trace"
)

var update = flag.Bool("update", false, "write testdata/everywhere/analysis.json afresh, on amd64")

// TestEverywhereTheSame holds the analysis of one trace to what amd64 made of it, number by number to 1e-9 of each, so
// that two people who look at the same run on different machines read the same. Processors differ in the last bits:
// arm64 and s390x multiply and add in one step, without rounding between. The trace is of
//
//	hubbench simulate everywhere.yaml
//
// and has a recovery, a throttle and all findings that the model can give. make platforms runs it on other processors.
func TestEverywhereTheSame(t *testing.T) {
	got := readEverywhere(t)
	golden := filepath.Join("testdata", "everywhere", "analysis.json")
	if *update {
		if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differ("", decode(t, got), decode(t, want)) {
		t.Error(d)
	}
}

// TestEverywhereDiffers shows that the comparison above sees what it is for.
func TestEverywhereDiffers(t *testing.T) {
	want := `{"a":[1,{"b":2.5}],"c":"x","d":null}`
	for _, c := range []struct {
		name, got string
		where     string // the one difference; none where empty
	}{
		{"equal", `{"a":[1,{"b":2.5000000001}],"c":"x","d":null}`, ""},
		{"number", `{"a":[1,{"b":2.50000001}],"c":"x","d":null}`, ".a[1].b"},
		{"sign", `{"a":[-1,{"b":2.5}],"c":"x","d":null}`, ".a[0]"},
		{"zero", `{"a":[0,{"b":2.5}],"c":"x","d":null}`, ".a[0]"},
		{"text", `{"a":[1,{"b":2.5}],"c":"y","d":null}`, ".c"},
		{"null", `{"a":[1,{"b":2.5}],"c":"x","d":0}`, ".d"},
		{"kind", `{"a":[1,{"b":"2.5"}],"c":"x","d":null}`, ".a[1].b"},
		{"length", `{"a":[1],"c":"x","d":null}`, ".a"},
		{"key gone", `{"a":[1,{"b":2.5}],"d":null}`, ".c"},
		{"key new", `{"a":[1,{"b":2.5}],"c":"x","d":null,"e":1}`, ".e"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := differ("", decode(t, []byte(c.got)), decode(t, []byte(want)))
			if c.where == "" && len(got) > 0 || c.where != "" && (len(got) != 1 || !strings.HasPrefix(got[0], c.where+":")) {
				t.Errorf("differ says %q, want one at %q", got, c.where)
			}
		})
	}
}

// readEverywhere analyses the trace and returns analysis.json.
func readEverywhere(t *testing.T) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "everywhere", "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	run, err := trace.Load(f, "events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.MarshalIndent(Analyze(run, Options{}), "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decode(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// differ lists where two JSON values differ, numbers by more than 1e-9 of the larger.
func differ(path string, got, want any) []string {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			break
		}
		var all []string
		for key := range want {
			if _, ok := got[key]; !ok {
				all = append(all, path+"."+key+": missing")
			}
		}
		for key, value := range got {
			if _, ok := want[key]; !ok {
				all = append(all, path+"."+key+": not there before")
				continue
			}
			all = append(all, differ(path+"."+key, value, want[key])...)
		}
		return all
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			break
		}
		var all []string
		for i := range want {
			all = append(all, differ(fmt.Sprintf("%s[%d]", path, i), got[i], want[i])...)
		}
		return all
	case float64:
		if got, ok := got.(float64); ok && math.Abs(got-want) <= 1e-9*max(math.Abs(got), math.Abs(want)) {
			return nil
		}
	default: // string, bool, null
		if got == want {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s: %v, want %v", path, got, want)}
}
