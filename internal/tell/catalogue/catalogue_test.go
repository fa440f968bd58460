package catalogue

import (
	"cmp"
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

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/work"
	"github.com/hubbench/hubbench/testdata/fixture"
)

var runs = flag.Int("runs", 400, "how many runs the queries are tried on")

var more = flag.String("engines", "", "the other engines that are to answer the same: pyspark, chdb")

// child has this program add runs to the catalogue in that folder until it is killed.
const child = "HUBBENCH_CATALOGUE_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(child); dir != "" {
		run := farm()
		fmt.Println("writing")
		for n := 0; ; n++ {
			if _, err := Add(dir, run(n%50)); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
		}
	}
	flag.Parse()
	m.Run()
}

// farm makes runs of 20 hosts, whose names are numbers, on two kinds of hub, ten a day. Phase WWW is there twice. Disk A is of a
// model with a firmware that keeps a tenth less in the second half of them; of the others C is the fastest, and does one of two
// works.
var farm = sync.OnceValue(func() func(n int) *recorded.Run {
	trace := fixture.Triple()
	first := analysis.Analyze(trace, analysis.Options{})
	for name, d := range first.Phases[0].Contention.Disks {
		d.Alone, d.Reference = d.Retention != nil, analysis.ReferenceSolo
		first.Phases[0].Contention.Disks[name] = d
	}
	return func(n int) *recorded.Run {
		random := rand.New(rand.NewPCG(1, uint64(n)))
		run, a := *trace, *first
		started := time.Date(2026, 1, 1, 8, n%10, 0, 0, time.UTC).AddDate(0, 0, n/10).Format(time.RFC3339)
		firmware, factor := "1.0", 1.0
		if n >= *runs/2 {
			firmware, factor = "1.1", 0.9
		}
		disk := func(model, firmware string) hardware.Unit {
			return hardware.Unit{Disk: hardware.Disk{Model: model, Firmware: firmware}}
		}
		run.Hardware = &hardware.Setup{
			Hub:   &hardware.Hub{Vendor: "Maker", Name: fmt.Sprintf("Hub %d", n%2)},
			Disks: map[string]hardware.Unit{"A": disk("SSD One", firmware), "B": disk("SSD Two", "7"), "C": disk("SSD Three", "5")},
		}
		a.Phases = append([]analysis.Phase{}, first.Phases...)
		again := first.Phases[slices.IndexFunc(first.Phases, func(p analysis.Phase) bool { return p.Name == "WWW" })]
		again.Name, again.Repeats = "WWW-2", "WWW"
		a.Phases = append(a.Phases, again)
		for i := range a.Phases {
			p := &a.Phases[i]
			p.Work = map[string]work.Work{"C": {Mode: "direct", Block: 1 << (20 + n/2%2)}}
			if strings.HasPrefix(p.Name, "WWW") {
				p.Disks = maps.Clone(p.Disks)
				c := p.Disks["C"]
				c.Throttle = &analysis.Throttle{Step: ledger.Step{AtBytes: 24e9, FromRate: 2e9, ToRate: 0.5e9}, Cause: "cache_full"}
				c.Temperature = &analysis.Temperature{FirstC: 38, MaxC: 51 + 3*random.Float64()}
				p.Disks["C"] = c
			}
			o := *p.Overlap
			rates := map[string]analysis.OverlapDisk{}
			for name, d := range o.Disks {
				if d.Rate *= 1 + 0.02*random.NormFloat64(); name == "A" {
					d.Rate *= factor
				}
				rates[name] = d
			}
			p.Overlap, o.Disks = &o, rates
		}
		a.Origin = &analysis.Origin{
			Run: fmt.Sprintf("run-%05d", n), Started: started, Host: fmt.Sprintf("%04d", n%20), Status: "complete",
			Hub: run.Hardware.Hub.Product(),
		}
		return &recorded.Run{Loaded: &rundir.Loaded{Trace: &run}, Path: a.Run, Analysis: &a}
	}
})

