package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/rpmpack"
)

// installed is where packages put things: the places that shells and man look in by themselves.
func installed(kind string, binary []byte, documents []file) ([]file, error) {
	zsh := map[string]string{".deb": "vendor-completions", ".rpm": "site-functions"}[kind]
	places := strings.NewReplacer("LICENSE", "copyright", "configs/", "examples/", "completions/hubbench.bash", "../../bash-completion/completions/hubbench",
		"completions/_hubbench", "../../zsh/"+zsh+"/_hubbench", "completions/hubbench.fish", "../../fish/vendor_completions.d/hubbench.fish",
		"man/man", "../../man/man")
	files := []file{{"usr/bin/hubbench", 0o755, binary}}
	for _, f := range documents {
		switch {
		case f.name == "completions/hubbench.ps1":
			continue // Windows'
		case strings.HasPrefix(f.name, "licenses/"):
			f.name = "usr/share/doc/hubbench/" + f.name
		default:
			f.name = path.Join("usr/share/doc/hubbench", places.Replace(f.name))
		}
		if strings.HasPrefix(f.name, "usr/share/man/") {
			packed, err := gzipped(f.data)
			if err != nil {
				return nil, err
			}
			f.name, f.data = f.name+".gz", packed
		}
		files = append(files, f)
	}
	return files, nil
}

// inOrder is files by name, each after the folders that it lies in.
func inOrder(files []file) (all []file) {
	seen := map[string]bool{".": true}
	for _, f := range slices.SortedFunc(slices.Values(files), func(a, b file) int { return strings.Compare(a.name, b.name) }) {
		var folders []file
		for dir := path.Dir(f.name); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			folders = append(folders, file{name: dir, mode: fs.ModeDir | 0o755})
		}
		slices.Reverse(folders)
		all = append(append(all, folders...), f)
	}
	return all
}

// gzipped compresses without a name or a time.
func gzipped(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// tarred is files as a .tar.gz, owned by root.
func tarred(files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range inOrder(files) {
		// GNU's format has room for the long paths of licences, and dpkg reads it.
		header := tar.Header{
			Typeflag: tar.TypeReg, Name: f.name, Mode: int64(f.mode.Perm()), Size: int64(len(f.data)),
			ModTime: at, Uname: "root", Gname: "root", Format: tar.FormatGNU,
		}
		if f.mode.IsDir() {
			header.Typeflag, header.Name = tar.TypeDir, f.name+"/"
		}
		if err := w.WriteHeader(&header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return gzipped(out.Bytes())
}

func zipped(files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range inOrder(files) {
		header := zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at.UTC()}
		if f.mode.IsDir() {
			header.Name += "/"
		}
		header.SetMode(f.mode)
		part, err := w.CreateHeader(&header)
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// between is what git describe says of a commit after a tag.
var between = regexp.MustCompile(`^(.*)-(\d+)-g([0-9a-f]+)$`)

// sortable is the version as dpkg and rpm order versions: what is before a release sorts before it, what is after it after.
func (r release) sortable() string {
	version := r.version
	after := ""
	if m := between.FindStringSubmatch(version); m != nil {
		version, after = m[1], "+"+m[2]+".g"+m[3]
	}
	if !strings.Contains(version, ".") { // no tag: a commit alone
		return "0~g" + version
	}
	return strings.ReplaceAll(version, "-", "~") + after
}

const maintainer = "The hubbench maintainers <maintainers@users.noreply.github.com>"

// deb is a package for Debian and its kin: an ar archive of a format version, a control archive and the files.
func (r release) deb(t target, files []file) ([]byte, error) {
	var sums strings.Builder
	size := 0
	for _, f := range inOrder(files) {
		size += (len(f.data) + 1023) / 1024
		if !f.mode.IsDir() {
			fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.data), f.name)
		}
	}
	control := fmt.Sprintf("Package: hubbench\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nInstalled-Size: %d\n"+
		"Suggests: fuse3\nSection: utils\nPriority: optional\nHomepage: %s\nDescription: %s\n", r.sortable(), t.arch, maintainer, size, homepage, summary)
	controls, err := tarred([]file{{"control", 0o644, []byte(control)}, {"md5sums", 0o644, []byte(sums.String())}}, r.time)
	if err != nil {
		return nil, err
	}
	data, err := tarred(files, r.time)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString("!<arch>\n")
	for _, part := range []file{{"debian-binary", 0, []byte("2.0\n")}, {"control.tar.gz", 0, controls}, {"data.tar.gz", 0, data}} {
		fmt.Fprintf(&out, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", part.name, r.time.Unix(), 0, 0, "100644", len(part.data))
		out.Write(part.data)
		if len(part.data)%2 != 0 {
			out.WriteByte('\n')
		}
	}
	return out.Bytes(), nil
}

// rpm is a package for Fedora, openSUSE and their kin.
func (r release) rpm(t target, files []file) ([]byte, error) {
	pack, err := rpmpack.NewRPM(rpmpack.RPMMetaData{
		Name: "hubbench", Version: r.sortable(), Release: "1", Summary: summary, Description: summary, URL: homepage,
		Arch: map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[t.arch], OS: "linux", Licence: "Apache-2.0",
		Packager: maintainer, BuildHost: "localhost", BuildTime: r.time, Epoch: rpmpack.NoEpoch,
	})
	if err != nil {
		return nil, err
	}
	for _, f := range inOrder(files) {
		mode, own := uint(f.mode.Perm()), strings.Contains(f.name, "/hubbench")
		if f.mode.IsDir() {
			if !own { // other packages' folders too, which rpm leaves to the one that owns them
				continue
			}
			mode |= 0o40000
		}
		kind := rpmpack.GenericFile
		if strings.HasPrefix(f.name, "usr/share/doc/") && !f.mode.IsDir() {
			kind = rpmpack.DocFile
		}
		pack.AddFile(rpmpack.RPMFile{
			Name: "/" + f.name, Body: f.data, Mode: mode, Owner: "root", Group: "root", MTime: uint32(r.time.Unix()), Type: kind,
		})
	}
	var out bytes.Buffer
	err = pack.Write(&out)
	return out.Bytes(), err
}
