package linux

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing/fstest"
)

// A capture is a machine's files in one text, written from what people have published of theirs; its head says where.
//
//	# words                        a remark
//	[/sys/devices/...]             the folder that the names below stand in; names that begin with / stand where they say
//	name: one line                 a file
//	name:                          a file of several lines, each after a tab
//	name -> ../target              a symbolic link
//	< /sys/class/block             a link in that folder to the folder above, as sysfs has them
//	usage MOUNT: SIZE FREE         what the system answers when asked for the space of a file system
//	= words                        a line of the outline (see devicetest) that is expected; without any, a file of JSON has it

// captured is a machine that can be read.
type captured struct {
	files fstest.MapFS
	usage map[string][2]int64
}

func (c captured) options() Options {
	return Options{Arch: "amd64", Usage: func(mount string) (size, free int64) { return c.usage[mount][0], c.usage[mount][1] }}
}

// parseCapture reads a capture as far as it makes sense: tests cut and twist them.
func parseCapture(text string) captured {
	c := captured{fstest.MapFS{}, map[string][2]int64{}}
	folder, open := "", ""
	place := func(name string) (string, bool) {
		if !strings.HasPrefix(name, "/") {
			name = path.Join("/", folder, name)
		}
		name = strings.TrimPrefix(path.Clean(name), "/")
		return name, fs.ValidPath(name) && name != "."
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if more, ok := strings.CutPrefix(line, "\t"); ok && c.files[open] != nil {
			c.files[open].Data = append(c.files[open].Data, (more + "\n")...)
			continue
		}
		open = ""
		name, content, file := strings.Cut(line, ": ") // PCI addresses have colons too
		if !file {
			name, file = strings.CutSuffix(line, ":")
		}
		from, to, link := strings.Cut(line, " -> ")
		switch {
		case line == "" || line[0] == '#' || line[0] == '=':
		case line[0] == '[':
			folder = strings.Trim(line, "[]")
		case strings.HasPrefix(line, "< "):
			in, ok := place(line[2:])
			at, valid := place("")
			if ok && valid {
				up := strings.Repeat("../", strings.Count(in, "/")+1)
				c.files[path.Join(in, path.Base(at))] = &fstest.MapFile{Data: []byte(up + at), Mode: fs.ModeSymlink}
			}
		case link:
			if at, ok := place(from); ok {
				c.files[at] = &fstest.MapFile{Data: []byte(to), Mode: fs.ModeSymlink}
			}
		case file && strings.HasPrefix(name, "usage "):
			var u [2]int64
			if n, _ := fmt.Sscan(content, &u[0], &u[1]); n == 2 {
				c.usage[name[len("usage "):]] = u
			}
		case file:
			if at, ok := place(name); ok {
				open = at
				c.files[at] = &fstest.MapFile{Data: []byte(content)}
				if content != "" {
					c.files[at].Data = append(c.files[at].Data, '\n')
				}
			}
		}
	}
	c.cutRings()
	return c
}

// cutRings removes links that lead nowhere but to links, as a system gives up on them: MapFS would follow them forever.
func (c captured) cutRings() {
	for name, file := range c.files {
		if file.Mode&fs.ModeSymlink == 0 {
			continue
		}
		at := name
		for hop := 0; ; hop++ {
			link := at
			for link != "." && (c.files[link] == nil || c.files[link].Mode&fs.ModeSymlink == 0) {
				link = path.Dir(link)
			}
			if link == "." || link == "/" {
				break
			}
			if hop == 40 || len(at) > 4096 { // as Linux does
				delete(c.files, name)
				break
			}
			at = path.Join(path.Dir(link), string(c.files[link].Data)) + at[len(link):]
		}
	}
}
