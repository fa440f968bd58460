package fit

import (
	"encoding/json"
	"math"
	"regexp"
	"testing"
)

// keys lists every key in a JSON value.
func keys(v any, list map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for key, item := range v {
			list[key] = true
			keys(item, list)
		}
	case []any:
		for _, item := range v {
			keys(item, list)
		}
	}
}

// Fits and predictions are JSON with keys in snake case, whatever is infinite or refused in them.
func TestJSON(t *testing.T) {
	disks := []string{"A", "B", "C"}
	e := observe(t, study(disks, 1, 10, 1), noisy()) // solos bound no capacity from above
	f := fit(t, e)
	if !math.IsInf(f.Parameters[0].High, 1) {
		t.Fatalf("%+v: want no upper end", f.Parameters[0])
	}
	predicted, err := Predict(f.Profile, disks, 1)
	if err != nil {
		t.Fatal(err)
	}
	held, err := LeaveOneOut(e, Options{})
	if err != nil {
		t.Fatal(err)
	}
	snake := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	for name, v := range map[string]any{"fit": f, "prediction": predicted, "check": held} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var read any
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		keys(read, found)
		for key := range found {
			if !snake.MatchString(key) {
				t.Errorf("%s: key %q", name, key)
			}
		}
	}
	var fitted struct {
		Parameters []struct {
			Name      string
			Low, High *float64
			Note      string
		}
	}
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &fitted); err != nil {
		t.Fatal(err)
	}
	if p := fitted.Parameters[0]; p.Name != "capacity.read" || p.Low == nil || p.High != nil || p.Note == "" {
		t.Errorf("capacity.read: %+v, want a lower end, no upper one and a note", p)
	}
	last := predicted.Rows[len(predicted.Rows)-1]
	if last.Rates[0].Refused == "" {
		t.Errorf("three disks were predicted from solos: %+v", last)
	}
	var row struct {
		Rates []struct {
			Rate, Low, High *float64
			Refused         string
		}
		Kept *float64
	}
	if text, err = json.Marshal(last); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &row); err != nil {
		t.Fatal(err)
	}
	if got := row.Rates[0]; got.Rate != nil || got.Low != nil || got.High != nil || got.Refused == "" || row.Kept != nil {
		t.Errorf("a refused rate: %s", text)
	}
}
