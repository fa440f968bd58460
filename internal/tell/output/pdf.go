package output

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/machine/filesystem"
)

// maxPrintTime is how long a browser may take to print a page.
const maxPrintTime = time.Minute

// Browser is an installed one that prints pages from the command line; empty if there is none.
func Browser(getenv func(name string) string) string {
	places := []string{
		"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge",
		"microsoft-edge", "brave", "brave-browser",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
		"/Applications/Chromium.app/Contents/MacOS/Chromium",
		"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
		"/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
	}
	for _, variable := range []string{"ProgramFiles", "ProgramFiles(x86)", "LocalAppData"} {
		if folder := getenv(variable); folder != "" { // Windows sets them.
			places = append(places,
				filepath.Join(folder, "Google", "Chrome", "Application", "chrome.exe"),
				filepath.Join(folder, "Microsoft", "Edge", "Application", "msedge.exe"),
				filepath.Join(folder, "BraveSoftware", "Brave-Browser", "Application", "brave.exe"))
		}
	}
	for _, place := range places {
		if path, err := exec.LookPath(place); err == nil {
			return path
		}
	}
	return ""
}

// asPDF writes what a browser prints of the page that encode writes.
func asPDF(
	encode func(io.Writer) error, getenv func(name string) string,
) (func(io.Writer) error, error) {
	program := Browser(getenv)
	if program == "" {
		return nil,
			exit.Usagef("a PDF is printed by Chromium, Chrome, Edge or Brave, and none is " +
				"installed; write the page with --format html, open it in a browser and print it")
	}
	return func(w io.Writer) error {
		dir, err := os.MkdirTemp("", "hubbench-print-")
		if err != nil {
			return fmt.Errorf("print the page: %w", err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		page, pdf := filepath.Join(dir, "page.html"), filepath.Join(dir, "page.pdf")
		if err := filesystem.Write(page, encode); err != nil {
			return fmt.Errorf("print the page: %w", err)
		}
		args := []string{
			"--headless", "--disable-gpu", "--no-first-run", "--no-pdf-header-footer",
			"--run-all-compositor-stages-before-draw",
			"--virtual-time-budget=20000", "--user-data-dir=" + filepath.Join(dir, "profile"),
			"--print-to-pdf=" + pdf,
		}
		if os.Geteuid() == 0 { // for whom Chromium refuses to make a sandbox
			args = append(args, "--no-sandbox")
		}
		ctx, cancel := context.WithTimeout(context.Background(), maxPrintTime)
		defer cancel()
		said, err := exec.CommandContext(ctx, program,
			append(args, "file://"+filepath.ToSlash(page))...).CombinedOutput()
		printed, readErr := os.ReadFile(pdf)
		if readErr != nil {
			return fmt.Errorf("print the page with %s: %w: %s", program, err, OneLine(string(said)))
		}
		_, err = w.Write(printed)
		return err
	}, nil
}
