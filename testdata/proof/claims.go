package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

// Claim is something that the README says of hubbench and that can be measured.
type Claim struct {
	Name     string    `json:"name"             yaml:"name"`     // as in evidence.Finding
	Title    string    `json:"title"            yaml:"title"`    // in a few words
	Sentence string    `json:"sentence"         yaml:"sentence"` // of the README, word by word
	Method   string    `json:"method"           yaml:"method"`   // how it is measured
	Source   string    `json:"source,omitempty" yaml:"source"`   // the paper or the rule, where there is one
	By       []Measure `json:"-"                yaml:"by"`
}

// Measure is a command that measures claims.
type Measure struct {
	Run   string        `yaml:"run"`   // go test or go run, with what comes after
	From  Set           `yaml:"from"`  // the smallest set that has it; empty for the short one
	Short string        `yaml:"short"` // arguments in the short set, in addition
	Usual string        `yaml:"usual"` // and in the others
	Full  string        `yaml:"full"`
	Most  time.Duration `yaml:"most"` // how long it may take at the most, without building it; in the full set twenty times as long
}

// Set is how much is measured.
type Set string

// The sets, each with all of the one before.
const (
	Short Set = "short"
	Usual Set = "usual"
	Full  Set = "full"
)

func sets() []Set { return []Set{Short, Usual, Full} }

// readClaims reads and checks the list.
func readClaims(path string) ([]Claim, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	claims, err := parseClaims(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return claims, nil
}

func parseClaims(r io.Reader) ([]Claim, error) {
	var list struct {
		Claims []Claim `yaml:"claims"`
	}
	if err := yaml.NewDecoder(r, yaml.DisallowUnknownField()).Decode(&list); err != nil {
		return nil, err
	}
	var errs []error
	seen := map[string]bool{}
	for _, c := range list.Claims {
		if c.Name == "" || c.Title == "" || c.Sentence == "" || c.Method == "" || len(c.By) == 0 {
			errs = append(errs, fmt.Errorf("claim %q: name, title, sentence, method and by are needed", c.Name))
		}
		if seen[c.Name] {
			errs = append(errs, fmt.Errorf("claim %q is listed twice", c.Name))
		}
		seen[c.Name] = true
		for _, m := range c.By {
			errs = append(errs, m.check(c.Name))
		}
	}
	if len(list.Claims) == 0 {
		errs = append(errs, errors.New("no claims"))
	}
	return list.Claims, errors.Join(errs...)
}

func (m *Measure) check(claim string) error {
	switch {
	case !regexp.MustCompile(`^go (test|run) \./\S+`).MatchString(m.Run):
		return fmt.Errorf("claim %q: run %q: want go test or go run, and one folder of this module", claim, m.Run)
	case m.From != "" && !slices.Contains(sets(), m.From):
		return fmt.Errorf("claim %q: from %q: want %v", claim, m.From, sets())
	case m.Most <= 0:
		return fmt.Errorf("claim %q: %s: no time given in most", claim, m.Run)
	}
	return nil
}

// in reports whether a set has it.
func (m *Measure) in(set Set) bool {
	return slices.Index(sets(), set) >= max(0, slices.Index(sets(), m.From))
}

// of is the command in a set.
func (m *Measure) of(set Set) Command {
	c := Command{Run: strings.TrimSpace(m.Run + " " + map[Set]string{Short: m.Short, Usual: m.Usual, Full: m.Full}[set]), most: m.Most}
	if set == Full {
		c.most *= 20
	}
	return c
}

// commandsOf are the commands of the claims in a set, each once, with the claims that it is for.
func commandsOf(claims []Claim, set Set) []Command {
	var list []Command
	for _, claim := range claims {
		for i := range claim.By {
			if !claim.By[i].in(set) {
				continue
			}
			c := claim.By[i].of(set)
			at := slices.IndexFunc(list, func(other Command) bool { return other.Run == c.Run })
			if at < 0 {
				at = len(list)
				list = append(list, c)
			}
			list[at].Claims = append(list[at].Claims, claim.Name)
		}
	}
	return list
}

// oneLine is text with its lines put together, as a reader of the README sees it.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func systemParts() []string {
	return []string{runtime.GOOS + "/" + runtime.GOARCH, fmt.Sprintf("%d processor cores", runtime.NumCPU())}
}
