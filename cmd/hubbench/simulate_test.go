package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// A simulation on a hub whose runs contradict the model says that it is a guess.
func TestSimulateOnAHubThatNoModelExplains(t *testing.T) {
	scenario, run := simulated(t, `version: 1
name: s
hub: {profile: goshen-ridge}
disks:
  - {name: A, simulate: {profile: A}}
  - {name: B, simulate: {profile: B}}
  - {name: C, simulate: {profile: C}}
workload: {files: 6}
study: matrix
`)
	dir := filepath.Dir(run)
	profile := filepath.Join(dir, "my-hub.yaml")
	prints(t, "fit", run, "--out", profile)
	const guess = "The runs contradict the model"
	says := func(profile string) bool {
		return strings.Contains(prints(t, "simulate", scenario, "--profile", profile, "--out",
			filepath.Join(t.TempDir(), "again")), guess)
	}
	check.Same(t, "as fitted: a guess", false, says(profile))
	understated := regexp.MustCompile(`error: [\d.]+`).ReplaceAllString(string(read(t, profile)),
		"error: 0.00001")
	check.Same(t, "with rates known too well: a guess", true,
		says(write(t, filepath.Join(dir, "odd.yaml"), understated)))
}
