package main

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
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
// word. A part without a licence, or with one that is not among known, is an error: a person looks at it first.
func contents(chosen []target) (parts []part, licences []file, err error) {
	dirs := map[part][]string{} // where the licences of a part may lie
	for _, t := range chosen {
		list, err := output(t.env(), "go", "list", "-deps", "-json=Dir,Module,Standard", "./cmd/hubbench")
		if err != nil {
			return nil, nil, err
		}
		for decoder := json.NewDecoder(strings.NewReader(list)); ; {
			var pkg struct {
				Dir    string
				Module *struct {
					Path, Version, Dir, Sum string
					Main                    bool
				}
			}
			if err := decoder.Decode(&pkg); err == io.EOF {
				break
			} else if err != nil {
				return nil, nil, fmt.Errorf("go list: %w", err)
			}
			if m := pkg.Module; m != nil && !m.Main {
				p := part{name: m.Path, version: m.Version, sum: m.Sum, purl: "pkg:golang/" + m.Path + "@" + m.Version}
				// A package may hold someone else's code, and then says so in its own folder.
				for dir := pkg.Dir; len(dir) >= len(m.Dir); dir = filepath.Dir(dir) {
					dirs[p] = append(dirs[p], dir)
				}
			}
		}
	}
	goroot, err := output(nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, nil, err
	}
	goversion, err := output(nil, "go", "env", "GOVERSION")
	if err != nil {
		return nil, nil, err
	}
	goversion = strings.TrimPrefix(goversion, "go")
	dirs[part{name: "std", version: goversion, purl: "pkg:golang/std@" + goversion}] = []string{goroot}

	page := filepath.Dir(filepath.Dir(charts))
	text, err := os.ReadFile(filepath.Join(page, "package-lock.json"))
	if err != nil {
		return nil, nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version string
			Dev     bool
		}
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, nil, err
	}
	for dir, p := range lock.Packages {
		if name, bundled := strings.CutPrefix(dir, "node_modules/"); bundled && !p.Dev {
			dirs[part{name: name, version: p.Version, purl: "pkg:npm/" + name + "@" + p.Version}] = []string{filepath.Join(page, dir)}
		}
	}

	for p, places := range dirs {
		var names []string
		var texts strings.Builder
		slices.SortFunc(places, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }) // its top first
		for _, dir := range slices.Compact(places) {
			found, err := legal(dir)
			if err != nil {
				return nil, nil, fmt.Errorf("licences of %s: %w; if npm's are missing, remove %s and run make build", p.name, err, charts)
			}
			for _, name := range found {
				data, err := os.ReadFile(name)
				if err != nil {
					return nil, nil, err
				}
				texts.Write(data)
				names = append(names, name)
				inside := filepath.ToSlash(strings.TrimPrefix(name, places[0]))
				licences = append(licences, file{"licenses/" + p.name + "@" + p.version + inside, 0o644, data})
			}
		}
		if p.licence = spdx(texts.String()); p.licence == "" {
			return nil, nil, fmt.Errorf("%s has no licence that is known here (%s): read it, and add it to known", p.name, strings.Join(names, ", "))
		}
		parts = append(parts, p)
	}
	slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.purl, b.purl) })
	return parts, licences, nil
}

// legalName is what files and folders are called that hold a licence or a notice.
var legalName = regexp.MustCompile(`(?i)^(licen[sc]es?|copying|notice|patents|unlicense|copyrightnotice|third_party_licenses)([-._].*)?$`)

// legal is the paths of the licences in a folder, and in the folders of licences there.
func legal(dir string) (found []string, err error) {
	for _, pattern := range []string{"*", "*/*"} {
		names, err := fs.Glob(os.DirFS(dir), pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			top, _, _ := strings.Cut(name, "/")
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); legalName.MatchString(top) && err == nil && info.Mode().IsRegular() && filepath.Ext(name) != ".go" {
				found = append(found, path)
			}
		}
	}
	return found, nil
}

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
func (r release) bill(parts []part) error {
	bom := cdx.NewBOM()
	self := "pkg:golang/github.com/hubbench/hubbench@" + r.tag
	apache := cdx.Licenses{{Expression: "Apache-2.0"}}
	bom.Metadata = &cdx.Metadata{
		Timestamp: r.time.Format(time.RFC3339),
		Component: &cdx.Component{
			BOMRef: self, Type: cdx.ComponentTypeApplication, Name: "hubbench", Version: r.version, PackageURL: self, Licenses: &apache,
		},
	}
	var components []cdx.Component
	var refs []string
	for _, p := range parts {
		c := cdx.Component{
			BOMRef: p.purl, Type: cdx.ComponentTypeLibrary, Name: p.name, Version: p.version, PackageURL: p.purl,
			Licenses: &cdx.Licenses{{Expression: p.licence}},
		}
		if sum, ok := strings.CutPrefix(p.sum, "h1:"); ok {
			raw, err := base64.StdEncoding.DecodeString(sum)
			if err != nil {
				return fmt.Errorf("sum of %s: %w", p.name, err)
			}
			c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(raw)}}
		}
		components, refs = append(components, c), append(refs, p.purl)
	}
	bom.Components, bom.Dependencies = &components, &[]cdx.Dependency{{Ref: self, Dependencies: &refs}}
	var text strings.Builder
	if err := cdx.NewBOMEncoder(&text, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		return err
	}
	return r.write(fmt.Sprintf("hubbench_%s.cdx.json", r.version), []byte(text.String()), "")
}
