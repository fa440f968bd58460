package work

import (
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/stream"
)

// doing is the disks A, B, C ... and what each does, a letter per disk.
func doing(letters string) (disks []string, all map[string]Work) {
	all = map[string]Work{}
	for i, letter := range letters {
		disk := string(rune('A' + i))
		disks = append(disks, disk)
		switch letter {
		case 'W':
			all[disk] = Work{Op: Write}
		case 'R':
			all[disk] = Work{Op: Read}
		case 'S':
			all[disk] = Work{Op: Read, Streams: []stream.Spec{{Count: 4}}}
		case 'P':
			all[disk] = Work{Op: Read, Probe: 4096}
		default:
			all[disk] = Work{Op: Idle}
		}
	}
	return disks, all
}

func TestWho(t *testing.T) {
	for letters, want := range map[string]string{
		"W": "A writes", "WW": "A and B write", "WR": "A writes, B reads",
		"WWW": "all write", "RRR": "all read", "W--": "A writes", "W-W": "A and C write",
		"WRR": "A writes, B and C read", "RRW": "A and B read, C writes", "WR-": "A writes, B reads",
		"RWWW": "A reads, the rest write", "RRRRRWRRRRRR": "F writes, the rest read", "RRRWWW": "A, B and C read, the rest write",
		"WWWWWWWWWWW-": "all but L write", "WW----------": "A and B write",
		"SPW": "A plays 4 streams, C writes, B is probed", "---": "",
	} {
		disks, all := doing(letters)
		if got := Who(disks, all); got != want {
			t.Errorf("%s: %q, want %q", letters, got, want)
		}
	}
}

// Names that are only patterns, or what studies once called their phases, are shown as who does what; chosen names stay.
func TestTitle(t *testing.T) {
	for _, tt := range []struct{ letters, name, want string }{
		{"WWW", "WWW", "all write"},
		{"WWW", "WWW-2", "all write (2)"},
		{"WWW", "WWW-2-1 SEQ1M QD8", "all write (2-1), SEQ1M QD8"},
		{"WWW", "WWW direct-2", "all write, direct-2"},
		{"RRW", "WRR", "A and B read, C writes"}, // order: [C, A, B]
		{"W--", "W-- direct", "A writes, direct"},
		{"W--", "W---2", "A writes (2)"},
		{"W--", "W", "A writes"}, // imported: of the working disks alone
		{"W--", "A W", "A writes"},
		{"W-W", "A+C W-3", "A and C write (3)"},
		{"W-R", "A W, C R", "A writes, C reads"},
		{"WRR", "A W, rest R", "A writes, B and C read"},
		{"WWW", "all W", "all write"},
		{"WWW", "all W direct", "all write, direct"},
		{"WWW", "all write-2", "all write (2)"},
		{"WRR", "A writes, B and C read", "A writes, B and C read"},
		{"SW", "RW streams", "A plays 4 streams, B writes"},
		{"WWW", "race", "race"},
		{"WWW", "RRR", "RRR"}, // says what is not so
		{"WWW", "A W", "A W"},
		{"WWW", "WWWide", "WWWide"},
		{"W--", "A W, then rest", "A W, then rest"},
		{"WWW", "", ""},
	} {
		disks, all := doing(tt.letters)
		if got := Title(tt.name, disks, all); got != tt.want {
			t.Errorf("%s, %s: %q, want %q", tt.letters, tt.name, got, tt.want)
		}
	}
	disks, all := doing(strings.Repeat("WR", 20))
	if got, want := Title(strings.Repeat("WR", 20), disks, all), strings.Repeat("WR", 20); got != want {
		t.Errorf("of 40 disks: %q, want %q", got, want)
	}
}
