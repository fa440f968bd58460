// Package schematest holds files to a schema by a third party's validator, as editors do. It is for tests.
package schematest

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// Validator says what is wrong with a YAML file. If it cannot be read the error is a *strictyaml.Error.
type Validator func(data []byte) error

// New makes the validator of a schema, which must be one.
func New(t testing.TB, schema strictyaml.Schema) Validator {
	t.Helper()
	data, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("schema.json") // checks it against the schema of schemas
	if err != nil {
		t.Fatal(err)
	}
	return func(data []byte) error {
		value, err := asJSON(data)
		if err != nil {
			return err
		}
		return compiled.Validate(value)
	}
}

// number is a number of YAML's core schema.
var number = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)

// asJSON is what an editor makes of a YAML file before it looks at the schema.
func asJSON(data []byte) (any, error) {
	doc, err := strictyaml.Parse("f.yaml", data)
	if err != nil {
		return nil, err
	}
	value := valueOf(doc.Root())
	return value, doc.Err()
}

func valueOf(n strictyaml.Node) any {
	switch n.Kind() {
	case strictyaml.Map:
		m := map[string]any{}
		for _, p := range n.Mapping().Pairs() {
			m[p.Key] = valueOf(p.Value)
		}
		return m
	case strictyaml.List:
		list := []any{}
		for _, item := range n.Items() {
			list = append(list, valueOf(item))
		}
		return list
	case strictyaml.Null:
		return nil
	case strictyaml.Boolean:
		return n.Raw() == "true"
	}
	if n.Plain() && number.MatchString(n.Raw()) {
		f, err := strconv.ParseFloat(n.Raw(), 64)
		if err == nil {
			return f
		}
	}
	return n.Raw()
}
