// Command bench runs hubbench and fio alternately in the same folder and prints how they compare: the rate of
// moving bytes, and the processor time of the whole process tree. It is for those who change the engines; a
// user's numbers come from hubbench run. Start it with `make bench`, or by itself:
//
//	go run ./testdata/bench -dir /mnt/ssd -pairs 7 -rows random
//
// Hubbench is charged for all of `hubbench run`: coordinator, analysis and report, and writing the files that
// it reads. fio's files to be read are written by an fio that is not counted. Each pair is measured within
// seconds, in turns as to who goes first, so that what drifts (heat, neighbours) meets both. It needs nothing
// of hubbench but its commands and files, so it can measure any version.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
)

// row is one way of moving bytes.
type row struct {
	name    string
	op      string // read | write
	random  bool
	block   int64
	depth   int
	size    int64 // of a file
	passes  int   // files of hubbench, passes over one file of fio
	workers int
}

// bytes is what one run of the row moves.
func (r row) bytes() int64 { return r.size * int64(r.passes) * int64(r.workers) }

// rows are all of them; scale makes the files larger.
func rows(scale int64) []row {
	const (
		r, w = "read", "write"
		kib  = 1 << 10
		mib  = 1 << 20
	)
	return []row{
		{"write 1 MiB depth 8", w, false, mib, 8, 1024 * mib * scale, 2, 1},
		{"read 1 MiB depth 8", r, false, mib, 8, 1024 * mib * scale, 2, 1},
		{"write 8 MiB depth 4", w, false, 8 * mib, 4, 1024 * mib * scale, 2, 1},
		{"read 8 MiB depth 4", r, false, 8 * mib, 4, 1024 * mib * scale, 2, 1},
		{"random read 4 KiB depth 64", r, true, 4 * kib, 64, 256 * mib * scale, 4, 1},
		{"random read 4 KiB depth 1", r, true, 4 * kib, 1, 128 * mib * scale, 3, 1},
		{"write 1 MiB depth 8, three at once", w, false, mib, 8, 512 * mib * scale, 2, 3},
		{"read 1 MiB depth 8, three at once", r, false, mib, 8, 512 * mib * scale, 2, 3},
	}
}

// result is one run of a row.
type result struct {
	rate float64 // bytes per second, of all workers together
	cpu  float64 // seconds of processor time for each GB, or each million requests if they are random
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	dir := flag.String("dir", "bin", "folder on the disk to measure")
	pairs := flag.Int("pairs", 7, "runs of each")
	only := flag.String("rows", "", "only the rows whose name this regular expression finds")
	scale := flag.Int64("scale", 1, "multiply the sizes of the files by this")
	hubbench := flag.String("hubbench", "bin/hubbench", "the hubbench to measure")
	extra := flag.String("fio", "", "one more option for fio, such as --fixedbufs=1")
	flag.Parse()
	if _, err := exec.LookPath("fio"); err != nil {
		return errors.New("fio is not installed: get it with `apt install fio`, `dnf install fio` or `brew install fio`, or from https://github.com/axboe/fio")
	}
	if _, err := os.Stat(*hubbench); err != nil {
		return fmt.Errorf("%w: build it first, with `make build`", err)
	}
	want, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	fmt.Printf("%d pairs in %s; medians, and the ratio hubbench/fio as median (quartiles)\n\n", *pairs, *dir)
	fmt.Printf("%-35s %21s %23s   %25s %23s\n", "", "hubbench  fio  [GB/s]", "ratio", "hubbench  fio  [CPU s/GB*]", "ratio")
	for _, r := range rows(*scale) {
		if !want.MatchString(r.name) {
			continue
		}
		var ours, theirs []result
		for i := range *pairs {
			turns := []func() error{
				func() error { return add(&ours, func() (result, error) { return runHubbench(*hubbench, *dir, r) }) },
				func() error { return add(&theirs, func() (result, error) { return runFio(*dir, r, *extra) }) },
			}
			if i%2 == 1 {
				slices.Reverse(turns)
			}
			if err := errors.Join(turns[0](), turns[1]()); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
		}
		show(r, ours, theirs)
	}
	fmt.Println("\n* of the random rows: CPU s per million requests")
	return nil
}

func add(list *[]result, run func() (result, error)) error {
	one, err := run()
	*list = append(*list, one)
	return err
}

// show prints the row's line.
func show(r row, ours, theirs []result) {
	rate := func(x result) float64 { return x.rate / 1e9 }
	cpu := func(x result) float64 { return x.cpu }
	fmt.Printf("%-35s %9.3f %9.3f  %23s   %12.4f %12.4f  %23s\n", r.name,
		quartile(values(ours, rate), 2), quartile(values(theirs, rate), 2), ratios(ours, theirs, rate),
		quartile(values(ours, cpu), 2), quartile(values(theirs, cpu), 2), ratios(ours, theirs, cpu))
}

func values(list []result, of func(result) float64) []float64 {
	var v []float64
	for _, x := range list {
		v = append(v, of(x))
	}
	return v
}

// ratios is the median of the pairs' ratios, and their quartiles.
func ratios(ours, theirs []result, of func(result) float64) string {
	var v []float64
	for i := range ours {
		v = append(v, of(ours[i])/of(theirs[i]))
	}
	return fmt.Sprintf("%.3f (%.3f to %.3f)", quartile(v, 2), quartile(v, 1), quartile(v, 3))
}

// quartile interpolates between the ordered values.
func quartile(v []float64, which int) float64 {
	v = slices.SortedFunc(slices.Values(v), cmp.Compare)
	at := float64(len(v)-1) * float64(which) / 4
	i := int(at)
	if i+1 == len(v) {
		return v[i]
	}
	return v[i] + (at-float64(i))*(v[i+1]-v[i])
}
