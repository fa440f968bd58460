// Package schematest holds files to a schema by a third party's validator, as editors do. It is for
// tests.
package schematest

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// Validator says what is wrong with a YAML file. If it cannot be read the error is a
// *strictyaml.Error.
type Validator func(data []byte) error

// New makes the validator of a schema, which must be one.
func New(t testing.TB, schema strictyaml.Schema) Validator {
	t.Helper()
	data, err := json.Marshal(schema)
	check.Must(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	check.Must(t, err)
	c := jsonschema.NewCompiler()
	check.Must(t, c.AddResource("schema.json", doc))
	compiled, err := c.Compile("schema.json") // checks it against the schema of schemas
	check.Must(t, err)
	return func(data []byte) error {
		if _, err := strictyaml.Parse("f.yaml", data); err != nil {
			return err
		}
		var value any // what an editor makes of the file before it looks at the schema
		if err := yaml.Unmarshal(data, &value); err != nil {
			return err
		}
		return compiled.Validate(value)
	}
}
