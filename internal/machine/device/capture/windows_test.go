package capture_test

import (
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hubbench/hubbench/internal/machine/device/windows"
)

// answers are the captures of testdata, an archive each, which names its sources.
func answers(tb testing.TB) map[string][]byte {
	paths, err := filepath.Glob("../windows/testdata/*.txtar")
	if err != nil || len(paths) < 8 {
		tb.Fatalf("%d captures, %v", len(paths), err)
	}
	answers := map[string][]byte{}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		if len(archive.Files) != 1 {
			tb.Fatalf("%s: %d files, want the answer alone", path, len(archive.Files))
		}
		answers[strings.TrimSuffix(path, ".txtar")] = archive.Files[0].Data
	}
	return answers
}

func TestWindows(t *testing.T) {
	for name, answer := range answers(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			match(t, windows.Parse(answer, false), name+".golden.json")
		})
	}
}

// A console may be set to UTF-16, and PowerShell may begin with a mark.
func TestWindowsEncodings(t *testing.T) {
	for name, answer := range answers(t) {
		want := windows.Parse(answer, true)
		units := utf16.Encode([]rune(string(answer)))
		for encoding, bytes := range map[string][]byte{
			"UTF-8 with a mark": append([]byte{0xef, 0xbb, 0xbf}, answer...),
			"UTF-16LE":          encode(binary.LittleEndian, units),
			"UTF-16LE, mark":    encode(binary.LittleEndian, append([]uint16{0xfeff}, units...)),
			"UTF-16BE":          encode(binary.BigEndian, units),
			"UTF-16BE, mark":    encode(binary.BigEndian, append([]uint16{0xfeff}, units...)),
			"Windows' lines":    []byte(strings.ReplaceAll(string(answer), "\n", "\r\n")),
		} {
			if diff := cmp.Diff(want, windows.Parse(bytes, true)); diff != "" {
				t.Errorf("%s in %s (-want +got):\n%s", name, encoding, diff)
			}
		}
	}
}

func encode(order binary.ByteOrder, units []uint16) []byte {
	b, _ := binary.Append(nil, order, units)
	return b
}

// An answer that was cut short costs everything, and says so.
func TestWindowsCut(t *testing.T) {
	for name, answer := range answers(t) {
		for n := 0; n < len(answer)-2; n += 100 {
			inventory := windows.Parse(answer[:n], true)
			sound(t, inventory)
			if len(inventory.Disks) > 0 || len(inventory.Warnings) != 1 {
				t.Errorf("%s cut at %d: %d disks, warnings %q", name, n, len(inventory.Disks),
					inventory.Warnings)
			}
		}
	}
}

func FuzzWindows(f *testing.F) {
	for _, answer := range answers(f) {
		f.Add(answer)
	}
	f.Fuzz(func(t *testing.T, answer []byte) { sound(t, windows.Parse(answer, true)) })
}

func TestWindowsSerials(t *testing.T) {
	found := 0
	for _, answer := range answers(t) {
		found += secret(t, windows.Parse(answer, true), windows.Parse(answer, false))
	}
	if found < 10 {
		t.Errorf("%d serial numbers when asked for, want 10 or more", found)
	}
}
