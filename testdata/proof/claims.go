package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// Claim is something that the README or the manual says of hubbench and that can be measured.
type Claim struct {
	Name     string    `json:"name"`             // as in evidence.Finding
	Title    string    `json:"title"`            // in a few words
	Sentence string    `json:"sentence"`         // word by word
	Method   string    `json:"method"`           // how it is measured
	Source   string    `json:"source,omitempty"` // the paper or the rule, if there is one
	By       []Measure `json:"-"`
}

// Measure is a command that measures claims.
type Measure struct {
	Run   string // go test or go run, with what comes after
	From  Set    // the smallest set that has it; empty for the short one
	Short string // arguments in the short set, in addition
	Usual string // and in the others
	Full  string
	Most  time.Duration // how long it may take at most, without building it; in the full set twenty times as long
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
	return parseClaims(path, text)
}

func parseClaims(file string, data []byte) ([]Claim, error) {
	doc, err := strictyaml.Parse(file, data)
	if err != nil {
		return nil, err
	}
	var claims []Claim
	m := doc.Root().Mapping()
	m.Require("claims")
	for _, item := range m.Items("claims") {
		c := readClaim(item.Mapping())
		if slices.ContainsFunc(claims, func(other Claim) bool { return other.Name == c.Name }) {
			item.Errorf("claim %s is listed twice", c.Name)
		}
		claims = append(claims, c)
	}
	m.Done()
	return claims, doc.Err()
}

func readClaim(m *strictyaml.Mapping) (c Claim) {
	m.Require("name", "title", "sentence", "method", "by")
	for key, to := range map[string]*string{"name": &c.Name, "title": &c.Title, "sentence": &c.Sentence, "method": &c.Method, "source": &c.Source} {
		m.Read(key, strictyaml.String(to))
	}
	for _, item := range m.Items("by") {
		c.By = append(c.By, readMeasure(item.Mapping()))
	}
	m.Done()
	return c
}

func readMeasure(m *strictyaml.Mapping) (by Measure) {
	m.Require("run", "most")
	for key, to := range map[string]*string{"run": &by.Run, "short": &by.Short, "usual": &by.Usual, "full": &by.Full} {
		m.Read(key, strictyaml.String(to))
	}
	m.Read("from", strictyaml.OneOf(&by.From, string(Short), string(Usual), string(Full)))
	m.Read("most", strictyaml.Duration(&by.Most, time.Second, time.Hour))
	if !regexp.MustCompile(`^go (test|run) \./\S+`).MatchString(by.Run) {
		m.Errorf("run is %s; try go test or go run, and one folder of this module", strictyaml.Quote(by.Run))
	}
	m.Done()
	return by
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

// oneLine is text with its lines put together, as a reader sees it.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func systemParts() []string {
	return []string{runtime.GOOS + "/" + runtime.GOARCH, fmt.Sprintf("%d processor cores", runtime.NumCPU())}
}
