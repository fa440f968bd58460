package output

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/term"

	"github.com/hubbench/hubbench/internal/supervisor"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report/text"
)

// Streams are how hubbench talks to people: results go to Stdout, everything else to Stderr; a
// question is only asked of a terminal, and every question can be answered beforehand with a flag.
type Streams struct {
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(name string) string
}

// Printf is fmt.Fprintf for people. Names in it, such as a folder on an unknown disk, may hold
// anything: only printable characters reach the terminal.
func Printf(w io.Writer, format string, args ...any) {
	for i, arg := range args {
		switch arg.(type) {
		case string, error, fmt.Stringer:
			args[i] = cells.Clean(fmt.Sprint(arg))
		}
	}
	fmt.Fprintf(w, format, args...)
}

// Notef prints something that is no result.
func (s Streams) Notef(format string, args ...any) { Printf(s.Stderr, format, args...) }

// Notify prints a text that is no result on a line of its own.
func (s Streams) Notify(text string) { s.Notef("%s\n", cells.NoCommand(text)) }

// Warn prints a warning.
func (s Streams) Warn(text string) { s.Notef("warning: %s\n", text) }

// HasTerminal reports whether a person can answer a question.
func (s Streams) HasTerminal() bool {
	file, ok := s.Stdin.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// ReadLine reads a line from the person unless ctx ends first.
func (s Streams) ReadLine(ctx context.Context) (string, error) {
	return supervisor.ReadLine(ctx, s.Stdin)
}

// TerminalSize is how large the terminal is; zero where there is none, or it does not say.
func TerminalSize(w io.Writer) (columns, rows int) {
	if file, ok := w.(interface{ Fd() uintptr }); ok {
		columns, rows, _ = term.GetSize(int(file.Fd()))
	}
	return columns, rows
}

// Columns is how wide the terminal is, or the usual where there is none.
func Columns(w io.Writer) int {
	width, _ := TerminalSize(w)
	return cmp.Or(max(0, width), text.Width)
}

// OpenPage shows a page in the browser. What made it is none the worse if that fails.
func (s Streams) OpenPage(path string) {
	cmd := exec.Command("xdg-open", path)
	switch runtime.GOOS {
	case "darwin":
		cmd = exec.Command("open", path)
	case "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", path)
	}
	if err := cmd.Run(); err != nil {
		s.Warn(OneLine(fmt.Sprintf("open the report: %v; it is at %s", err, path)))
	}
}

// OneLine puts a text of several lines on one.
func OneLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, " ")
}
