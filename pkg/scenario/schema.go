package scenario

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// SchemaURL is where the schema of the newest version is published.
const SchemaURL = "https://raw.githubusercontent.com/hubbench/hubbench/main/configs/scenario.schema.json"

// Schema is the JSON Schema of scenario files, made of the keys that Load reads.
func Schema() strictyaml.Schema {
	schema := (&Scenario{}).value().Schema()
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "hubbench scenario"
	schema["$defs"] = strictyaml.Schema{"codec": strictyaml.Schema{"enum": stream.CodecNames()}}
	return schema
}

// simulatedRules are the schema's rules for simulated disks: they need a profile, and have neither single blocks nor a size.
func simulatedRules() strictyaml.Schema {
	type schema = strictyaml.Schema
	preset := not("enum", presetsWith(preset.hasTests))
	noTests := only("preset", preset)
	ofPhase := schema{"properties": schema{"preset": preset, "precondition": false}}
	return schema{
		"if": schema{"required": []string{"disks"}, "properties": schema{"disks": schema{"contains": schema{"required": []string{"simulate"}}}}},
		"then": schema{"required": []string{"hub"}, "properties": schema{
			"hub": schema{"required": []string{"profile"}}, "workload": noTests, "study": ofPhase, "phases": schema{"items": ofPhase},
		}},
		"else": schema{"properties": schema{"hub": schema{"properties": schema{"profile": false, "speedup": false}}}},
	}
}

// inheritedRules are the schema's rules for phases that inherit their preset or I/O mode from the workload.
func inheritedRules(w *Workload) []strictyaml.Schema {
	var all []strictyaml.Schema
	s, p := &Scenario{}, &PhaseSpec{}
	for _, r := range slices.Concat(w.object(w.order()).Rules, s.pacing(p).Rules) {
		all = append(all, r.Inherited("workload", func(phase strictyaml.Schema) strictyaml.Schema {
			return strictyaml.Schema{"properties": strictyaml.Schema{"phases": strictyaml.Schema{"items": phase}, "study": phase}}
		}))
	}
	return all
}

// without is the schema of mappings that have none of the keys.
func without(keys ...string) strictyaml.Schema {
	refuse := strictyaml.Schema{}
	for _, key := range keys {
		refuse[key] = false
	}
	return strictyaml.Schema{"properties": refuse}
}

// only is the schema of mappings in which a key has certain values, if it is there.
func only(key string, value strictyaml.Schema) strictyaml.Schema {
	return strictyaml.Schema{"properties": strictyaml.Schema{key: value}}
}

// not is the schema of what a keyword does not hold for.
func not(keyword string, value any) strictyaml.Schema {
	return strictyaml.Schema{"not": strictyaml.Schema{keyword: value}}
}
