// Command bench runs hubbench and fio alternately in the same folder and prints how they compare:
// the rate of moving bytes, and the processor time of the whole process tree. It is for those who
// change the engines; a user's numbers come from hubbench run. Start it with `make bench`, or by
// itself:
//
//	go run ./testdata/bench -dir /mnt/ssd -pairs 7 -rows random
//
// Hubbench is charged for all of `hubbench run`: coordinator, analysis and report, and writing the
// files that it reads. fio's files to be read are written by an fio that is not counted. Each pair
// is measured within seconds, in turns as to who goes first, so that what drifts (heat, neighbours)
// meets both. It needs nothing of the hubbench that it measures but its commands and files, so that
// can be any version.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/pkg/stats"
)

// row is one way of moving bytes.
type row struct {
	name    string
	op      string // op is read or write.
	random  bool
	block   int64
	depth   int
	size    int64 // size is a file's, in bytes.
	passes  int   // passes are files of hubbench, or passes of fio over one file.
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
		return errors.New("fio is not installed: get it with `apt install fio`, " +
			"`dnf install fio` or `brew install fio`, " +
			"or from https://github.com/axboe/fio")
	}
	if _, err := os.Stat(*hubbench); err != nil {
		return fmt.Errorf("%w: build it first, with `make build`", err)
	}
	want, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	fmt.Printf("%d pairs in %s; medians, and the ratio hubbench/fio as median (quartiles)\n\n",
		*pairs, *dir)
	fmt.Printf("%-35s %21s %23s   %25s %23s\n",
		"", "hubbench  fio  [GB/s]", "ratio", "hubbench  fio  [CPU s/GB*]", "ratio")
	for _, r := range rows(*scale) {
		if !want.MatchString(r.name) {
			continue
		}
		turns := [2]func(dir, with string) (rate, cpu float64, err error){r.hubbench, r.fio}
		var rates, cpus [2][]float64
		for i := range 2 * *pairs {
			which := (i + i/2) % 2
			rate, cpu, err := turns[which](*dir, [2]string{*hubbench, *extra}[which])
			if err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			rates[which], cpus[which] = append(rates[which], rate/1e9), append(cpus[which], cpu)
		}
		fmt.Printf("%-35s %9.3f %9.3f  %23s   %12.4f %12.4f  %23s\n", r.name,
			stats.Median(rates[0]), stats.Median(rates[1]), ratios(rates),
			stats.Median(cpus[0]), stats.Median(cpus[1]), ratios(cpus))
	}
	fmt.Println("\n* of the random rows: CPU s per million requests")
	return nil
}

// ratios is the median of the pairs' ratios, and their quartiles.
func ratios(pairs [2][]float64) string {
	var v []float64
	for i := range pairs[0] {
		v = append(v, pairs[0][i]/pairs[1][i])
	}
	slices.Sort(v)
	return fmt.Sprintf("%.3f (%.3f to %.3f)", stats.Quantile(v, 0.5), stats.Quantile(v, 0.25),
		stats.Quantile(v, 0.75))
}

// cpu is the seconds of processor time that a tree of processes took for each GB, or each million
// random requests.
func (r row) cpu(tree *os.ProcessState) float64 {
	units := float64(r.bytes()) / 1e9
	if r.random {
		units = float64(r.bytes()/r.block) / 1e6
	}
	return (tree.UserTime() + tree.SystemTime()).Seconds() / units
}

