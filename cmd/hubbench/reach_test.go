package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
)

// A disk that is held back, by a question to the person, is waited for and said; no worker's time runs meanwhile.
func TestReachDisk(t *testing.T) {
	disk := scenario.Disk{Name: "A", Path: "/Volumes/A"}
	var say bytes.Buffer
	if err := reachDisk(&say, disk, func(string) error { return nil }, time.Hour); err != nil || say.Len() > 0 {
		t.Errorf("at once: %v, said %q", err, &say)
	}
	answered := make(chan struct{})
	saw := writerFunc(func(text []byte) (int, error) { close(answered); return say.Write(text) })
	err := reachDisk(saw, disk, func(dir string) error { <-answered; return errors.New("refused " + dir) }, time.Millisecond)
	if err == nil || err.Error() != "disk A: refused /Volumes/A" {
		t.Errorf("after a refusal: %v", err)
	}
	if !strings.Contains(say.String(), "waiting for disk A (/Volumes/A)") {
		t.Errorf("said %q", &say)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
