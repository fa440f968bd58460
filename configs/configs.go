// Package configs holds the hub profiles that are built into hubbench, by name. It only carries their
// bytes: pkg/hub reads them. The scenarios beside it are to be copied and changed, and are not built in.
package configs

import (
	"embed"
	"strings"
)

//go:embed hubs/*.yaml
var hubs embed.FS

// Hub returns the profile of a built-in hub as YAML; false where there is none of that name.
func Hub(name string) ([]byte, bool) {
	data, err := hubs.ReadFile("hubs/" + name + ".yaml")
	return data, err == nil
}

// Hubs lists the names of the built-in hubs.
func Hubs() []string {
	entries, err := hubs.ReadDir("hubs")
	if err != nil {
		return nil // cannot be: the folder is embedded
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	return names
}
