package catalogue

import (
	"bufio"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
	"github.com/hubbench/hubbench/testdata/fixture"
)

var runs = flag.Int("runs", 400, "how many runs the queries are tried on")

var more = flag.String("engines", "",
	"the other engines that are to answer the same: pyspark, chdb")

// child has this program add runs to the catalogue in that folder, and compact it, until it is
// killed.
const child = "HUBBENCH_CATALOGUE_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(child); dir != "" {
		run := farm()
		for n := 0; ; n++ {
			c, err := Open(dir)
			if err == nil {
				fmt.Println("adding", n%50)
				c.listing = time.Millisecond
				err = c.Add(run(n%50), Stamp{})
			}
			if err == nil {
				fmt.Println("added", n%50)
				err = c.Compact(after)
				c.Close()
			}
			if err != nil && !errors.Is(err, filesystem.ErrBusy) {
				fmt.Println(err)
				os.Exit(1)
			}
		}
	}
	flag.Parse()
	m.Run()
}

// after is when the months of all runs are over.
var after = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)

func add(t *testing.T, dir string, runs ...*recorded.Run) *Catalogue {
	t.Helper()
	c, err := Open(dir)
	check.Must(t, err)
	t.Cleanup(c.Close)
	c.listing = 0
	for _, run := range runs {
		check.Must(t, c.Add(run, Stamp{}))
	}
	return c
}

// farm makes runs of 20 hosts, whose names are numbers, on two kinds of hub, in 2026. Phase WWW is
// there twice. Disk A is of a model with a firmware that keeps a tenth less in the second half of
// them; of the others C is the fastest, and does one of two works.
var farm = sync.OnceValue(func() func(n int) *recorded.Run {
	triple := fixture.Triple()
	first := analysis.Analyze(triple, analysis.Options{})
	for name, d := range first.Phases[0].Contention.Disks {
		d.Alone, d.Reference = d.Retention != nil, analysis.ReferenceSolo
		first.Phases[0].Contention.Disks[name] = d
	}
	perDay := max(10, *runs/300)
	return func(n int) *recorded.Run {
		random := rand.New(rand.NewPCG(1, uint64(n)))
		run, a := *triple, *first
		started := time.Date(2026, 1, 1+n/perDay, 8, n%perDay, 0, 0, time.UTC).Format(time.RFC3339)
		firmware, factor := "1.0", 1.0
		if n >= *runs/2 {
			firmware, factor = "1.1", 0.9
		}
		disk := func(model, firmware string) hardware.Unit {
			return hardware.Unit{Drive: hardware.Drive{Model: model, Firmware: firmware}}
		}
		run.Hardware = &hardware.Setup{
			Hub: &hardware.Hub{Vendor: "Maker", Name: fmt.Sprintf("Hub %d", n%2)},
			Disks: map[string]hardware.Unit{"A": disk("SSD One", firmware),
				"B": disk("SSD Two", "7"), "C": disk("SSD Three", "5")},
		}
		a.Phases = append([]analysis.PhaseResult{}, first.Phases...)
		again := first.Phases[slices.IndexFunc(first.Phases, func(p analysis.PhaseResult) bool {
			return p.Name == "WWW"
		})]
		again.Name, again.Repeats = "WWW-2", "WWW"
		a.Phases = append(a.Phases, again)
		for i := range a.Phases {
			p := &a.Phases[i]
			p.Work = map[string]work.Work{"C": {Mode: "direct", Block: 1 << (20 + n/2%2)}}
			if strings.HasPrefix(p.Name, "WWW") {
				p.Disks = maps.Clone(p.Disks)
				c := p.Disks["C"]
				c.Throttle = &analysis.Throttle{Step: ledger.Step{AtBytes: 24e9, FromRate: 2e9,
					ToRate: 0.5e9}, Cause: "cache_full"}
				c.Temperature = &analysis.Temperature{FirstC: 38, MaxC: 51 + 3*random.Float64()}
				p.Disks["C"] = c
			}
			o := *p.Overlap
			rates := map[string]analysis.OverlapDisk{}
			for _, name := range slices.Sorted(maps.Keys(o.Disks)) {
				d := o.Disks[name]
				if d.Rate *= 1 + 0.02*random.NormFloat64(); name == "A" {
					d.Rate *= factor
				}
				rates[name] = d
			}
			p.Overlap, o.Disks = &o, rates
		}
		a.Origin = &analysis.Origin{
			Run: fmt.Sprintf("run-%05d", n), Started: started, Host: fmt.Sprintf("%04d", n%20),
			Status: "complete",
			Hub:    run.Hardware.Hub.Product(),
		}
		return &recorded.Run{Loaded: &rundir.Loaded{Trace: &run}, Path: a.Run, Analysis: &a}
	}
})

