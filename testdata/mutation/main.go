// Command mutation asks whether a package's tests would notice if its code were wrong: it makes one small error after
// another, a mutant each, and runs the package's own tests. It is for those who change hubbench; make mutants starts it:
//
//	go run ./testdata/mutation [-seed N] [-n 150] [-within 2s] [-again FILE] [-exec CMD] ./pkg/stats
//
// An error is an operator, a condition or a number changed, or a statement left out (mutant.go). It is compiled in place of
// the file, by an overlay: nothing in the tree is touched. A mutant meets only the tests that run its line, the quickest
// first (suite.go), and is killed by the first that fails or takes ten times as long as usual and 10 s more.
//
// If tests take long, -within leaves out those above a time, and -again takes the survivors that an earlier run
// printed into a file, to try all tests on them. -exec is put before each test, as in go test: to take turns on a busy machine,
// for one.
//
// A survivor is a missing test, unneeded code, or an error that is none: those are listed with the reason in
// equivalent.txt, and are counted apart. An error that the compiler makes into the same program is seen to be none.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(1)
	}
}

type options struct {
	seed    uint64
	n       int
	within  time.Duration
	again   string
	exec    []string
	workers int
}

func run() error {
	var o options
	flag.Uint64Var(&o.seed, "seed", 0, "random seed for drawing mutants; a new one each time by default")
	flag.IntVar(&o.n, "n", 0, "number of mutants to draw; 0 takes all")
	flag.DurationVar(&o.within, "within", 0, "leave out tests that take longer; 0 takes all")
	flag.StringVar(&o.again, "again", "", "try the mutants that survived according to this file, the output of an earlier run")
	prefix := flag.String("exec", "", "run tests by this command, as in go test")
	flag.IntVar(&o.workers, "workers", 1, "number of mutants to try at a time")
	flag.Parse()
	o.exec = strings.Fields(*prefix)
	if o.seed == 0 {
		o.seed = rand.Uint64N(1e9) + 1
	}
	if _, err := os.Stat("go.mod"); err != nil || flag.NArg() == 0 {
		return errors.New("name packages, such as ./pkg/stats, in the module's folder")
	}
	dir, err := os.MkdirTemp("", "hubbench-mutation-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, pkg := range flag.Args() {
		if err := o.try(strings.Trim(strings.TrimPrefix(pkg, "./"), "/"), dir); err != nil {
			return fmt.Errorf("%s: %w", pkg, err)
		}
	}
	return nil
}

// try makes the package's mutants and prints what became of them.
func (o options) try(pkg, dir string) error {
	mutants, err := mutantsOf(pkg)
	if err != nil {
		return err
	}
	all := len(mutants)
	known, err := readEquivalents("testdata/mutation/equivalent.txt")
	if err != nil {
		return err
	}
	want := o.n
	if o.again != "" {
		if mutants, err = survivorsOf(o.again, mutants); err != nil {
			return err
		}
	}
	rnd := rand.New(rand.NewPCG(o.seed, 0))
	rnd.Shuffle(len(mutants), func(i, k int) { mutants[i], mutants[k] = mutants[k], mutants[i] })
	if want == 0 || want > len(mutants) {
		want = len(mutants)
	}
	s, err := newSuite(pkg, dir, o)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d tests, of %s; %d possible mutants, seed %d\n", pkg, len(s.tests), s.total().Round(10*time.Millisecond), all, o.seed)
	c := count{want: want}
	var group sync.WaitGroup
	for worker := range o.workers {
		group.Go(func() {
			for {
				m, ok := c.next(&mutants)
				if !ok {
					return
				}
				c.add(s.outcome(m, known, worker))
			}
		})
	}
	group.Wait()
	if c.err != nil {
		return c.err
	}
	fmt.Printf("%s: %s\n", pkg, &c)
	return nil
}

// survivorsOf are those of the mutants that a run's output names as survivors.
func survivorsOf(file string, mutants []mutant) ([]mutant, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	lived := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), string(survived)+" "); ok {
			lived[strings.TrimSpace(name)] = true
		}
	}
	var again []mutant
	for _, m := range mutants {
		if lived[m.String()] {
			again = append(again, m)
		}
	}
	return again, nil
}

// count is what became of the mutants.
type count struct {
	mu    sync.Mutex
	want  int
	of    map[outcome]int
	taken int // under way or counted
	err   error
}

// next hands out mutants until as many as wanted have compiled.
func (c *count) next(mutants *[]mutant) (mutant, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil || len(*mutants) == 0 || c.taken == c.want {
		return mutant{}, false
	}
	c.taken++
	m := (*mutants)[0]
	*mutants = (*mutants)[1:]
	return m, true
}

func (c *count) add(m mutant, got outcome, by string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.err = errors.Join(c.err, fmt.Errorf("%s: %w", m, err))
		return
	}
	if c.of == nil {
		c.of = map[outcome]int{}
	}
	c.of[got]++
	if got == invalid {
		c.taken--
		return
	}
	fmt.Println(strings.TrimSpace(fmt.Sprintf("%-10s %s%s", got, m, by)))
}

func (c *count) String() string {
	dead, lived, same := c.of[killed]+c.of[timedOut], c.of[survived], c.of[equivalent]
	share := func(of int) float64 { return 100 * float64(dead) / float64(max(1, of)) }
	return fmt.Sprintf("%d mutants: %d killed, %d of them by time; %d survived, %d equivalent: %.1f %% of all, %.1f %% without the equivalent (%d more do not compile)",
		dead+lived+same, dead, c.of[timedOut], lived, same, share(dead+lived+same), share(dead+lived), c.of[invalid])
}
