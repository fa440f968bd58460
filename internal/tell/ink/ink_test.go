package ink

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for _, tt := range []struct {
		name     string
		terminal bool
		system   string
		env      []string
		want     Ink
	}{
		{"256 colours", true, "linux", []string{"TERM=xterm-256color", "LANG=de_DE.UTF-8"},
			Ink{Colours: 256, Redraws: true}},
		{"16 colours", true, "linux", []string{"TERM=xterm", "LC_CTYPE=C.utf8"},
			Ink{Colours: 16, Redraws: true}},
		{"all colours", true, "linux", []string{"TERM=tmux", "COLORTERM=truecolor", "LANG=C.UTF-8"},
			Ink{Colours: 256, Redraws: true}},
		{"no locale", true, "linux", []string{"TERM=linux"},
			Ink{Colours: 16, ASCII: true, Redraws: true}},
		{"the first locale", true, "linux", []string{"TERM=xterm", "LC_ALL=C", "LANG=C.UTF-8"},
			Ink{Colours: 16, ASCII: true, Redraws: true}},
		{"NO_COLOR", true, "darwin", []string{"TERM=xterm-256color", "NO_COLOR=1", "LANG=C.UTF-8"},
			Ink{Redraws: true}},
		{"dumb", true, "linux", []string{"TERM=dumb", "COLORTERM=1", "LANG=C.UTF-8"}, Ink{}},
		{"a console of Windows", true, "windows", nil, Ink{Colours: 256, Redraws: true}},
		{"a file", false, "linux", []string{"TERM=xterm-256color"}, Ink{}},
		{"a file in Latin-1", false, "linux", []string{"LANG=de_DE.ISO-8859-1"}, Ink{ASCII: true}},
	} {
		getenv := func(name string) string {
			for _, pair := range tt.env {
				if value, found := strings.CutPrefix(pair, name+"="); found {
					return value
				}
			}
			return ""
		}
		if got := inkOf(tt.terminal, tt.system, getenv); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
	if got := For(new(bytes.Buffer), os.Getenv); got != (Ink{}) {
		t.Errorf("a buffer: got %+v, want the zero Ink", got)
	}
}

func TestText(t *testing.T) {
	const gb = 5.44 // cells
	plain, ascii, rich := Ink{}, Ink{ASCII: true}, Ink{Colours: 256}
	for _, tt := range []struct{ got, want string }{
		{plain.Glyph(0) + plain.Glyph(2) + plain.Glyph(6), "●◆●"},
		{ascii.Glyph(0) + ascii.Glyph(1) + ascii.Glyph(5), "o^*"},
		{plain.Disk(1, "A") + plain.Bold("B") + plain.Dim("C"), "ABC"},
		{rich.Disk(1, "A"), "\x1b[38;5;208mA\x1b[0m"},
		{Ink{Colours: 16}.Disk(1, "A"), "\x1b[33mA\x1b[0m"},
		{rich.Red("47 %"), "\x1b[31m47 %\x1b[0m"},
		{rich.Green(""), ""},
		{plain.Bar(gb), "█████▍"}, {ascii.Bar(gb), "#####"},
		{plain.Bar(gb + 0.6), "██████"}, {plain.Bar(0), ""},
		{plain.Column(0) + plain.Column(0.01) + plain.Column(0.47) + plain.Column(0.77), " ▁▄▇"},
		{plain.Column(3), "█"},
		{ascii.Column(0) + ascii.Column(0.01) + ascii.Column(0.47) + ascii.Column(1), " _-#"},
		{ascii.Text("→ ±1.7 %, 4 … ░▕ ▏– 85 µs"), "-> +-1.7 %, 4 ~ .[ ]- 85 us"},
		{plain.Text("→"), "→"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}
