package manual

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/unit"
)

// node is a part of a JSON Schema.
type node struct {
	Description          string           `json:"description"`
	Properties           map[string]*node `json:"properties"`
	Required             []string         `json:"required"`
	Items                *node            `json:"items"`
	AnyOf                []*node          `json:"anyOf"`
	AdditionalProperties json.RawMessage  `json:"additionalProperties"`
	Enum                 []string         `json:"enum"`
	Default              any              `json:"default"`
	Type                 string           `json:"type"`
	Minimum              *float64         `json:"minimum"`
	Maximum              *float64         `json:"maximum"`
}

// A section lists the keys of the mapping at a path.
type section struct {
	path string
	of   *node
}

// scenarioKeys lists every key of the scenario's schema, each once: a phase may override any key of
// the workload, and a study takes a phase's keys.
func scenarioKeys() (string, error) {
	root, err := parse(scenario.Schema())
	if err != nil {
		return "", err
	}
	all := []section{{"", root}}
	for _, path := range []string{"disks", "hub", "workload", "phases", "study", "expect"} {
		sections := root.Properties[path].sections(path)
		if path == "expect" {
			sections = sections[:2] // all measures have the same keys
		}
		all = append(all, sections...)
	}
	return list(all, map[string]string{
		"": "Keys of a scenario", "phases[]": "Keys of phases[], and any key of workload",
		"study":         "Keys of study, and any key of phases[] but who does what",
		"expect[].kept": "Keys of each measure of expect[]",
	}), nil
}

// profileKeys lists every key of a hub profile's schema.
func profileKeys() (string, error) {
	root, err := parse(hub.Schema())
	if err != nil {
		return "", err
	}
	all := slices.DeleteFunc(root.sections(""),
		func(s section) bool { return strings.HasPrefix(s.path, ".disks[].write") })
	return list(all, map[string]string{
		"": "Keys of a profile", "disks[].read": "Keys of disks[].read and disks[].write",
	}), nil
}

func parse(schema strictyaml.Schema) (*node, error) {
	text, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	var root node
	return &root, json.Unmarshal(text, &root)
}

// list lists the keys of sections, each once.
func list(all []section, titles map[string]string) string {
	var list strings.Builder
	listed := map[string]bool{}
	for _, s := range all {
		// A list of several and one alone have the same keys.
		place := strings.Replace(strings.TrimPrefix(s.path, "."), ".DISK[]", ".DISK", 1)
		// Keys that a phase takes over from the workload, or a study from a phase, have one name.
		inherits := place
		if first, rest, _ := strings.Cut(place, "."); first == "workload" || first == "phases[]" ||
			first == "study" {
			inherits = rest
		}
		var entries []string
		for _, key := range slices.Sorted(maps.Keys(s.of.Properties)) {
			name := inherits + "." + key
			if place+"."+key == "phases[].order" { // the order of disks, not of sizes
				name = place + "." + key
			}
			if !listed[name] {
				listed[name] = true
				entries = append(entries, define(key,
					s.of.Properties[key].about(slices.Contains(s.of.Required, key))))
			}
		}
		if entries != nil {
			fmt.Fprintf(&list, "## %s\n\n%s", cmp.Or(titles[place], "Keys of "+place),
				strings.Join(entries, ""))
		}
	}
	return list.String()
}

// sections are the mappings at a path and below it.
func (n *node) sections(path string) []section {
	var all []section
	if n.Properties != nil {
		all = append(all, section{path, n})
	}
	for _, key := range slices.Sorted(maps.Keys(n.Properties)) {
		all = append(all, n.Properties[key].sections(path+"."+key)...)
	}
	if n.Items != nil {
		all = append(all, n.Items.sections(path+"[]")...)
	}
	for _, part := range n.AnyOf {
		all = append(all, part.sections(path)...)
	}
	var each node
	if json.Unmarshal(n.AdditionalProperties, &each) == nil { // it may be false instead
		all = append(all, each.sections(path+".DISK")...)
	}
	return all
}

// about says what a key means, and which values it takes as far as that is not said already.
func (n *node) about(need bool) string {
	text, _, _ := strings.Cut(n.Description, ". ") // presets have a list of their own
	var more []string
	if need {
		more = append(more, "required")
	}
	words := slices.DeleteFunc(slices.Clone(n.Enum),
		func(word string) bool { return strings.Contains(text, word) })
	if len(words) > 0 {
		more = append(more, strings.Join(n.Enum, ", "))
	}
	if n.Type == "integer" && n.Minimum != nil && *n.Maximum <= 1e6 {
		more = append(more, fmt.Sprintf("%s to %s", unit.FormatCount(int(*n.Minimum)),
			unit.FormatCount(int(*n.Maximum))))
	}
	if n.Default != nil && !need {
		more = append(more, fmt.Sprintf("default %v", n.Default))
	}
	if len(more) > 0 {
		text += " (" + strings.Join(more, "; ") + ")"
	}
	return text + "."
}
