package fit

import (
	"encoding/json"
	"math"
	"regexp"
	"testing"

	"github.com/hubbench/hubbench/pkg/hub"
)

// Fits and predictions are JSON with keys in snake case, whatever is infinite or refused in them.
func TestJSON(t *testing.T) {
	disks := []string{"A", "B", "C"}
	e := observe(t, study(disks, 1, 10, 1), noisy()) // solos bound no capacity from above
	f := fit(t, e)
	if !math.IsInf(f.Parameters[0].High, 1) {
		t.Fatalf("%+v: want no upper end", f.Parameters[0])
	}
	predicted := predict(t, f.Profile, disks)
	held, err := LeaveOneOut(e, Options{})
	if err != nil {
		t.Fatal(err)
	}
	snake := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	for name, v := range map[string]any{"fit": f, "prediction": predicted, "check": held} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range regexp.MustCompile(`"([^"]*)":`).FindAllSubmatch(text, -1) {
			if !snake.Match(key[1]) {
				t.Errorf("%s: key %q", name, key[1])
			}
		}
	}
	parts := func(v any) map[string]any {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	if p := parts(f.Parameters[0]); p["name"] != "capacity.read" || p["low"] == nil || p["high"] != nil || p["note"] == "" {
		t.Errorf("%v, want capacity.read with a lower end, no upper one and a note", p)
	}
	last := predicted.Rows[len(predicted.Rows)-1]
	got := parts(last.Rates[0])
	if got["rate"] != nil || got["low"] != nil || got["high"] != nil || got["refused"] == nil || parts(last)["kept"] != nil {
		t.Errorf("three disks were predicted from solos: %v", got)
	}
	none := math.Inf(1)
	off := Residual{Phase: "W", Mix: "W", Observed: hub.Observed{Disk: "A", Op: write, Rate: 1, Error: none}, Off: none}
	if r := parts(off); r["off"] != nil || r["error"] != nil || r["rate"] != 1.0 || r["model"] != 0.0 || r["disk"] != "A" || len(r) != 8 {
		t.Errorf("%v, want eight keys, off and error null", r)
	}
	if r := parts(&Result{Name: "fitted", ModelError: none}); r["model_error"] != nil || r["name"] != "fitted" || len(r) != 5 {
		t.Errorf("%v, want five keys, model_error null", r)
	}
	if p := parts(Parameter{Value: none}); p["value"] != nil {
		t.Errorf("%v, want value null", p)
	}
}
