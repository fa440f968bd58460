package strictyaml

import (
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
)

// described is a file with a field of every kind that tags describe.
type described struct {
	At *Mapping

	Name   string         `yaml:"name,required" is:"name" doc:"what it is called"`
	Mode   string         `yaml:"mode" is:"fast | slow" default:"slow"`
	Shown  string         `yaml:"shown" shows:"nothing"`
	Depth  int            `yaml:"depth" is:"1 to 1024" default:"4" not:"tests"`
	Block  int64          `yaml:"block" is:"512 B to 1 MiB by 512 B"`
	Share  float64        `yaml:"share" is:"1% to 95%"`
	Speed  float64        `yaml:"speed" is:"1 B/s to 1 TB/s"`
	Factor float64        `yaml:"factor" is:"0.5 to 2"`
	Rest   *describedRest `yaml:"rest"`
	Lanes  []describedOne `yaml:"lanes" max:"2" word:"id" empty:"lanes is empty; add one"`
	Roles  Named[string]  `yaml:"roles" is:"read | write"`
	More   describedMore  `yaml:",inline"`
	Base   describedMore  `yaml:",inherit"` // its keys are those of More, which hide them
}

type describedRest struct {
	Most time.Duration `yaml:"most" is:"1 s to 1 h" default:"10 min"`
}

// Short is a time.
func (r *describedRest) Short() Value { return Field(r, "Most") }

type describedOne struct {
	_    Among  `keys:"id name" both:"two names; delete one"`
	ID   string `yaml:"id"`
	Name string `yaml:"name"`
}

type describedMore struct {
	Keep bool `yaml:"keep" default:"true"`
}

func readDescribed(text string) (described, error) {
	var d described
	doc, err := Parse("t.yaml", []byte(text))
	if err == nil {
		Of(&d).Read(doc.Root())
		err = doc.Err()
	}
	return d, err
}

func TestOf(t *testing.T) {
	d, err := readDescribed("name: a\nblock: 1 KiB\nshare: 50%\nspeed: 2 MB/s\nrest: 5 s\n" +
		"lanes: [{id: x}, {name: y}]\nroles: {A: read}\nfactor: 1.5\n")
	check.Must(t, err)
	check.Same(t, "defaults", []any{"slow", "", 4, true, false},
		[]any{d.Mode, d.Shown, d.Depth, d.More.Keep, d.Base.Keep})
	check.Same(t, "amounts", []any{int64(1024), 0.5, 2e6, 1.5, 5 * time.Second},
		[]any{d.Block, d.Share, d.Speed, d.Factor, d.Rest.Most})
	check.Same(t, "lists", []any{[]describedOne{{ID: "x"}, {Name: "y"}}, "A", "read"},
		[]any{d.Lanes, d.Roles.Entries[0].Key, d.Roles.Entries[0].To})
	check.Same(t, "place", Pos{"t.yaml", 2, 8}, d.At.PosOf("block"))

	d, err = readDescribed("name: a\nrest: {}\ndepth: 2\n")
	check.Must(t, err)
	check.Same(t, "the default of a mapping that is there", 10*time.Minute, d.Rest.Most)
	check.Same(t, "rules", []string{"tests"}, d.At.Pairs()[2].Not)
}

func TestOfMistakes(t *testing.T) {
	const text = "name: ' a'\nmode: fas\ndepth: 0\nblock: 700\nshare: 99%\nlanes: []\nroles: {A: reed}\nkep: true\n" +
		"rest: {most: 1}\n"
	_, err := readDescribed(text)
	check.Same(t, "mistakes", []string{
		`1:7: name " a" begins or ends with a space; delete it`,
		`2:7: mode is "fas"; try fast`,
		`3:8: depth is 0; try 1 to 1024`,
		`4:8: block is 700; try a multiple of 512 B, such as 1 MiB`,
		`5:8: share is "99%"; try 1% to 95%`,
		`6:8: lanes is empty; add one`,
		`7:12: roles.A is "reed"; try read`,
		`8:1: unknown key "kep"; try keep`,
		`9:14: rest.most: time "1": the unit is missing; try a number with ms, s, min or h, such as 30 s`,
	}, lines(err))

	_, err = readDescribed("lanes: [x, {id: a, name: b}, {}]\n")
	check.Same(t, "mistakes of lists", []string{
		`1:1: the key name is missing; add it`,
		`1:30: more than 2 lanes; remove some`,
	}, lines(err))
	_, err = readDescribed("name: a\nlanes: [x, {id: a, name: b}]\n")
	check.Same(t, "mistakes of items", []string{
		`2:9: item 1 of lanes is "x", not a mapping; try item 1 of lanes: {id: "x"}`,
		`2:26: two names; delete one`,
	}, lines(err))
}

func TestOfSchema(t *testing.T) {
	schema := Of(&described{}).Schema
	keys := schema["properties"].(Schema)
	of := func(key, word string) any { return keys[key].(Schema)[word] }
	check.Same(t, "schema", []any{[]string{"name"}, "what it is called", "slow", "nothing", 4.0,
		true},
		[]any{schema["required"], of("name", "description"), of("mode", "default"),
			of("shown", "default"),
			of("depth", "default"), of("keep", "default")})
}

func TestInherit(t *testing.T) {
	from := described{Mode: "fast", Depth: 7, More: describedMore{Keep: false}}
	d, err := readDescribed("name: a\ndepth: 9\nkeep: true\n")
	check.Must(t, err)
	Inherit(&d, from, d.At)
	check.Same(t, "inherited", "a fast 9 true", strings.Join([]string{
		d.Name, d.Mode, map[bool]string{true: "9"}[d.Depth == 9],
		map[bool]string{true: "true"}[d.More.Keep],
	}, " "))
}
