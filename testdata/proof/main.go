// Command proof measures every claim that the README and the manual make of hubbench's numbers, and writes what
// came out: bin/proof.json, and bin/proof.html to look at. It is for those who doubt the numbers, on their own
// machine; make proof starts it:
//
//	go run ./testdata/proof [-short|-full] [-only NAME,...]
//
// claims.yaml lists the claims, and for each the tests that measure it. They run one after the
// other, so that none disturbs another, and report by package evidence (run.go). A check that crashes, takes
// too long or reports nothing is a claim that fails; what can't be measured here is left out, with the reason
// (judge.go). It exits with 1 if a claim fails, and with 130 if it was interrupted: what was measured until
// then is written anyway.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/tell/report/html"
)

const here = "testdata/proof"

// errUsage is the error for flags that are wrong.
var errUsage = errors.New("wrong usage")

func main() {
	p, err := run(os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "proof:", err)
	}
	switch {
	case errors.Is(err, errUsage):
		os.Exit(2)
	case err == nil && p.Interrupted:
		os.Exit(130)
	case err != nil || len(p.named(Fails)) > 0:
		os.Exit(1)
	}
}

func run(out io.Writer) (*Proof, error) {
	short := flag.Bool("short", false, "what takes less than three minutes")
	full := flag.Bool("full", false, "the numbers of trials that the manual's figures are from: hours")
	only := flag.String("only", "", "these claims alone, by `NAME`, separated by commas")
	into := flag.String("out", "bin", "the folder for proof.json, proof.html and proof.log")
	flag.Parse()
	set := Usual
	switch {
	case *short && *full || flag.NArg() > 0:
		return nil, fmt.Errorf("%w: give -short or -full or neither, and -only for claims by name", errUsage)
	case *short:
		set = Short
	case *full:
		set = Full
	}
	claims, err := readClaims(filepath.Join(here, "claims.yaml"))
	if err != nil {
		return nil, fmt.Errorf("%w: run make proof in the module's folder", err)
	}
	if *only != "" {
		all, chosen := claims, []Claim{}
		for name := range strings.SplitSeq(*only, ",") {
			i := slices.IndexFunc(all, func(c Claim) bool { return c.Name == name })
			if i < 0 {
				return nil, fmt.Errorf("%w: no claim %q; claims.yaml lists them", errUsage, name)
			}
			chosen = append(chosen, all[i])
		}
		claims = chosen
	}
	if err := os.MkdirAll(*into, 0o755); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(*into, "proof.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	began := time.Now()
	p := &Proof{
		Tool: "of unknown version", Date: began.Format(time.RFC3339), Set: set, Machine: machine(ctx),
		Commands: commandsOf(claims, set),
	}
	if text, err := exec.CommandContext(ctx, "git", "describe", "--tags", "--always", "--dirty").Output(); err == nil {
		p.Tool = strings.TrimSpace(string(text))
	}
	(&runner{out: out, log: log, program: "go", building: 10 * time.Minute}).measure(ctx, p.Commands)
	p.Interrupted, p.Seconds = ctx.Err() != nil, time.Since(began).Seconds()
	p.Claims = judge(claims, set, p.Commands, *only == "")
	fmt.Fprintf(out, "\n%s\n", p.verdict())
	for _, c := range p.Claims {
		if c.Verdict != Holds {
			fmt.Fprintf(out, "  %s: %s: %s\n", c.Name, c.Verdict, c.Reason)
		}
	}
	page := filepath.Join(*into, "proof.html")
	err = errors.Join(
		filesystem.Write(filepath.Join(*into, "proof.json"), func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", "  ")
			return e.Encode(p)
		}),
		filesystem.Write(page, func(w io.Writer) error { return html.Write(w, p.document(), nil) }),
	)
	if err == nil {
		fmt.Fprintf(out, "\nall of it: %s\n", page)
	}
	return p, err
}

// machine is what all was measured on, without its name.
func machine(ctx context.Context) string {
	var parts []string
	if inv, err := device.Look(ctx, false); err == nil && len(inv.Hosts) > 0 {
		parts = []string{inv.Hosts[0].Model, inv.Hosts[0].CPU, inv.Hosts[0].OS}
	}
	parts = append(parts, runtime.GOOS+"/"+runtime.GOARCH, fmt.Sprintf("%d processor cores", runtime.NumCPU()))
	if root := os.Geteuid(); root >= 0 { // Windows has none
		parts = append(parts, map[bool]string{true: "as root", false: "without root's rights"}[root == 0])
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// Claim is something that the README or the manual says of hubbench and that can be measured.
type Claim struct {
	Name     string    `json:"name"`             // as in evidence.Finding
	Title    string    `json:"title"`            // in a few words
	Sentence string    `json:"sentence"`         // word by word
	Method   string    `json:"method"`           // how it is measured
	Source   string    `json:"source,omitempty"` // the paper or the rule, if there is one
	By       []Measure `json:"-" yaml:"by"`
}

// Measure is a command that measures claims.
type Measure struct {
	Run                string // go test or go run, with what comes after
	From               Set    // the smallest set that has it; empty for the short one
	Short, Usual, Full string // arguments in a set, in addition
	Most               time.Duration
}

// Set is how much is measured.
type Set string

// The sets, each with all of the one before.
const (
	Short Set = "short"
	Usual Set = "usual"
	Full  Set = "full"
)

var sets = []Set{Short, Usual, Full}

func readClaims(path string) ([]Claim, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list struct{ Claims []Claim }
	return list.Claims, yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(&list)
}

// commandsOf are the commands of the claims in a set, each once, with the claims that it is for.
func commandsOf(claims []Claim, set Set) []Command {
	var list []Command
	for _, claim := range claims {
		for _, by := range claim.By {
			if slices.Index(sets, set) < slices.Index(sets, cmp.Or(by.From, Short)) {
				continue
			}
			line := strings.TrimSpace(by.Run + " " + map[Set]string{Short: by.Short, Usual: by.Usual, Full: by.Full}[set])
			at := slices.IndexFunc(list, func(c Command) bool { return c.Run == line })
			if at < 0 {
				at = len(list)
				list = append(list, Command{Run: line, most: by.Most})
				if set == Full {
					list[at].most *= 20
				}
			}
			list[at].Claims = append(list[at].Claims, claim.Name)
		}
	}
	return list
}