// fio runs the row with fio's fastest engine, on files of its own that are gone afterwards.
func (r row) fio(dir, extra string) (rate, cpu float64, err error) {
	defer func() {
		files, _ := filepath.Glob(filepath.Join(dir, "bench-fio.*")) // the pattern is well formed
		for _, f := range files {
			_ = os.Remove(f) // it only takes space, and fio would say so
		}
	}()
	engine, ok := map[string]string{"linux": "io_uring", "windows": "windowsaio"}[runtime.GOOS]
	if !ok {
		engine = "posixaio"
	}
	common := []string{
		"--name=bench-fio", "--filename_format=bench-fio.$jobnum", "--directory=" + dir,
		"--ioengine=" + engine, "--direct=1",
		fmt.Sprintf("--numjobs=%d", r.workers), fmt.Sprintf("--size=%d", r.size),
		"--output-format=json",
	}
	args := []string{
		"--rw=" + map[bool]string{true: "rand"}[r.random] + r.op, fmt.Sprintf("--bs=%d", r.block),
		fmt.Sprintf("--iodepth=%d", r.depth), fmt.Sprintf("--loops=%d", r.passes),
	}
	switch r.op {
	case "read":
		prepare := []string{"--rw=write", "--bs=1m", "--iodepth=8", "--end_fsync=1"}
		if out, err := exec.Command("fio",
			append(prepare, common...)...).CombinedOutput(); err != nil {
			return 0, 0, fmt.Errorf("fio: %w\n%s", err, out)
		}
	case "write":
		args = append(args, "--end_fsync=1")
	}
	if extra != "" {
		args = append(args, extra)
	}
	cmd := exec.Command("fio", append(args, common...)...)
	out, err := cmd.Output()
	if err != nil {
		return 0, 0, fmt.Errorf("fio: %w\n%s", err, out)
	}
	total, _, err := fioTotal(out)
	if err == nil && total.Bytes != float64(r.bytes()) {
		err = fmt.Errorf("fio moved %.0f bytes instead of %d", total.Bytes, r.bytes())
	}
	return total.Rate, r.cpu(cmd.ProcessState), err
}

// hubbench runs the row as a user does, with a folder for each worker, and reads the events.
func (r row) hubbench(dir, program string) (rate, cpu float64, err error) {
	home, err := os.MkdirTemp("", "hubbench-bench-")
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	s := "version: 1\nname: bench\nallow_system_disk: true\ndisks:\n"
	for i := range r.workers {
		folder, err := filepath.Abs(filepath.Join(dir, fmt.Sprintf("bench-hubbench.%d", i)))
		if err != nil {
			return 0, 0, err
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return 0, 0, err
		}
		defer func() { _ = os.Remove(folder) }() // an empty folder at worst
		s += fmt.Sprintf("  - {name: D%d, path: %q}\n", i, folder)
	}
	access := map[bool]string{false: "sequential", true: "random"}[r.random]
	s += fmt.Sprintf("workload: {files: %d, sizes: [%d], block: %d, depth: %d, "+
		"access: %s, flush: fsync}\n",
		r.passes, r.size, r.block, r.depth, access)
	s += fmt.Sprintf("phases:\n  - {pattern: %s}\n",
		strings.Repeat(strings.ToUpper(r.op[:1]), r.workers))
	scenario, out := filepath.Join(home, "bench.yaml"), filepath.Join(home, "run")
	if err := os.WriteFile(scenario, []byte(s), 0o600); err != nil {
		return 0, 0, err
	}
	cmd := exec.Command(program, "run", scenario, "--out", out, "--yes", "--quiet")
	if text, err := cmd.CombinedOutput(); err != nil {
		return 0, 0, fmt.Errorf("hubbench: %w\n%s", err, text)
	}
	run, err := rundir.Load(out)
	if err != nil {
		return 0, 0, err
	}
	rate, err = r.rateOf(run)
	return rate, r.cpu(cmd.ProcessState), err
}

// rateOf adds up the disks' rates, each from the start of its first file to the end of its last, as
// fio has it. It refuses to compare anything but direct requests.
func (r row) rateOf(run *rundir.Loaded) (rate float64, err error) {
	var total int64
	for _, phase := range run.Trace.Phases {
		for _, d := range phase.Disks {
			mode := run.Info.Effective[phase.Name][d.Name]
			if mode.Cache != "direct" || len(mode.Warnings) > 0 {
				return 0, fmt.Errorf("disk %s: %s %q: not what is to be compared", d.Name,
					mode.Cache, mode.Warnings)
			}
			var bytes int64
			for _, f := range d.Files {
				bytes += f.Bytes
			}
			total += bytes
			rate += float64(bytes) / float64(d.Files[len(d.Files)-1].EndNS-d.Files[0].StartNS) * 1e9
		}
	}
	if total != r.bytes() {
		return 0, fmt.Errorf("hubbench moved %d bytes instead of %d", total, r.bytes())
	}
	return rate, nil
}
