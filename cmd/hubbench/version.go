package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the Makefile from the repository's tags.
var version string

func newVersion(p program) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  takes(0, 0),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(p.Stdout, versionLine())
			return err
		},
	}
}

// toolVersion returns the version for run.json and the version command.
func toolVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" &&
		info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "unversioned"
}

// versionLine returns what version and --version print.
func versionLine() string {
	return fmt.Sprintf("hubbench %s %s/%s %s\n", toolVersion(), runtime.GOOS, runtime.GOARCH,
		runtime.Version())
}
