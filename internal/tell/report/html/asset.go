package html

import "embed"

// dist holds echarts.js once bundle.go has run, and always a README, so that it can be embedded.
//
//go:embed all:dist
var dist embed.FS

// library is the chart library, or nil in a binary that was built without it.
func library() []byte {
	script, err := dist.ReadFile("dist/echarts.js")
	if err != nil {
		return nil
	}
	return script
}
