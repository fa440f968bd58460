package export

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestJSONHoldsNoControls(t *testing.T) {
	const hostile = "a\x1b\u007f\u009b31m\u0085é\u202e"
	var out bytes.Buffer
	if err := JSON(&out, map[string]string{"name": hostile}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\u007f\u009b\u0085\u202e") {
		t.Errorf("got %q", out.String())
	}
	var back map[string]string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back["name"] != hostile {
		t.Errorf("read back %q, %v", back["name"], err)
	}
}
