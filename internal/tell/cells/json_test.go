package cells

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// Lists of numbers take one line each, and nothing else changes: neither text that looks like them,
// nor the value.
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
		plain, err := json.Marshal(tt.value)
		var before, after bytes.Buffer
		if err == nil {
			err = json.Compact(&before, plain)
		}
		check.Must(t, err)
		got, err := JSON(tt.value)
		if string(got) != tt.want+"\n" || err != nil {
			t.Errorf("got %s\nwant %s (%v)", got, tt.want, err)
		}
		if err := json.Compact(&after, got); err != nil || before.String() != after.String() {
			t.Errorf("%s became %s: %v", before.String(), after.String(), err)
		}
	}
}
