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

const maintainer = "The hubbench maintainers <hubbench@users.noreply.github.com>"

// installed is where packages put things: the places that shells and man look in by themselves.
func (r release) installed(kind string, binary []byte, documents []file) []file {
	zsh := map[string]string{"deb": "vendor-completions", "rpm": "site-functions"}[kind]
	if kind == "deb" { // whose policy asks for these two
		documents = append(slices.Clone(documents), file{"changelog.gz", 0o644, gzipped(fmt.Appendf(nil,
			"hubbench (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n", r.sortable(), maintainer, r.time.Format(time.RFC1123Z)))})
		documents = append(documents, file{"copyright", 0o644, []byte("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n" +
			"Upstream-Name: hubbench\nSource: " + homepage + "\nComment: The program holds parts of others, whose licences are in the folder licenses.\n\n" +
			"Files: *\nCopyright: 2026 the hubbench authors\nLicense: Apache-2.0\n The text is in /usr/share/common-licenses/Apache-2.0.\n")})
		documents = slices.DeleteFunc(documents, func(f file) bool { return f.name == "LICENSE" })
	}
	places := strings.NewReplacer("LICENSE", "../../licenses/hubbench/LICENSE", "configs/", "examples/", "completions/hubbench.bash", "../../bash-completion/completions/hubbench",
		"completions/_hubbench", "../../zsh/"+zsh+"/_hubbench", "completions/hubbench.fish", "../../fish/vendor_completions.d/hubbench.fish",
		"man/man", "../../man/man")
	files := []file{{"usr/bin/hubbench", 0o755, binary}}
	for _, f := range documents {
		if f.name == "completions/hubbench.ps1" { // Windows'
			continue
		}
		if !strings.HasPrefix(f.name, "licenses/") {
			f.name = places.Replace(f.name)
		}
		if f.name = path.Join("usr/share/doc/hubbench", f.name); strings.HasPrefix(f.name, "usr/share/man/") {
			f.name, f.data = f.name+".gz", gzipped(f.data)
		}
		files = append(files, f)
	}
	return files
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
func gzipped(data []byte) []byte {
	var out bytes.Buffer
	w := must(gzip.NewWriterLevel(&out, gzip.BestCompression))
	must(w.Write(data))
	check(w.Close())
	return out.Bytes()
}

// tarred is files as a .tar.gz, owned by root.
func tarred(files []file, at time.Time) []byte {
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
		check(w.WriteHeader(&header))
		must(w.Write(f.data))
	}
	check(w.Close())
	return gzipped(out.Bytes())
}

func zipped(files []file, at time.Time) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range inOrder(files) {
		header := zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at.UTC()}
		if f.mode.IsDir() {
			header.Name += "/"
		}
		header.SetMode(f.mode)
		must(must(w.CreateHeader(&header)).Write(f.data))
	}
	check(w.Close())
	return out.Bytes()
}

// between is what git describe says of a commit after a tag.
var between = regexp.MustCompile(`^(.*)-(\d+)-g([0-9a-f]+)$`)

// sortable is the version as dpkg and rpm order versions: what is before a release sorts before it, what is after
// it after.
func (r release) sortable() string {
	version, after := r.version, ""
	if m := between.FindStringSubmatch(version); m != nil {
		version, after = m[1], "+"+m[2]+".g"+m[3]
	}
	if !strings.Contains(version, ".") { // no tag: a commit alone
		return "0~g" + version
	}
	return strings.ReplaceAll(version, "-", "~") + after
}

// deb is a package for Debian and its kin: an ar archive of a format version, a control archive and the files.
func (r release) deb(t target, files []file) []byte {
	sums, size := "", 0
	for _, f := range inOrder(files) {
		if !f.mode.IsDir() {
			size += (len(f.data) + 1023) / 1024
			sums += fmt.Sprintf("%x  %s\n", md5.Sum(f.data), f.name)
		}
	}
	control := fmt.Sprintf("Package: hubbench\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nInstalled-Size: %d\nSuggests: fuse3\n"+
		"Section: utils\nPriority: optional\nHomepage: %s\nDescription: %s\n %s\n",
		r.sortable(), t.arch, maintainer, size, homepage, summary, strings.ReplaceAll(about, "\n", "\n "))
	controls := tarred([]file{{"control", 0o644, []byte(control)}, {"md5sums", 0o644, []byte(sums)}}, r.time)
	var out bytes.Buffer
	out.WriteString("!<arch>\n")
	for _, part := range []file{{name: "debian-binary", data: []byte("2.0\n")}, {name: "control.tar.gz", data: controls}, {name: "data.tar.gz", data: tarred(files, r.time)}} {
		fmt.Fprintf(&out, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", part.name, r.time.Unix(), 0, 0, "100644", len(part.data))
		out.Write(part.data)
		if len(part.data)%2 != 0 {
			out.WriteByte('\n')
		}
	}
	return out.Bytes()
}

// rpm is a package for Fedora, openSUSE and their kin.
func (r release) rpm(t target, files []file) []byte {
	pack := must(rpmpack.NewRPM(rpmpack.RPMMetaData{
		Name: "hubbench", Version: r.sortable(), Release: "1", Summary: summary, Description: about, URL: homepage,
		Arch: map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[t.arch], OS: "linux", Licence: r.licence,
		Packager: maintainer, BuildHost: "localhost", BuildTime: r.time, Epoch: rpmpack.NoEpoch,
	}))
	for _, f := range inOrder(files) {
		entry := rpmpack.RPMFile{Name: "/" + f.name, Body: f.data, Mode: uint(f.mode.Perm()), Owner: "root", Group: "root", MTime: uint32(r.time.Unix())}
		switch {
		case f.mode.IsDir() && !strings.Contains(f.name, "/hubbench"):
			continue // other packages' too: rpm leaves it to the one that owns it
		case f.mode.IsDir():
			entry.Mode |= 0o40000
		case strings.HasPrefix(f.name, "usr/share/licenses/"):
			entry.Type = rpmpack.LicenceFile
		case strings.HasPrefix(f.name, "usr/share/doc/"):
			entry.Type = rpmpack.DocFile
		}
		pack.AddFile(entry)
	}
	var out bytes.Buffer
	check(pack.Write(&out))
	return out.Bytes()
}
