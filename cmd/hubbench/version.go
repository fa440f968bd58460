package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

func newVersion(p program) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  takes(0, 0),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(p.stdout, versionLine())
			return err
		},
	}
}

// versionLine is what version and --version print.
func versionLine() string {
	return fmt.Sprintf("hubbench %s %s/%s %s\n", toolVersion(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}
