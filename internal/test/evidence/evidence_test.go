package evidence

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadWhatPrintWrites(t *testing.T) {
	f := Finding{Claim: "overlap", Case: "WWW, \"quoted\"\nand two lines", Unit: "B/s", Truth: 1e9, Measured: 1.01e9, Low: 1e9, High: 1.02e9, Limit: "within 2 %", Pass: true}
	var out bytes.Buffer
	if err := Print(&out, f); err != nil {
		t.Fatal(err)
	}
	if strings.Count(out.String(), "\n") != 1 {
		t.Fatalf("%q is not one line", out.String())
	}
	got, ok, err := Read("    === ATTR  TestX " + out.String())
	if diff := cmp.Diff(f, got); err != nil || !ok || diff != "" {
		t.Errorf("Read() is %v, %v (-want +got):\n%s", ok, err, diff)
	}
	if _, ok, err := Read("ok  github.com/hubbench/hubbench"); ok || err != nil {
		t.Errorf("another line: %v, %v", ok, err)
	}
	if _, ok, err := Read(key + " {"); !ok || err == nil {
		t.Errorf("half a finding: %v, %v", ok, err)
	}
}
