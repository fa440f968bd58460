// Package html writes report.html: one file that opens offline and says who got how much bandwidth
// while all disks were busy. It draws what the analysis found and finds nothing itself. Start at Write.
//
// The page is this package's own template. go-echarts serves only to build chart options: its own page
// loads scripts from elsewhere and runs code hidden in a disk's name.
package html

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Input is what a report is made of.
type Input struct {
	Run      *trace.Run
	Analysis *analysis.Analysis
	Info     Info
	Events   io.Reader // events.jsonl as it is, for the page to carry; nil, or too long (see maxEvents): the page goes without
}

// Info says how and where the run was made. Empty fields are left out of the page.
type Info struct {
	Tool     string // hubbench's version
	Host     string
	OS       string
	Scenario string // the scenario's file name
	Hub      string // the hub, or the model of it
	Seed     string // of the plan
	Modes    []Mode // in the order of the run
	Facts    []Fact // anything else worth a line: cable, temperature, enclosure
}

// Mode is how a disk was really driven in a phase.
type Mode struct {
	Phase, Disk string
	trace.Effective
}

// Fact is a line of the environment.
type Fact struct{ Name, Value string }

//go:embed page.tmpl report.css script
var parts embed.FS

// script is the page's own script: its parts share one scope.
func script() ([]byte, error) {
	out := []byte("(() => {\n\"use strict\";\n")
	for _, name := range []string{"look", "draw", "chart", "page"} {
		part, err := parts.ReadFile("script/" + name + ".js")
		if err != nil {
			return nil, err
		}
		out = append(out, part...)
	}
	return append(out, "})();\n"...), nil
}

// Write writes the report. The analysis must be that of the run.
func Write(w io.Writer, in Input) error {
	return write(w, in, library())
}

// write takes the chart library as an argument, so that tests see the page with and without it.
func write(w io.Writer, in Input, charts []byte) error {
	page, err := newPage(in, charts != nil)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := page.dress(charts); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	tmpl, err := template.ParseFS(parts, "page.tmpl")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := tmpl.Execute(w, page); err != nil {
		return fmt.Errorf("report: write the page: %w", err)
	}
	return nil
}

// dress puts in the styles and scripts, and a policy under which nothing else may load or run.
func (p *page) dress(charts []byte) error {
	style, err := parts.ReadFile("report.css")
	if err != nil {
		return err
	}
	script, err := script()
	if err != nil {
		return err
	}
	for _, text := range [][]byte{charts, script} {
		// The page would end where its script says so.
		if bytes.Contains(bytes.ToLower(text), []byte("</script")) || bytes.Contains(text, []byte("<!--")) {
			return fmt.Errorf("a script holds a tag that would end it early: rebuild it with make build")
		}
	}
	p.Style, p.Script, p.Library = template.CSS(style), template.JS(script), template.JS(charts) //nolint:gosec // this program's own files
	p.Policy = fmt.Sprintf("default-src 'none'; img-src data:; style-src '%s'; script-src '%s'", hash(style), hash(script))
	if charts != nil {
		p.Policy += fmt.Sprintf(" '%s'", hash(charts))
	}
	p.Policy += "; base-uri 'none'; form-action 'none'"
	return nil
}

// hash is a source expression of a Content-Security-Policy.
func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
