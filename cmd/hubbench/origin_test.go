package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Where a profile's figures are from reaches every number made with it: the answer of a run, its page, a fit to it, and what is
// predicted and advised by that.
func TestOriginOfAProfile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const text = `version: 1
name: u
hub: {profile: HUB, speedup: 1000}
disks: [{name: A, simulate: {profile: A}}, {name: B, simulate: {profile: B}}]
workload: {sizes: [1 GB], files: 8}
phases: [{pattern: W-}, {pattern: -W}, {pattern: WW}, {pattern: R-}, {pattern: -R}, {pattern: RR}]
`
	output := func(args ...string) string {
		var out, errs bytes.Buffer
		if code := run(t.Context(), args, program{stdin: strings.NewReader(""), stdout: &out, stderr: &errs}); code != 0 {
			t.Fatalf("%v: exit %d: %s", args, code, errs.String())
		}
		return strings.Join(strings.Fields(out.String()+errs.String()), " ")
	}
	const unmeasured = "from specifications: neither the hub nor its disks were measured"
	for hub, want := range map[string]bool{"usb-10g": true, "goshen-ridge": false} {
		if err := os.WriteFile(at("u.yaml"), []byte(strings.Replace(text, "HUB", hub, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		for name, got := range map[string]string{
			"simulate": output("simulate", at("u.yaml"), "--out", at(hub)),
			"analyze":  output("analyze", at(hub)),
			"page":     output("report", at(hub), "--format", "md", "--out", "-"),
			"fit":      output("fit", at(hub), "--out", at(hub+".yaml")),
			"predict":  output("predict", at(hub+".yaml")),
			"as it is": output("predict", hub),
			"advise":   output("advise", at(hub+".yaml"), "--play", "A=1xprores-422-hq-uhd-25", "--write", "B"),
		} {
			if name == "fit" {
				data, err := os.ReadFile(at(hub + ".yaml"))
				if err != nil || strings.Contains(string(data), "source: specifications") != want {
					t.Errorf("%s: the fitted profile has another source: %v", hub, err)
				}
				continue
			}
			if strings.Contains(got, unmeasured) != want {
				t.Errorf("%s, %s: said %v, want %v: %.2000s", hub, name, !want, want, got)
			}
			if want && strings.Contains(got, "rates are known to") {
				t.Errorf("%s, %s: %.2000s", hub, name, got)
			}
		}
	}
}
