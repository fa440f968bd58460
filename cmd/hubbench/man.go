package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/tell/manual"
)

func newMan() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual as man pages or Markdown files",
		Long: `Write a page for each command and each topic of help into DIR, which is created:
hubbench-run.1, hubbench-formats.7 and so on, for man; with --format md the same as Markdown files,
hubbench-run.1.md.`,
		Example: `  hubbench man pages && man pages/hubbench-run.1
  hubbench man --format md manual`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "man" && format != "md" {
				return exit.Usagef("--format %s: man or md", format)
			}
			pages, err := manPages(cmd.Root())
			if err != nil {
				return err
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("write the manual: %w", err)
			}
			for _, page := range pages {
				file, text := page.File(), page.Roff(toolVersion(), sourceDate())
				if format == "md" {
					file, text = file+".md", page.Markdown()
				}
				err := os.WriteFile(filepath.Join(args[0], file), []byte(text), 0o644)
				if err != nil {
					return fmt.Errorf("write the manual: %w", err)
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "man", "man or md")
	// Fails only for a flag that is not there.
	_ = cmd.RegisterFlagCompletionFunc("format", words("man", "md"))
	return cmd
}

// manPages returns those of hubbench itself, of its commands and of the topics.
func manPages(root *cobra.Command) ([]manual.Page, error) {
	commands, topics := "## Commands\n\n", "## Topics\n\n"
	var pages []manual.Page
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			pages = append(pages, commandPage(c, "## See also\n\nhubbench(1)\n"))
			commands += fmt.Sprintf("hubbench-%s(1)\n: %s.\n\n", c.Name(), c.Short)
		}
	}
	for _, t := range manual.Topics() {
		page, err := t.Page()
		if err != nil {
			return nil, err
		}
		pages = append(pages, page)
		topics += fmt.Sprintf("hubbench-%s(7)\n: %s.\n\n", t.Name, t.Short)
	}
	return append(pages, commandPage(root, commands+topics)), nil
}

// commandPage returns what --help says of a command, in Markdown, and more after it.
func commandPage(c *cobra.Command, more string) manual.Page {
	c.InitDefaultHelpFlag() // as --help lists them
	c.InitDefaultVersionFlag()
	name, usage := "hubbench-"+c.Name(), c.UseLine()
	if !c.HasParent() {
		name, usage = c.Name(), c.Name()+" COMMAND [flags]"
	}
	tables := regexp.MustCompile(`(?m)^  (\S)`) // code is indented by four
	body := "## Synopsis\n\n    " + usage + "\n\n## Description\n\n" +
		tables.ReplaceAllString(cmp.Or(c.Long, c.Short+"."), "    $1") + "\n\n"
	if c.Example != "" {
		body += "## Examples\n\n" + tables.ReplaceAllString(c.Example, "    $1") + "\n\n"
	}
	flags := regexp.MustCompile(`(?m)^ +(-.*?) {2,}(.*)$`)
	body += "## Options\n\n" + flags.ReplaceAllString(c.LocalFlags().FlagUsages(), "$1\n: $2\n") +
		"## Exit status\n\n"
	var codes strings.Builder
	for _, e := range exitCodesOf(c) {
		fmt.Fprintf(&codes, "%d\n: %s.\n\n", e.code, e.meaning)
	}
	body += codes.String()
	short := strings.ToLower(c.Short[:1]) + c.Short[1:]
	return manual.Page{Name: name, Section: 1, Short: short, Body: body + more}
}

// sourceDate returns the day that SOURCE_DATE_EPOCH names, if it is set: the pages of one version
// are the same whenever and wherever they are written
// (https://reproducible-builds.org/specs/source-date-epoch).
func sourceDate() string {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return ""
	}
	return time.Unix(seconds, 0).UTC().Format("2006-01-02")
}
