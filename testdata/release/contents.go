package main

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// A part is a module of Go, Go itself, or a package of npm that the program holds.
type part struct {
	name, version string
	purl          string // its name among package registries
	sum           string // SHA-256, as go.sum has it
	licence       string // SPDX
}

// contents finds what is linked into the program or bundled with its charts, and the licences of all that, word for
// word. A part without a licence that is known here is an error: a person looks at it first.
func contents(chosen []target) (parts []part, licences []file) {
	dirs := map[part][]string{} // where the licences of a part may lie
	for _, t := range chosen {
		decoder := json.NewDecoder(strings.NewReader(output(t.env(), "go", "list", "-deps", "-json=Dir,Module", "./cmd/hubbench")))
		for decoder.More() {
			var pkg struct {
				Dir    string
				Module *struct {
					Path, Version, Dir, Sum string
					Main                    bool
				}
			}
			check(decoder.Decode(&pkg))
			if m := pkg.Module; m != nil && !m.Main {
				p := part{name: m.Path, version: m.Version, sum: m.Sum, purl: "pkg:golang/" + m.Path + "@" + m.Version}
				// A package may hold someone else's code, and then says so in its own folder.
				for dir := pkg.Dir; len(dir) >= len(m.Dir); dir = filepath.Dir(dir) {
					dirs[p] = append(dirs[p], dir)
				}
			}
		}
	}
	std := part{name: "std", version: strings.TrimPrefix(output(nil, "go", "env", "GOVERSION"), "go")}
	std.purl = "pkg:golang/std@" + std.version
	dirs[std] = []string{output(nil, "go", "env", "GOROOT")}

	page := filepath.Dir(filepath.Dir(charts))
	var lock struct {
		Packages map[string]struct {
			Version string
			Dev     bool
		}
	}
	check(json.Unmarshal(must(os.ReadFile(filepath.Join(page, "package-lock.json"))), &lock))
	for dir, p := range lock.Packages {
		if name, bundled := strings.CutPrefix(dir, "node_modules/"); bundled && !p.Dev {
			dirs[part{name: name, version: p.Version, purl: "pkg:npm/" + name + "@" + p.Version}] = []string{filepath.Join(page, dir)}
		}
	}

	for p, places := range dirs {
		texts := ""
		slices.SortFunc(places, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }) // its top first
		for _, dir := range slices.Compact(places) {
			names := append(must(fs.Glob(os.DirFS(dir), "*")), must(fs.Glob(os.DirFS(dir), "*/*"))...)
			for _, name := range names {
				folder, _, _ := strings.Cut(name, "/")
				name = filepath.Join(dir, name)
				if !legal.MatchString(folder) || filepath.Ext(name) == ".go" || must(os.Stat(name)).IsDir() {
					continue
				}
				data := must(os.ReadFile(name))
				texts += string(data) + "\n"
				licences = append(licences, file{"licenses/" + p.name + "@" + p.version + filepath.ToSlash(strings.TrimPrefix(name, places[0])), 0o644, data})
			}
		}
		if p.licence = spdx(texts); p.licence == "" {
			check(fmt.Errorf("no licence that is known here in %q: read what is there, and add it to known; for npm's, remove %s first and run make build", places, charts))
		}
		parts = append(parts, p)
	}
	slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.purl, b.purl) })
	return parts, licences
}

// legal is what files and folders are called that hold a licence or a notice.
var legal = regexp.MustCompile(`(?i)^(licen[sc]es?|copying|notice|patents|unlicense|copyrightnotice|third_party_licenses)([-._].*)?$`)

// known is how licences are told by their words. The first that fits a choice or a kind of BSD is it.
var known = []struct{ words, id string }{
	{"The FreeType License, which is similar to the original BSD license", "FTL OR GPL-2.0-or-later"},
	{"Apache License", "Apache-2.0"},
	{"Permission is hereby granted, free of charge, to any person obtaining", "MIT"},
	{"Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee", "0BSD"},
	{"SIL OPEN FONT LICENSE Version 1.1", "OFL-1.1"},
	{"Creative Commons Attribution 4.0 International", "CC-BY-4.0"},
	{"Boost Software License", "BSL-1.0"},
	{"to endorse or promote products", "BSD-3-Clause"},
	{"Redistribution and use in source and binary forms", "BSD-2-Clause"},
}

// spdx is the SPDX expression for the texts of a part's licences, all of which hold.
func spdx(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	var ids []string
	for _, k := range known {
		if !strings.Contains(text, k.words) || k.id == "BSD-2-Clause" && slices.Contains(ids, "BSD-3-Clause") {
			continue
		}
		if ids = append(ids, k.id); strings.Contains(k.id, " OR ") {
			return k.id
		}
	}
	return strings.Join(ids, " AND ")
}

// bill writes the list of contents, in CycloneDX's JSON.
func (r release) bill(parts []part) {
	self := cdx.Component{
		BOMRef: "pkg:golang/github.com/hubbench/hubbench@" + r.tag, Type: cdx.ComponentTypeApplication, Name: "hubbench", Version: r.version,
		PackageURL: "pkg:golang/github.com/hubbench/hubbench@" + r.tag, Licenses: &cdx.Licenses{{Expression: "Apache-2.0"}},
	}
	var components []cdx.Component
	var refs []string
	for _, p := range parts {
		c := cdx.Component{
			BOMRef: p.purl, Type: cdx.ComponentTypeLibrary, Name: p.name, Version: p.version, PackageURL: p.purl,
			Licenses: &cdx.Licenses{{Expression: p.licence}},
		}
		if sum, ok := strings.CutPrefix(p.sum, "h1:"); ok {
			c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(must(base64.StdEncoding.DecodeString(sum)))}}
		}
		components, refs = append(components, c), append(refs, p.purl)
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Timestamp: r.time.Format(time.RFC3339), Component: &self}
	bom.Components, bom.Dependencies = &components, &[]cdx.Dependency{{Ref: self.BOMRef, Dependencies: &refs}}
	var text bytes.Buffer
	check(cdx.NewBOMEncoder(&text, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6))
	r.write(fmt.Sprintf("hubbench_%s.cdx.json", r.version), text.Bytes(), "sbom")
}
