// Package configs holds the hub profiles and scenarios that are built into hubbench, by name. It only carries their
// bytes: pkg/hub and pkg/scenario read them. The scenarios are to be copied and changed: hubbench init --from does so.
package configs

import (
	"embed"
	"strings"
)

//go:embed hubs/*.yaml
var hubs embed.FS

//go:embed demo.yaml streams-demo.yaml study-demo.yaml triple-hub.yaml
var scenarios embed.FS

// Hub returns the profile of a built-in hub as YAML; false if there is none of that name.
func Hub(name string) ([]byte, bool) {
	data, err := hubs.ReadFile("hubs/" + name + ".yaml")
	return data, err == nil
}

// Scenario returns a built-in scenario; false if there is none of that name.
func Scenario(name string) ([]byte, bool) {
	data, err := scenarios.ReadFile(name + ".yaml")
	return data, err == nil
}

// Hubs lists the names of the built-in hubs.
func Hubs() []string { return names(hubs, "hubs") }

// Scenarios lists the names of the built-in scenarios.
func Scenarios() []string { return names(scenarios, ".") }

func names(files embed.FS, folder string) []string {
	entries, err := files.ReadDir(folder)
	if err != nil {
		return nil // cannot be: the folder is embedded
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	return names
}
