package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// must fails the test if a step of it did.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write makes a file, and the folder that it is in, and returns its path.
func write[T string | []byte](t testing.TB, path string, text T) string {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return data
}

// looks finds out what is plugged in; nil: the machine's own devices.
type looks = func(context.Context) (*hardware.Inventory, error)

// does runs a command in this process, without a terminal.
func does(t testing.TB, look looks, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	p := program{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, look: look}
	code = run(t.Context(), args, p)
	return code, out.String(), errs.String()
}

// prints is what a command that succeeds prints.
func prints(t testing.TB, args ...string) string {
	t.Helper()
	code, out, errs := does(t, nil, args...)
	if code != exitOK {
		t.Fatalf("hubbench %s: exit code %d: %s", strings.Join(args, " "), code, errs)
	}
	return out
}

// simulated is the folder of a simulated run of a scenario, in a folder of its own.
func simulated(t testing.TB, text string) (scenario, run string) {
	t.Helper()
	dir := t.TempDir()
	scenario, run = write(t, filepath.Join(dir, "s.yaml"), text), filepath.Join(dir, "run")
	prints(t, "simulate", scenario, "--out", run)
	return scenario, run
}
