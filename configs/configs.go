// Package configs holds the hub profiles and scenarios that are built into hubbench, by name. It
// only carries their bytes: pkg/hub and pkg/scenario read them. The scenarios are to be copied and
// changed: hubbench init --from does so.
package configs

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed hubs/*.yaml
var hubs embed.FS

//go:embed demo.yaml streams-demo.yaml study-demo.yaml triple-hub.yaml cookbook/*.yaml
var scenarios embed.FS

func folders() []string { return []string{".", "cookbook"} }

// Hub returns the profile of a built-in hub as YAML; false if there is none of that name.
func Hub(name string) ([]byte, bool) {
	data, err := hubs.ReadFile("hubs/" + name + ".yaml")
	return data, err == nil
}

// Scenario returns a built-in scenario; false if there is none of that name.
func Scenario(name string) ([]byte, bool) {
	for _, folder := range folders() {
		if data, err := scenarios.ReadFile(path.Join(folder, path.Base(name)+
			".yaml")); err == nil && name == path.Base(name) {
			return data, true
		}
	}
	return nil, false
}

// About returns the first sentence of a built-in scenario: the question that it answers, or what it
// shows.
func About(name string) string {
	data, _ := Scenario(name)
	_, text, _ := strings.Cut(string(data), "\n# ")
	text = strings.ReplaceAll(text, "\n# ", " ")
	if end := strings.IndexAny(text, ".?"); end >= 0 {
		text = text[:end+1]
	}
	return text
}

// Hubs lists the names of the built-in hubs.
func Hubs() []string { return names(hubs, "hubs") }

// Scenarios lists the names of the built-in scenarios.
func Scenarios() []string { return names(scenarios, folders()...) }

func names(files embed.FS, folders ...string) (names []string) {
	for _, folder := range folders {
		// Fails only for a pattern that is wrong.
		found, _ := fs.Glob(files, path.Join(folder, "*.yaml"))
		for _, file := range found {
			names = append(names, strings.TrimSuffix(path.Base(file), ".yaml"))
		}
	}
	slices.Sort(names)
	return names
}
