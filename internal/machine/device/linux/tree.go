package linux

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// tree is the machine's files, by names without a leading slash. What cannot be read is empty: a missing file means
// that something is not known, and no more.
type tree struct{ fs.FS }

// text is the file's text, without the space around it.
func (t tree) text(name ...string) string {
	data, err := fs.ReadFile(t.FS, path.Join(name...))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(string(data), "\x00", ""), ""))
}

// number is the file's text as a whole number; 0 if it is none.
func (t tree) number(name ...string) int64 {
	n, err := strconv.ParseInt(t.text(name...), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func (t tree) has(name ...string) bool {
	_, err := fs.Stat(t.FS, path.Join(name...))
	return err == nil
}

// list is the names in a folder, numbers in them in the order of their value: sda, sdb, sdaa; nvme2n1, nvme10n1.
func (t tree) list(name ...string) []string {
	entries, err := fs.ReadDir(t.FS, path.Join(name...))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.SortStableFunc(names, natural)
	return names
}

// link is the target of a symbolic link; empty if it is none. The links of sysfs lead to the one place of a device in
// /sys/devices, which shows what it is connected to.
func (t tree) link(name ...string) string {
	from := path.Join(name...)
	target, err := fs.ReadLink(t.FS, from)
	if err != nil || path.IsAbs(target) {
		return ""
	}
	return path.Join(path.Dir(from), target)
}

// class is the places of all devices of a class or a bus: "class/nvme", "bus/thunderbolt/devices".
func (t tree) class(name string) []string {
	var dirs []string
	for _, device := range t.list("sys", name) {
		if dir := t.link("sys", name, device); dir != "" {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// parents are the folders above a place that have the form of a PCI or USB device, from the host on, the place itself
// included.
func parents(dir string, form *regexp.Regexp) []string {
	var out []string
	for ; dir != "." && dir != "/" && dir != ""; dir = path.Dir(dir) {
		if form.MatchString(path.Base(dir)) {
			out = append(out, dir)
		}
		if strings.HasPrefix(path.Base(dir), "domain") { // Thunderbolt's routers are named like USB's devices
			out = nil
		}
	}
	slices.Reverse(out)
	return out
}

// under reports whether a place lies below another, or is it.
func under(dir, above string) bool { return dir == above || strings.HasPrefix(dir, above+"/") }

// natural compares names by the values of the numbers in them, and shorter words before longer ones.
func natural(a, b string) int {
	for a != "" && b != "" {
		x, y := piece(a), piece(b)
		if len(x) != len(y) {
			return len(x) - len(y)
		}
		if c := strings.Compare(x, y); c != 0 {
			return c
		}
		a, b = a[len(x):], b[len(y):]
	}
	return len(a) - len(b)
}

// piece is the digits, or what is none, that a name begins with.
func piece(name string) string {
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	n := 1
	for n < len(name) && digit(name[n]) == digit(name[0]) {
		n++
	}
	return name[:n]
}