// whole lists the catalogue's Parquet files, each of which must be readable, with when they were
// written. Engines leave _state out.
func whole(t *testing.T, dir string) map[string]time.Time {
	t.Helper()
	files := map[string]time.Time{}
	paths, err := filepath.Glob(filepath.Join(dir, "*", "month=*", "*"))
	check.Must(t, err)
	for _, path := range paths {
		if filepath.Ext(path) != ".parquet" {
			t.Errorf("%s would keep polars from reading the folder", path)
			continue
		}
		file, err := os.Open(path)
		check.Must(t, err)
		stat, err := file.Stat()
		check.Must(t, err)
		packed, err := parquet.OpenFile(file, stat.Size())
		compact := strings.HasPrefix(filepath.Base(path), "compact-")
		if err != nil || compact && packed.NumRows() == 0 {
			t.Errorf("%s: %v", path, err)
		}
		check.Must(t, file.Close())
		files[path] = stat.ModTime()
	}
	return files
}

// rowsOf are how many rows of disks each run has, by what its status was, in the file that views
// take it from.
func rowsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	from, rows := map[string]string{}, map[string]int{}
	type row struct {
		Run    string `parquet:"run"`
		Status string `parquet:"status"`
	}
	for path := range whole(t, dir) {
		if !strings.HasPrefix(path, filepath.Join(dir, "disk")) {
			continue
		}
		read, err := parquet.ReadFile[row](path)
		check.Must(t, err)
		for _, r := range read {
			compact := strings.HasPrefix(filepath.Base(path), "compact-")
			if from[r.Run] == "" || !compact {
				from[r.Run] = path
			}
			rows[path+r.Run+r.Status]++
		}
	}
	list := map[string]string{}
	for run, path := range from {
		for _, status := range []string{trace.Complete, trace.Partial} {
			if n := rows[path+run+status]; n > 0 {
				list[run] += fmt.Sprint(n, status)
			}
		}
	}
	return list
}

func id(n int) string { return fmt.Sprintf("run-%05d", n) }

// want is what rowsOf gives of these runs.
func want(runs ...int) map[string]string {
	list := map[string]string{}
	for _, n := range runs {
		list[id(n)] = "12complete"
	}
	return list
}

// A run is in a folder for its month, in a file of its own; when it has changed, the file is
// replaced.
func TestAdd(t *testing.T) {
	dir := t.TempDir()
	run := farm()(3)
	add(t, dir, run)
	before := whole(t, dir)
	path := filepath.Join(dir, "disk", "month=2026-01", "run-00003-"+hash("0003")+".parquet")
	if _, ok := before[path]; !ok || len(before) != 5 { // no streams
		t.Errorf("%v: want a file a grain, in a folder of the month", before)
	}
	run.Analysis.Status = "partial"
	add(t, dir, run)
	if got := rowsOf(t, dir); got[id(3)] != "12partial" || len(whole(t, dir)) != 5 {
		t.Errorf("%v when the run had changed", got)
	}
	check.Must(t, os.MkdirAll(filepath.Join(dir, "disk", "date=2026-01-01"), 0o755))
	if _, err := Open(dir); err == nil ||
		!strings.Contains(err.Error(), "layout of versions before 1") {
		t.Errorf("the old layout: %v", err)
	}
}

