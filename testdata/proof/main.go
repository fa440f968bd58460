// Command proof measures every claim that the README and the manual make of hubbench's numbers, and writes what came out: bin/proof.json,
// and bin/proof.html to look at. It is for those who doubt the numbers, on their own machine; make proof starts it:
//
//	go run ./testdata/proof [-short|-full] [-only NAME,...]
//
// claims.yaml lists the claims, and for each the tests and programs that measure it. They run one after the other, so that
// none disturbs another, and report by package evidence. A check that crashes, takes too long or reports nothing is a
// claim that fails; what can't be measured here is left out, with the reason. It exits with 1 if a claim fails, and
// with 130 if it was interrupted: what was measured until then is written anyway.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/measure/filesync"
	"github.com/hubbench/hubbench/internal/tell/report/html"
)

const here = "testdata/proof"

const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	p, err := run(os.Stdout)
	switch {
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, "proof:", err)
		os.Exit(exitUsage)
	case err != nil:
		fmt.Fprintln(os.Stderr, "proof:", err)
		os.Exit(exitFailed)
	case p.Interrupted:
		os.Exit(exitInterrupted)
	case p.count(Fails) > 0:
		os.Exit(exitFailed)
	}
}

var errUsage = errors.New("wrong usage")

func run(out io.Writer) (*Proof, error) {
	short := flag.Bool("short", false, "what takes less than three minutes")
	full := flag.Bool("full", false, "the numbers of trials that the manual's figures are from: hours")
	only := flag.String("only", "", "these claims alone, by `NAME`, separated by commas")
	into := flag.String("out", "bin", "the folder for proof.json, proof.html and proof.log")
	flag.Parse()
	if *short && *full || flag.NArg() > 0 {
		return nil, fmt.Errorf("%w: give -short or -full or neither, and -only for claims by name", errUsage)
	}
	if _, err := os.Stat("go.mod"); err != nil {
		return nil, errors.New("this is not the module's folder: run make proof there")
	}
	set := Usual
	switch {
	case *short:
		set = Short
	case *full:
		set = Full
	}
	claims, err := readClaims(filepath.Join(here, "claims.yaml"))
	if err != nil {
		return nil, err
	}
	if *only != "" {
		if claims, err = choose(claims, strings.Split(*only, ",")); err != nil {
			return nil, err
		}
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
	p := &Proof{Tool: version(ctx), Set: set, Machine: machine(ctx)}
	began := time.Now()
	p.Date = began.Format(time.RFC3339)
	p.Commands = measure(ctx, commandsOf(claims, set), &runner{out: out, log: log, program: "go", building: 10 * time.Minute})
	p.Interrupted = ctx.Err() != nil
	p.Seconds = time.Since(began).Seconds()
	p.Claims = judge(claims, set, p.Commands, *only == "")
	fmt.Fprintf(out, "\n%s\n", p.verdict())
	for _, c := range p.Claims {
		if c.Verdict != Holds {
			fmt.Fprintf(out, "  %s: %s: %s\n", c.Name, c.Verdict, c.Reason)
		}
	}
	page := filepath.Join(*into, "proof.html")
	err = errors.Join(
		filesync.Write(filepath.Join(*into, "proof.json"), p.write),
		filesync.Write(page, func(w io.Writer) error { return html.Write(w, p.document(), nil) }),
	)
	if err == nil {
		fmt.Fprintf(out, "\nall of it: %s\n", page)
	}
	return p, err
}

// choose finds the claims by name.
func choose(claims []Claim, names []string) ([]Claim, error) {
	for _, name := range names {
		if !slices.ContainsFunc(claims, func(c Claim) bool { return c.Name == name }) {
			var all []string
			for _, c := range claims {
				all = append(all, c.Name)
			}
			return nil, fmt.Errorf("%w: no claim %q; there are %s", errUsage, name, strings.Join(all, ", "))
		}
	}
	return slices.DeleteFunc(claims, func(c Claim) bool { return !slices.Contains(names, c.Name) }), nil
}

// version is that of the code at hand.
func version(ctx context.Context) string {
	text, err := exec.CommandContext(ctx, "git", "describe", "--tags", "--always", "--dirty").Output()
	if err != nil {
		return "of unknown version"
	}
	return strings.TrimSpace(string(text))
}

// machine is what all was measured on, without its name.
func machine(ctx context.Context) string {
	parts := systemParts()
	if inv, err := device.Look(ctx, device.LookOptions{}); err == nil && len(inv.Hosts) > 0 {
		h := inv.Hosts[0]
		parts = append([]string{h.Model, h.CPU, h.OS}, parts...)
	}
	parts = append(parts, as(os.Geteuid()))
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// as says with which privileges.
func as(uid int) string {
	switch uid {
	case 0:
		return "as root"
	case -1: // Windows has none
		return ""
	}
	return "without root's rights"
}
