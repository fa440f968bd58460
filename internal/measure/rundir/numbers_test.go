package rundir

import (
	"bytes"
	"encoding/json"
	"testing"
)

// Lists of numbers take one line each, and nothing else changes: neither text that looks like them, nor the value.
func TestJoinNumbers(t *testing.T) {
	type list map[string]any
	tests := []struct {
		value any
		want  string
	}{
		{7, "7"},
		{[]any{}, "[]"},
		{[]int{1}, "[1]"},
		{list{"a": []float64{1, -2.5e30, 0}}, "{\n  \"a\": [1, -2.5e+30, 0]\n}"},
		{[]any{1, nil, true}, "[1, null, true]"},
		{[][]int{{1, 2}, {}, {3}}, "[\n  [1, 2],\n  [],\n  [3]\n]"},
		{[]any{1, "x"}, "[\n  1,\n  \"x\"\n]"},
		{[]any{list{"k": 1}}, "[\n  {\n    \"k\": 1\n  }\n]"},
		{list{"[1,\n  2]\"\\": "[ 1,  2 ]\\"}, "{\n  \"[1,\\n  2]\\\"\\\\\": \"[ 1,  2 ]\\\\\"\n}"},
	}
	for _, tt := range tests {
		indented, err := json.MarshalIndent(tt.value, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		var before, after bytes.Buffer
		if err := json.Compact(&before, indented); err != nil {
			t.Fatal(err)
		}
		got := joinNumbers(indented)
		if string(got) != tt.want {
			t.Errorf("got %s\nwant %s", got, tt.want)
		}
		if err := json.Compact(&after, got); err != nil || before.String() != after.String() {
			t.Errorf("%s became %s: %v", before.String(), after.String(), err)
		}
	}
}