// What a computer has added is known the next time, until one of the run's files changes.
func TestStamp(t *testing.T) {
	dir, run := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		check.Must(t, os.WriteFile(filepath.Join(run, name), []byte(text), 0o600))
	}
	write(rundir.EventsFile, "events")
	check.Must(t, add(t, dir).Add(farm()(1), StampOf(run, false)))
	has := func(hashed bool) bool { return add(t, dir).Has(StampOf(run, hashed)) }
	if !has(false) || has(true) {
		t.Error("want it to be known, and its hashed rows not to be")
	}
	write(rundir.InfoFile, "{}")
	if has(false) {
		t.Error("it is known though it has a run.json now")
	}
	check.Must(t, add(t, dir).Add(farm()(1), StampOf(run, false)))
	collected := filepath.Join(dir, collected())
	text, err := os.ReadFile(collected)
	check.Must(t, err)
	check.Must(t, os.WriteFile(collected, text[:len(text)-9], 0o600))
	if has(false) {
		t.Error("it is known though the line was cut off")
	}
}

// A compaction leaves each run once, as it was added last, and those of the month that is not over.
func TestCompact(t *testing.T) {
	dir := t.TempDir()
	for n := range 8 {
		add(t, dir, farm()(n))
	}
	c := add(t, dir, farm()(320))
	first := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	finder := filepath.Join(dir, "disk", ".DS_Store")
	check.Must(t, os.WriteFile(finder, nil, 0o600))
	check.Must(t, c.Compact(first))
	check.Must(t, os.Remove(finder))
	check.Same(t, "rows", fmt.Sprint(want(0, 1, 2, 3, 4, 5, 6, 7, 320)), fmt.Sprint(rowsOf(t, dir)))
	if files := whole(t, dir); len(files) != 5+5 {
		t.Errorf("%d files, want one a grain of the month that is over, and of the run after it",
			len(files))
	}
	before := whole(t, dir)
	check.Must(t, c.Compact(first))
	if apart := diff.Diff(before, whole(t, dir)); apart != "" {
		t.Errorf("a compaction of nothing new (-before +after):\n%s", apart)
	}
	changed, silent := farm()(3), farm()(4)
	changed.Analysis.Status = "partial"
	silent.Analysis.Findings = nil
	add(t, dir, changed, silent, farm()(9))
	late := want(0, 1, 2, 3, 4, 5, 6, 7, 9, 320)
	late[id(3)] = "12partial"
	check.Same(t, "late arrivals", fmt.Sprint(late), fmt.Sprint(rowsOf(t, dir)))
	check.Must(t, c.Compact(first))
	check.Same(t, "late arrivals, compacted", fmt.Sprint(late), fmt.Sprint(rowsOf(t, dir)))
	if _, err := os.Stat(filepath.Join(dir, "disk", "month=2026-01",
		"compact-2.parquet")); err != nil {
		t.Error(err)
	}
	findings, err := parquet.ReadFile[struct {
		Run string `parquet:"run"`
	}](filepath.Join(dir, "finding", "month=2026-01", "compact-2.parquet"))
	check.Must(t, err)
	for _, f := range findings {
		if f.Run == id(4) {
			t.Error("there is a finding of a run that has none any more")
		}
	}
	check.Must(t, c.withLock(compactLock, filesystem.Lock, func() error {
		if err := c.Compact(after); !errors.Is(err, filesystem.ErrBusy) {
			t.Errorf("a second compaction: %v", err)
		}
		return nil
	}))
}