// whole lists the catalogue's Parquet files, each of which must be readable, with when they were written.
func whole(t *testing.T, dir string) map[string]time.Time {
	t.Helper()
	files := map[string]time.Time{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(d.Name(), ".") // engines leave these out
		if err != nil || d.IsDir() || hidden {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		stat, err := f.Stat()
		if err != nil {
			return err
		}
		p, err := parquet.OpenFile(f, stat.Size())
		if err != nil || p.NumRows() == 0 {
			t.Errorf("%s: %v", path, err)
		}
		files[path] = stat.ModTime()
		return nil
	})
	check.Must(t, err)
	return files
}

// What is there already stays as it is; what has changed is written again.
func TestAddTwice(t *testing.T) {
	dir := t.TempDir()
	run := farm()(3)
	add := func() int {
		n, err := Add(dir, run)
		check.Must(t, err)
		return n
	}
	if n := add(); n != 5 { // no streams
		t.Errorf("%d files written, want one a grain", n)
	}
	before := whole(t, dir)
	if _, ok := before[filepath.Join(dir, "disk", "date=2026-01-01", "host=0003", "run-00003.parquet")]; !ok {
		t.Errorf("%v: want the disks by date and host", before)
	}
	if n := add(); n != 0 {
		t.Errorf("%d files written the second time", n)
	}
	run.Analysis.Status = "partial"
	if n := add(); n != 5 || len(whole(t, dir)) != len(before) {
		t.Errorf("%d files written when the run had changed", n)
	}
}

// Eight writers at once lose nothing.
func TestManyWriters(t *testing.T) {
	dir := t.TempDir()
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			for n := range 20 {
				if _, err := Add(dir, farm()(10*w+n)); err != nil { // half of them are another's too
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	if files := whole(t, dir); len(files) != 5*90 {
		t.Errorf("%d files, want 5 of each of 90 runs", len(files))
	}
}

// Whenever a writer is killed, every file that is there is whole.
func TestKills(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	check.Must(t, err)
	kills := 100
	if testing.Short() {
		kills = 10
	}
	for n := range kills {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), child+"="+dir)
		out, err := cmd.StdoutPipe()
		check.Must(t, err)
		check.Must(t, cmd.Start())
		_, err = out.Read(make([]byte, 1)) // it has begun, however long that took
		check.Must(t, err)
		<-time.After(time.Duration(n) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		if n%10 == 9 {
			whole(t, dir)
		}
	}
	files := whole(t, dir)
	if len(files) == 0 {
		t.Fatal("nothing was written: this shows nothing")
	}
	for n := range 50 {
		if _, err := Add(dir, farm()(n)); err != nil {
			t.Fatal(err)
		}
	}
	if files := whole(t, dir); len(files) != 250 {
		t.Errorf("%d files at the end, want 250", len(files))
	}
}

// engines are programs that print the rows of a query, given the catalogue, the folder of the views and the query.
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

// query runs one of configs/sql in an engine, and returns its rows, numbers to six digits. The test is skipped without
// the engine.
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

// Each query of configs/sql finds in the runs of 20 hosts what they are known to hold, and in every engine the same.
func TestQueries(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "catalogue")
	for n := range *runs {
		if _, err := Add(dir, farm()(n)); err != nil {
			t.Fatal(err)
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
				if kept := number(t, row[5]); kept <= 0 || kept > 1.2 || number(t, row[4]) != 10*each && row[1] != "SSD Three" {
					t.Errorf("%q", row)
				}
			}
			if len(rows) == 0 {
				t.Error("no disk kept anything")
			}
		},
		"throttle": func(t *testing.T, rows [][]string) {
			if len(rows) != 1 || rows[0][0] != "SSD Three" || number(t, rows[0][3]) != float64(2**runs) || number(t, rows[0][5]) != 75 {
				t.Errorf("%q, want SSD Three to have fallen by 75 %% in both phases of every run", rows)
			}
		},
		"trend": func(t *testing.T, rows [][]string) {
			fell, other := 0, 0
			for _, row := range rows {
				at, change := number(t, row[7]), number(t, row[10])
				if row[2] == "A" && at >= each/2-2 && at <= each/2+2 && change < -7 && change > -13 &&
					len(row[0]) == 4 && strings.HasPrefix(row[11], "2026-0") {
					fell++
				} else {
					other++
				}
			}
			if fell != 20*3 || other > 4 { // t above 4 in any of 17 splits: a few of 120 series by chance
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
