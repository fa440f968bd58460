//go:build ignore

// Man writes the man pages: one for each command, and one for each topic of the manual. It is built with the
// commands, in place of main.go, as make man does:
//
//	go run -modfile=.tools/go.mod FILES-OF-COMMANDS cmd/hubbench/man.go bin/man
package main

import (
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra/doc"

	"github.com/hubbench/hubbench/internal/tell/manual"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("man: ")
	dir := os.Args[1]
	if err := os.MkdirAll(dir, 0o755); err != nil {
		log.Fatal(err)
	}
	root := newRoot(program{})
	root.DisableAutoGenTag = true // the date would differ each time
	if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "hubbench " + toolVersion()}, dir); err != nil {
		log.Fatal(err)
	}
	for _, topic := range manual.Topics() {
		page, err := topic.Markdown()
		if err != nil {
			log.Fatal(err)
		}
		name := "hubbench-" + topic.Name
		_, body, _ := strings.Cut(page, "\n") // its title
		page = "% " + strings.ToUpper(name) + " 7\n\n# NAME\n" + name + " - " + topic.Short + "\n\n# DESCRIPTION\n" + body
		if err := os.WriteFile(filepath.Join(dir, name+".7"), md2man.Render([]byte(page)), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
