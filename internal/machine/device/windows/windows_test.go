package windows

import (
	"encoding/binary"
	"flag"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hubbench/hubbench/internal/machine/device/devicetest"
)

var update = flag.Bool("update", false, "write what is parsed as the expected inventories")

// answers are the captures of testdata, an archive each, which names its sources.
func answers(tb testing.TB) map[string][]byte {
	paths, err := filepath.Glob("testdata/*.txtar")
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

func TestParse(t *testing.T) {
	for name, answer := range answers(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			devicetest.Match(t, Parse(answer, false), name+".golden.json", *update)
		})
	}
}

// A console may be set to UTF-16, and PowerShell may begin with a mark.
func TestEncodings(t *testing.T) {
	for name, answer := range answers(t) {
		want := Parse(answer, true)
		units := utf16.Encode([]rune(string(answer)))
		for encoding, bytes := range map[string][]byte{
			"UTF-8 with a mark": append([]byte{0xef, 0xbb, 0xbf}, answer...),
			"UTF-16LE":          encode(binary.LittleEndian, units),
			"UTF-16LE, mark":    encode(binary.LittleEndian, append([]uint16{0xfeff}, units...)),
			"UTF-16BE":          encode(binary.BigEndian, units),
			"UTF-16BE, mark":    encode(binary.BigEndian, append([]uint16{0xfeff}, units...)),
			"Windows' lines":    []byte(strings.ReplaceAll(string(answer), "\n", "\r\n")),
		} {
			if diff := cmp.Diff(want, Parse(bytes, true)); diff != "" {
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
func TestCut(t *testing.T) {
	for name, answer := range answers(t) {
		for n := 0; n < len(answer)-2; n += 100 {
			inventory := Parse(answer[:n], true)
			devicetest.Sound(t, inventory)
			if len(inventory.Disks) > 0 || len(inventory.Warnings) != 1 {
				t.Errorf("%s cut at %d: %d disks, warnings %q", name, n, len(inventory.Disks), inventory.Warnings)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, answer := range answers(f) {
		f.Add(answer)
	}
	f.Fuzz(func(t *testing.T, answer []byte) { devicetest.Sound(t, Parse(answer, true)) })
}

func TestSerials(t *testing.T) {
	found := 0
	for _, answer := range answers(t) {
		found += devicetest.Secret(t, Parse(answer, true), Parse(answer, false))
	}
	if found < 10 {
		t.Errorf("%d serial numbers when asked for, want 10 or more", found)
	}
}

// The script is an argument of a command line, in which a double quote would need escapes, and it changes nothing.
func TestScript(t *testing.T) {
	script := Script()
	if strings.Contains(script, `"`) || len(script) > 16_000 {
		t.Errorf("the script has %d bytes, with double quotes: %t", len(script), strings.Contains(script, `"`))
	}
	for _, word := range []string{"Set-", "Remove-", "Clear-", "Format-Volume", "Initialize-", "New-Partition", "Invoke-"} {
		if strings.Contains(script, word) {
			t.Errorf("the script says %s: it is to change nothing", word)
		}
	}
	// What Parse reads, the script gives.
	for _, name := range []string{
		"Disks =", "PhysicalDisks =", "Partitions =", "Volumes =", "Drives =", "LogicalDisks =", "Devices =", "BitLocker =", "Battery =", "Computer =", "System =", "Processor =", "Failed =",
		"AdapterSerialNumber", "FirmwareRevision", "SizeRemaining", "PNPDeviceID", "RemovalPolicy", "CurrentLinkWidth", "Protection =",
	} {
		if !strings.Contains(script, name) {
			t.Errorf("the script does not give %s", name)
		}
	}
}
