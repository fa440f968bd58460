package advise

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/stream"
)

func TestParseStreams(t *testing.T) {
	codec, ok := stream.CodecByName("prores-422-hq-uhd-25")
	if !ok {
		t.Fatal("no such codec")
	}
	of := func(count int) stream.Spec {
		return stream.Spec{Kind: codec.Name, Rate: codec.Rate, Frame: codec.Frame, Count: count, Buffer: time.Second}
	}
	byRate := stream.Spec{Kind: "92 MB/s", Rate: 92e6, Frame: 40 * time.Millisecond, Count: 4, Buffer: time.Second}
	for text, want := range map[string]stream.Spec{
		"A=4xprores-422-hq-uhd-25":    of(4),
		"A=4x prores-422-hq-uhd-25":   of(4),
		"A = 4x prores-422-hq-uhd-25": of(4),
		"A=prores-422-hq-uhd-25":      of(1),
		"A=4x92MB/s":                  byRate,
		"A=4 x 92 MB/s":               byRate,
	} {
		disk, got, err := ParseStreams(text, false, time.Second)
		if err != nil || disk != "A" {
			t.Errorf("%s: disk %q, %v", text, disk, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	for text, want := range map[string]string{
		"A":                        "does not name a disk and its streams; try A=4x",
		"=4x92MB/s":                "does not name a disk and its streams",
		"A=":                       "does not name a disk and its streams",
		"A=4x":                     "unknown codec",
		"A=0x92MB/s":               "0 streams; try 1 to 256",
		"A=999x92MB/s":             "999 streams",
		"A=4x92Mb/s":               "rate",
		"A=4x92":                   "a stream of 92 B/s; try one from 100 KB/s",
		"A=4xprores-422-hq-uhd25":  "try prores-422-hq-uhd-25",
		"A=4xnone-of-these-at-all": "hubbench plan --codecs lists",
	} {
		if _, _, err := ParseStreams(text, false, time.Second); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func TestParseDisk(t *testing.T) {
	disk := func(read, write float64, cache *hub.Cache) hub.Disk {
		return hub.Disk{Name: "X", About: dataSheet, Read: hub.Side{Direct: read, Weight: 1}, Write: hub.Side{Direct: write, Weight: 1}, Cache: cache}
	}
	for text, want := range map[string]hub.Disk{
		"X=2.8/2.5GB/s":                       disk(2.8e9, 2.5e9, nil),
		"X=2.8GB/s/2.5GB/s":                   disk(2.8e9, 2.5e9, nil),
		"X = 2.8 / 2.5 GB/s":                  disk(2.8e9, 2.5e9, nil),
		"X=1GB/s/500MB/s":                     disk(1e9, 0.5e9, nil),
		"X=540/500MB/s":                       disk(0.54e9, 0.5e9, nil),
		"X=2.8GB/s":                           disk(2.8e9, 2.8e9, nil),
		"X=2.8/2.5GB/s,cache=24GB@0.65GB/s":   disk(2.8e9, 2.5e9, &hub.Cache{Bytes: 24e9, After: 0.65e9}),
		"X=2.8/2.5GB/s, cache=24 GB@650 MB/s": disk(2.8e9, 2.5e9, &hub.Cache{Bytes: 24e9, After: 0.65e9}),
	} {
		got, err := ParseDisk(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{"X", "=2GB/s", "X=", "X=fast", "X=2.8/GB/s", "X=2.8/2.5", "X=2/2Gb/s", "X=2/2GB/s,cache=24GB", "X=2/2GB/s,cache=24GB@3GB/s", "X=2/2GB/s,cache=much@1GB/s"} {
		if d, err := ParseDisk(text); err == nil || !strings.Contains(err.Error(), "try X=2.8/2.5GB/s") {
			t.Errorf("%s: %+v, %v", text, d, err)
		}
	}
}

func TestParsePace(t *testing.T) {
	if disk, rate, err := ParsePace("B=200MB/s"); disk != "B" || rate != 200e6 || err != nil {
		t.Errorf("%s %g %v", disk, rate, err)
	}
	for _, text := range []string{"B", "=200MB/s", "B=slow", "B=1KB/s"} {
		if _, _, err := ParsePace(text); err == nil {
			t.Errorf("%s passes", text)
		}
	}
}

// A disk by its data sheet is as fast as it says, as far as the hub carries that, and pulls as the others do.
func TestWithDisk(t *testing.T) {
	p := evenHub()
	p.Disks[0].Read.Weight, p.Disks[1].Read.Weight = 2, 8
	d, err := ParseDisk("X=5/1GB/s")
	if err != nil {
		t.Fatal(err)
	}
	got, err := WithDisk(p, d)
	if err != nil {
		t.Fatal(err)
	}
	want := hub.Disk{
		Name: "X", About: dataSheet,
		Read:  hub.Side{Hub: 3e9, Direct: 5e9, Weight: 4},
		Write: hub.Side{Hub: 1e9, Direct: 1e9, Weight: 1},
	}
	x := got.Disk("X")
	x.Read.Weight = down(x.Read.Weight * (1 + 1e-9))
	if diff := cmp.Diff(want, *x); diff != "" || len(p.Disks) != 2 {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := WithDisk(got, d); err == nil {
		t.Error("two disks of one name")
	}
}
