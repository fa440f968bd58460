package linux

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// Record reads the machine whose files root has, and returns all that Read looks at there in the
// text form of a capture, which a test can read again: a line for each file, symbolic link and
// folder, and the sizes of file systems.
func Record(root fs.FS, opts Options) string {
	r := &recorder{root: root, lines: map[string]string{}, inside: map[string]bool{}}
	usage := map[string]string{}
	Read(r, Options{Arch: opts.Arch, Usage: func(mount string) (size, free int64) {
		size, free = opts.Usage(mount)
		usage[mount] = fmt.Sprintf("usage %s: %d %d\n", mount, size, free)
		return size, free
	}})
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r.lines)) {
		if !r.inside[name] { // A folder shows by what is in it.
			text.WriteString("/" + name + r.lines[name] + "\n")
		}
	}
	for _, mount := range slices.Sorted(maps.Keys(usage)) {
		text.WriteString(usage[mount])
	}
	return text.String()
}

// recorder notes what is read of a file system, by the names that symbolic links lead to.
type recorder struct {
	root   fs.FS
	lines  map[string]string // lines is what stands after each name.
	inside map[string]bool   // inside is the folders in which something is noted.
}

// note notes something of a name, and keeps what is known of it already unless there is more to
// say.
func (r *recorder) note(name, line string) {
	if old, ok := r.lines[name]; !ok || old == ":" {
		r.lines[name] = line
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		r.inside[dir] = true
	}
}

// maxHops is how many links may lead on to a name, as Linux has it.
const maxHops = 40

// resolve returns the name that a name's symbolic links lead to, except for the last one.
func (r *recorder) resolve(name string) string {
	done, rest := "", strings.Split(name, "/")
	for hops := 0; len(rest) > 1 && hops < maxHops; {
		at := path.Join(done, rest[0])
		rest = rest[1:]
		target, err := fs.ReadLink(r.root, at)
		if err != nil {
			done = at
			continue
		}
		hops++
		r.note(at, " -> "+target)
		if !path.IsAbs(target) {
			target = path.Join("/", path.Dir(at), target)
		}
		whole := strings.TrimPrefix(path.Clean(target), "/")
		done, rest = "", append(strings.Split(whole, "/"), rest...)
	}
	return path.Join(done, path.Join(rest...))
}

// follow is resolve with the last link.
func (r *recorder) follow(name string) string {
	return strings.TrimSuffix(r.resolve(name+"/."), "/.")
}

func (r *recorder) Open(name string) (fs.File, error) {
	f, err := r.root.Open(name)
	if err == nil {
		r.note(r.follow(name), ":")
	}
	return f, err
}

func (r *recorder) ReadFile(name string) ([]byte, error) {
	data, err := fs.ReadFile(r.root, name)
	if err != nil {
		return data, err
	}
	text := strings.ToValidUTF8(strings.ReplaceAll(string(data), "\x00", ""), "")
	text = strings.TrimRight(text, " \t\r\n")
	line := ": " + text
	if text == "" || strings.Contains(text, "\n") || strings.Contains(text, " -> ") {
		line = ":"
		for part := range strings.Lines(text) {
			line += "\n\t" + strings.TrimSuffix(part, "\n")
		}
	}
	r.note(r.follow(name), line)
	return data, nil
}

func (r *recorder) ReadLink(name string) (string, error) {
	target, err := fs.ReadLink(r.root, name)
	if err == nil {
		r.note(r.resolve(name), " -> "+target)
	}
	return target, err
}

func (r *recorder) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(r.root, name) }

// ReadDir notes each entry: links with their targets, and files and folders as such.
func (r *recorder) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(r.root, name)
	dir := r.follow(name)
	for _, e := range entries {
		at := path.Join(dir, e.Name())
		if target, linkErr := fs.ReadLink(r.root, at); linkErr == nil {
			r.note(at, " -> "+target)
		} else {
			r.note(at, ":")
		}
	}
	return entries, err
}
