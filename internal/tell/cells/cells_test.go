package cells

import (
	"testing"
	"unicode/utf8"

	"github.com/hubbench/hubbench/internal/test/check"
)

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		text        string
		limit       int
		end, middle string
	}{
		{"Samsung", 7, "Samsung", "Samsung"},
		{"Samsung", 6, "Samsu…", "Sa…ung"},
		{"Samsung T7 Shield 2TB", 12, "Samsung T7 …", "Samsu…ld 2TB"},
		{"Samsung T7 Shield 4TB", 12, "Samsung T7 …", "Samsu…ld 4TB"},
		{"日本語の名前", 12, "日本語の名前", "日本語の名前"},
		{"日本語の名前", 8, "日本語…", "日…名前"},
		{"e\u0301e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301…", "e\u0301…e\u0301"},
		{"🚀🚀🚀", 4, "🚀…", "…🚀"},
		{"name", 1, "…", "…"},
		{"name", 0, "", ""},
	} {
		if got := Cut(tt.text, tt.limit); got != tt.end || Width(got) > tt.limit {
			t.Errorf("Cut(%s, %d) = %s, want %s", tt.text, tt.limit, got, tt.end)
		}
		if got := CutMiddle(tt.text, tt.limit); got != tt.middle || Width(got) > tt.limit {
			t.Errorf("CutMiddle(%s, %d) = %s, want %s", tt.text, tt.limit, got, tt.middle)
		}
	}
}

func TestPad(t *testing.T) {
	for _, tt := range []struct {
		text string
		to   int
		want string
	}{{"語", 4, "語  "}, {"語", -4, "  語"}, {"long", 2, "long"}} {
		if got := Pad(tt.text, tt.to); got != tt.want {
			t.Errorf("Pad(%q, %d) = %q, want %q", tt.text, tt.to, got, tt.want)
		}
	}
}

func TestClean(t *testing.T) {
	if got, want := Clean("a\x1b[2J\u202eb\n"), "a·[2Jb·"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWrap(t *testing.T) {
	got := Wrap("Three disks writing: 3.34 GB/s together for 37.5 s; extraordinarilylongname", "  ",
		20)
	want := []string{"Three disks writing:", "  3.34 GB/s together", "  for 37.5 s;",
		"  extraordinarilylo…"}
	check.Same(t, "wrapped", want, got)
}

// Whatever the text: nothing is wider than asked for, and characters stay whole.
func FuzzCut(f *testing.F) {
	f.Add("日本語 e\u0301 🚀 name", 5)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if !utf8.ValidString(text) || limit < 0 || limit > 1000 {
			t.Skip()
		}
		for _, got := range append(Wrap(text, "  ", limit+3), Cut(text, limit),
			CutMiddle(text, limit)) {
			if !utf8.ValidString(got) || Width(got) > limit+3 {
				t.Errorf("%q is %d wide, want %d at most", got, Width(got), limit)
			}
		}
		if Width(Cut(text, limit)) > limit || Width(CutMiddle(text, limit)) > limit {
			t.Errorf("%q in %d: %q, %q", text, limit, Cut(text, limit), CutMiddle(text, limit))
		}
	})
}
