package main

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The preset saturation is a study by itself: without phases it says first how large each disk's fast cache is, what the disk
// writes after it, and when it is back.
func TestSaturationWithoutPhases(t *testing.T) {
	t.Chdir(t.TempDir())
	const scenario = `version: 1
name: cache
hub: {profile: goshen-ridge}
disks: [{name: X5, simulate: {profile: X5}}, {name: A, simulate: {profile: A}}]
workload: {preset: saturation}
`
	if err := os.WriteFile("s.yaml", []byte(scenario), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"simulate", "s.yaml", "--out", "run", "--json"}, program{stdin: strings.NewReader(""), stdout: &out, stderr: &errs}); code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	var result struct{ Answer struct{ Headline string } }
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^X5's fast cache holds 2[34]\.\d ± 0\.\d GB: 2\.3\d GB/s falls to 0\.6\d+ GB/s; (still slow after|after 5 min 20 s of rest \d+ % of the cache was back).*; .*A wrote .*B without slowing down`)
	if !want.MatchString(result.Answer.Headline) {
		t.Errorf("headline %q", result.Answer.Headline)
	}
}
