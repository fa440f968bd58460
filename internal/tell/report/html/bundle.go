//go:build ignore

// Bundle builds dist/echarts.js.gz, the chart library that the HTML report carries: the parts of
// Apache ECharts named in echarts.js, fetched by npm at the versions in package-lock.json,
// tree-shaken and minified, with the notices of what is inside. Run it from the repository's top:
//
//	go run -modfile=.tools/go.mod internal/tell/report/html/bundle.go
//
// make build runs it when the bundle is older than what it is made from. Without npm it says so and
// succeeds: the report then holds static pictures.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

const (
	dir    = "internal/tell/report/html"
	bundle = dir + "/dist/echarts.js.gz"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("bundle: ")
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		log.Print("no npm here: the report will hold static pictures; " +
			"for interactive charts install Node and run make build again")
		return nil
	}
	ci := exec.Command(npm, "ci", "--no-fund", "--no-audit", "--loglevel=error")
	ci.Dir = dir
	ci.Stdout = os.Stderr
	ci.Stderr = os.Stderr
	if err := ci.Run(); err != nil {
		return fmt.Errorf("npm ci in %s: %w: check the network, npm's registry setting and that "+
			"this is the repository's top folder, and run again", dir, err)
	}
	return build()
}

func build() error {
	notice, err := notices()
	if err != nil {
		return err
	}
	result := api.Build(api.BuildOptions{
		EntryPoints:       []string{filepath.Join(dir, "echarts.js")},
		Bundle:            true,
		Format:            api.FormatIIFE,
		Platform:          api.PlatformBrowser,
		Target:            api.ES2020,
		Charset:           api.CharsetASCII, // the page's encoding cannot break it
		MinifyWhitespace:  true,
		MinifySyntax:      true,
		MinifyIdentifiers: true,
		LegalComments:     api.LegalCommentsInline,
		Define:            map[string]string{"process.env.NODE_ENV": `"production"`},
		Banner:            map[string]string{"js": notice},
		LogLevel:          api.LogLevelWarning,
	})
	if len(result.Errors) > 0 {
		return fmt.Errorf("build %s: %d errors", bundle, len(result.Errors))
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	script := result.OutputFiles[0].Contents
	_, err = z.Write(script)
	if err := errors.Join(err, z.Close(), os.WriteFile(bundle, packed.Bytes(), 0o644)); err != nil {
		return err
	}
	log.Printf("wrote %s (%d kB of %d kB)", bundle, packed.Len()/1000, len(script)/1000)
	return nil
}

// notices is the comment at the head of the bundle: the sources' own headers are not marked as
// legal comments, so a minifier drops them, and the licences ask for more than the headers say.
func notices() (string, error) {
	manifest, err := os.ReadFile(filepath.Join(dir, "node_modules", "echarts", "package.json"))
	if err != nil {
		return "", fmt.Errorf("read the version of ECharts: %w", err)
	}
	var echarts struct{ Version string }
	if err := json.Unmarshal(manifest, &echarts); err != nil {
		return "", fmt.Errorf("read the version of ECharts: %w", err)
	}
	var text strings.Builder
	text.WriteString("/*!\nApache ECharts " + echarts.Version +
		", licensed under the Apache License, Version 2.0\n" +
		"(http://www.apache.org/licenses/LICENSE-2.0), tree-shaken and minified; " +
		"with zrender, tslib (0BSD) and parts of d3.\n")
	for _, name := range []string{"echarts/NOTICE", "zrender/LICENSE",
		"echarts/licenses/LICENSE-d3"} {
		notice, err := os.ReadFile(filepath.Join(dir, "node_modules", filepath.FromSlash(name)))
		if err != nil {
			return "", fmt.Errorf("read a licence for the bundle: %w", err)
		}
		fmt.Fprintf(&text, "\n%s:\n%s\n", name,
			strings.ReplaceAll(strings.TrimSpace(string(notice)), "*/", "* /"))
	}
	text.WriteString("*/")
	return text.String(), nil
}
