package main

import (
	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/tell/report/export"
	"github.com/hubbench/hubbench/pkg/scenario"
)

func newSchema(p program) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of scenarios, for editors",
		Long: `Print the JSON Schema (draft 2020-12) of scenario files: the keys that hubbench
reads, with their meanings, defaults and ranges. An editor with a YAML language server completes
and checks a scenario that begins with this line:

    # yaml-language-server: $schema=` + scenario.SchemaURL + `

To work offline, save the schema beside the scenario and name the file in that line:

    hubbench schema > scenario.schema.json
    # yaml-language-server: $schema=scenario.schema.json`,
		Args: takes(0, 0),
		RunE: func(*cobra.Command, []string) error {
			return export.JSON(p.Stdout, scenario.Schema())
		},
	}
}