// Eight writers at once lose nothing, while others compact.
func TestManyWriters(t *testing.T) {
	dir := t.TempDir()
	var writers sync.WaitGroup
	for w := range 8 {
		c := add(t, dir)
		writers.Go(func() {
			for n := range 20 {
				// Half of them are another's too.
				if err := c.Add(farm()(10*w+n), Stamp{}); err != nil {
					t.Error(err)
				}
				if n%8 != w {
					continue
				}
				if err := c.Compact(after); err != nil && !errors.Is(err, filesystem.ErrBusy) {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	var all []int
	for n := range 90 {
		all = append(all, n)
	}
	check.Same(t, "rows", fmt.Sprint(want(all...)), fmt.Sprint(rowsOf(t, dir)))
	check.Must(t, add(t, dir).Compact(after))
	check.Same(t, "rows, compacted", fmt.Sprint(want(all...)), fmt.Sprint(rowsOf(t, dir)))
	if files := whole(t, dir); len(files) != 5 {
		t.Errorf("%d files, want one a grain", len(files))
	}
}

// Whenever one is killed that adds and compacts, every file is whole, every run that was added is
// there, and the next one cleans up.
func TestKills(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	check.Must(t, err)
	kills := 100
	if testing.Short() {
		kills = 10
	}
	var added []int
	for n := range kills {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), child+"="+dir)
		out, err := cmd.StdoutPipe()
		check.Must(t, err)
		check.Must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		lines.Scan() // it has begun, however long that took
		time.AfterFunc(time.Duration(n*311%2500)*time.Millisecond, func() {
			_ = cmd.Process.Kill()
		})
		for lines.Scan() {
			run := 0
			if _, err := fmt.Sscanf(lines.Text(), "added %d", &run); err == nil &&
				!slices.Contains(added, run) {
				added = append(added, run)
			} else if !strings.HasPrefix(lines.Text(), "add") {
				t.Error(lines.Text())
			}
		}
		_ = cmd.Wait() // it was killed
		got := rowsOf(t, dir)
		for run, rows := range want(added...) {
			if got[run] != rows {
				t.Fatalf("kill %d: %s has rows %q, want %q", n, run, got[run], rows)
			}
		}
	}
	if len(added) == 0 {
		t.Fatal("nothing was written: this shows nothing")
	}
	c := add(t, dir)
	for n := range 50 {
		check.Must(t, c.Add(farm()(n), Stamp{}))
	}
	check.Must(t, c.Compact(after))
	files := whole(t, dir)
	_, err = os.Stat(filepath.Join(dir, state(pendingFile)))
	if len(files) != 5 || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%d files at the end, want 5, and no compaction that waits (%v)", len(files), err)
	}
}

// engines are programs that print the rows of a query, given the catalogue, the folder of the views
// and the query.
var engines = map[string]string{
	"duckdb": `
import duckdb, sys
con = duckdb.connect()
con.execute("SET enable_progress_bar = false") # it would stand among the rows of a query that takes 2 s
con.execute("SET VARIABLE catalogue = '" + sys.argv[1] + "'")
con.execute(open(sys.argv[2] + "/duckdb.sql").read())
ask = lambda sql: con.execute(sql).fetchall()`,
	"pyspark": `
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False).config("spark.log.level", "OFF").getOrCreate()
for view in open(sys.argv[2] + "/spark.sql").read().replace("${catalogue}", sys.argv[1]).split(";"):
    if view.strip(): spark.sql(view)
ask = lambda sql: [tuple(row) for row in spark.sql(sql).collect()]`,
	"chdb": `
import os, sys
from chdb import session
s = session.Session()
os.chdir(os.path.dirname(sys.argv[1]))
for view in open(sys.argv[2] + "/clickhouse.sql").read().split(";"):
    if view.strip(): s.query(view)
def ask(sql):
    lines = str(s.query(sql, "TabSeparated")).replace(chr(92) + "N", "None").splitlines()
    return [line.split("\t") for line in lines]`,
}

// query runs one of configs/sql in an engine, and returns its rows, numbers to six digits. The test
// is skipped without the engine.
func query(t *testing.T, engine, catalogue, name string) (rows [][]string) {
	t.Helper()
	python := cmp.Or(os.Getenv("HUBBENCH_PYTHON"), "python3")
	if err := exec.Command(python, "-c", "import "+engine).Run(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no %s: %v", engine, err)
		}
		t.Skipf("needs %s: pip install %s", engine, engine)
	}
	program := engines[engine] + `
import time
sql, began = open(sys.argv[2] + "/" + sys.argv[3] + ".sql").read(), time.time()
rows = ask(sql)
print("seconds", time.time() - began, sep="\t")
for row in rows: print(*row, sep="\t")`
	folder, err := filepath.Abs(filepath.Join("..", "..", "..", "configs", "sql"))
	check.Must(t, err)
	cmd := exec.Command(python, "-c", program, catalogue, folder, name)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s, %s: %v\n%s", engine, name, err, stderr.String())
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	t.Log(engine, name, lines[0])
	for _, line := range lines[1:] {
		row := strings.Split(line, "\t")
		for i, cell := range row {
			name := len(cell) > 1 && cell[0] == '0' && cell[1] != '.' // of a host, which is no number
			if v, err := strconv.ParseFloat(cell, 64); err == nil && !name {
				row[i] = strconv.FormatFloat(v, 'g', 6, 64)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// Each query of configs/sql finds in the runs of 20 hosts what they are known to hold, and in every
// engine the same.
func TestQueries(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "catalogue")
	c := add(t, dir)
	for n := range *runs {
		check.Must(t, c.Add(farm()(n), Stamp{}))
		switch n {
		case *runs - 30:
			check.Must(t, c.Compact(after))
		case *runs - 1:
			check.Must(t, c.Add(farm()(0), Stamp{})) // It stands in two files now.
		}
	}
	each := float64(*runs / 20)
	for name, check := range map[string]func(t *testing.T, rows [][]string){
		"slowest": func(t *testing.T, rows [][]string) {
			if len(rows) != 18 {
				t.Errorf("%d rows, want 3 patterns with 3 works on 2 hubs", len(rows))
			}
			for _, row := range rows {
				if row[1] == "WWW" && row[6] == "" && row[2] != "SSD One" {
					t.Errorf("%q, want SSD One to be the slowest", row)
				}
			}
		},
		"firmware": func(t *testing.T, rows [][]string) {
			for _, row := range rows {
				low, high := number(t, row[8]), number(t, row[9])
				if row[0] != "SSD One" || low > -9.7 || high < -10.3 || high-low > 2 {
					t.Errorf("%q, want SSD One to have lost 10 %%", row)
				}
			}
			if len(rows) != 6 {
				t.Errorf("%d rows, want 3 patterns on 2 hubs", len(rows))
			}
		},
		"retention": func(t *testing.T, rows [][]string) {
			for _, row := range rows {
				if kept := number(t, row[5]); kept <= 0 || kept > 1.2 ||
					number(t, row[4]) != 10*each && row[1] != "SSD Three" {
					t.Errorf("%q", row)
				}
			}
			if len(rows) == 0 {
				t.Error("no disk kept anything")
			}
		},
		"throttle": func(t *testing.T, rows [][]string) {
			if len(rows) != 1 || rows[0][0] != "SSD Three" ||
				number(t, rows[0][3]) != float64(2**runs) || number(t, rows[0][5]) != 75 {
				t.Errorf("%q, want SSD Three to have fallen by 75 %% in both phases of every run",
					rows)
			}
		},
		"trend": func(t *testing.T, rows [][]string) {
			fell, other := 0, 0
			for _, row := range rows {
				at, change := number(t, row[7]), number(t, row[10])
				if row[2] == "A" && at >= each/2-2 && at <= each/2+2 && change < -7 &&
					change > -13 &&
					len(row[0]) == 4 && strings.HasPrefix(row[11], "2026-0") {
					fell++
				} else {
					other++
				}
			}
			// T above 4 in any of 17 splits: a few of 120 series by chance.
			if fell != 20*3 || other > 4 {
				t.Errorf("%d falls after half of A's runs, want those in 3 patterns on 20 hosts; %d other changes", fell, other)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			rows := query(t, "duckdb", dir, name)
			check(t, rows)
			for engine := range strings.FieldsSeq(*more) {
				t.Run(engine, func(t *testing.T) {
					if apart := diff.Diff(rows, query(t, engine, dir, name)); apart != "" {
						t.Errorf("(-DuckDB +%s):\n%s", engine, apart)
					}
				})
			}
		})
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	check.Must(t, err)
	return v
}
