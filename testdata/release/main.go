// Command release makes the files of a release out of the commit that is checked out. It is for those who maintain
// hubbench; make release starts it:
//
//	go run -modfile=.tools/go.mod ./testdata/release -version v0.1.0 [-out DIR] [-only linux/amd64]
//
// In DIR it leaves an archive for each system with the program, its manual, completions and the licences of
// everything in it; deb and rpm packages, a Homebrew formula and a Scoop manifest, a list of what is inside
// (CycloneDX), and SHA256SUMS. The same commit gives the same bytes in any folder, at any time, with the same
// Go: times are SOURCE_DATE_EPOCH, the commit's, and nothing else of the machine enters. Signing is left to commands
// that the environment names (see sign), since keys are not everyone's.
//
// It is no configuration of GoReleaser: the newest version that this Go can build adds 288 modules to those
// of the tools, and charts, man pages, licences and the list of contents would still be made here.
package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	homepage  = "https://github.com/hubbench/hubbench"
	summary   = "Measure what SSDs on one hub do to each other"
	charts    = "internal/tell/report/html/dist/echarts.js"
	maxBinary = 26_000_000 // bytes; more than that is looked into before it is released
)

// release is what the files of one release have in common.
type release struct {
	tag     string    // as git describe has it: v1.2.3, or v1.2.3-4-g0123abc between releases
	version string    // without the v
	time    time.Time // of the commit
	out     string    // where the files go
}

// A target is a system and processor that hubbench is built for.
type target struct{ os, arch, packing string }

func targets() []target {
	return []target{ // a zip is what Windows opens, and what Apple's notary takes
		{"darwin", "amd64", ".zip"}, {"darwin", "arm64", ".zip"}, {"linux", "amd64", ".tar.gz"}, {"linux", "arm64", ".tar.gz"},
		{"windows", "amd64", ".zip"},
	}
}

// file is one of an archive or package; name is a path with slashes.
type file struct {
	name string
	mode fs.FileMode
	data []byte
}

func main() {
	tag := flag.String("version", "", "what to call the release: git describe --tags")
	out := flag.String("out", "bin/release", "the folder for the files; what is in it is removed")
	only := flag.String("only", "", "make the files for one system alone, such as linux/amd64")
	flag.Parse()
	if err := run(*tag, *out, *only); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(tag, out, only string) error {
	if changed, err := output(nil, "git", "status", "--porcelain"); err != nil || changed != "" {
		return errors.Join(errors.New("a release is of a commit: commit first what git status shows, or remove it\n"+changed), err)
	}
	epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil || tag == "" {
		return errors.Join(errors.New("make release gives -version, and SOURCE_DATE_EPOCH, the commit's time"), err)
	}
	r := release{tag, strings.TrimPrefix(tag, "v"), time.Unix(epoch, 0).UTC(), out}
	chosen := slices.DeleteFunc(targets(), func(t target) bool { return only != "" && t.os+"/"+t.arch != only })
	if len(chosen) == 0 {
		return fmt.Errorf("no system %q", only)
	}
	changes, err := os.ReadFile(".github/CHANGELOG.md")
	if err != nil {
		return err
	}
	news, err := r.news(string(changes))
	if err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(out), os.MkdirAll(out, 0o755), os.WriteFile(out+".md", []byte(news), 0o644)); err != nil {
		return err
	}
	parts, licences, err := contents(chosen)
	if err != nil {
		return err
	}
	documents, err := documents()
	if err != nil {
		return err
	}
	for _, t := range chosen {
		if err := r.pack(t, slices.Concat(documents, licences)); err != nil {
			return fmt.Errorf("%s/%s: %w", t.os, t.arch, err)
		}
	}
	if err := r.bill(parts); err != nil {
		return err
	}
	if only == "" {
		if err := r.manifests(); err != nil {
			return err
		}
	}
	return r.sums()
}

// output runs a program and returns what it prints, without the last newline.
func output(env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// news is the version's entry in the changes: of a commit between releases, that of what is not released.
func (r release) news(changes string) (string, error) {
	title := "## " + r.tag
	if between.MatchString(r.tag) || !strings.HasPrefix(r.tag, "v") {
		title = "## Unreleased"
	}
	_, entry, found := strings.Cut(changes, "\n"+title+"\n")
	entry, _, _ = strings.Cut(entry, "\n## ")
	if entry = strings.TrimSpace(entry); !found || entry == "" {
		return "", fmt.Errorf(".github/CHANGELOG.md says nothing under %q: write there what is new", title)
	}
	return entry + "\n", nil
}

// env is the environment of the go command: nothing that a person has set changes what is built.
func (t target) env() []string {
	return []string{
		"GOOS=" + t.os, "GOARCH=" + t.arch, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off",
	}
}

// build compiles the program for a system, signs it if there is a command for that, and returns it.
func (r release) build(t target) ([]byte, error) {
	dir, err := os.MkdirTemp("", "hubbench-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "hubbench")
	// Without what go knows of the repository, which depends on how it was cloned. Functions begin at multiples of 16 bytes
	// also on amd64, where it is 32 by default: a hundredth less.
	flags := "-s -w -funcalign=16 -X main.version=" + r.tag
	if _, err := output(t.env(), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags="+flags, "-o", program, "./cmd/hubbench"); err != nil {
		return nil, err
	}
	if err := sign(t.os, program); err != nil {
		return nil, err
	}
	binary, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	script, err := os.ReadFile(charts)
	if err != nil || !bytes.Contains(binary, script) {
		return nil, errors.Join(fmt.Errorf("without live charts: make build with npm writes %s", charts), err)
	}
	fmt.Printf("%s/%s: %.1f MB\n", t.os, t.arch, float64(len(binary))/1e6)
	if len(binary) > maxBinary {
		return nil, fmt.Errorf("the program has %d bytes, more than %d: see what was linked in", len(binary), maxBinary)
	}
	return binary, nil
}

// sign hands a file to the command in HUBBENCH_SIGN_KIND, if there is one, which may change it: KIND is DARWIN or
// WINDOWS for a program, ZIP for an archive (macOS' are notarised so), DEB or RPM, or SUMS for SHA256SUMS.
func sign(kind, name string) error {
	key := "HUBBENCH_SIGN_" + strings.ToUpper(kind)
	command := os.Getenv(key)
	if command == "" {
		return nil
	}
	if _, err := output(nil, "sh", "-c", command+` "$1"`, "sh", name); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

// documents are what goes beside the program everywhere: the manual and the completions, as the program that make build has
// writes them, the scenarios and queries of configs, and what the top level says.
func documents() (all []file, err error) {
	dir, err := os.MkdirTemp("", "hubbench-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for shell, name := range map[string]string{"bash": "hubbench.bash", "zsh": "_hubbench", "fish": "hubbench.fish", "powershell": "hubbench.ps1"} {
		script, err := output(nil, "bin/hubbench", "completion", shell)
		if err != nil {
			return nil, err
		}
		all = append(all, file{"completions/" + name, 0o644, []byte(script + "\n")})
	}
	for _, format := range []string{"man", "md"} {
		if _, err := output(nil, "bin/hubbench", "man", filepath.Join(dir, format), "--format", format); err != nil {
			return nil, err
		}
	}
	listed, err := output(nil, "git", "ls-files", "README.md", "LICENSE", ".github/CHANGELOG.md", "configs/*.yaml", "configs/*.md", "configs/*.sql")
	if err != nil {
		return nil, err
	}
	places := map[string]string{} // of files, by where they go
	for name := range strings.SplitSeq(listed, "\n") {
		places[strings.TrimPrefix(name, ".github/")] = name
	}
	for pattern, to := range map[string]string{"man/*.1": "man/man1/", "man/*.7": "man/man7/", "md/*": "manual/"} {
		pages, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		for _, page := range pages {
			places[to+filepath.Base(page)] = page
		}
	}
	for place, name := range places {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all = append(all, file{place, 0o644, data})
	}
	return all, nil
}

// pack writes the archive of a system, and for Linux the packages.
func (r release) pack(t target, documents []file) error {
	binary, err := r.build(t)
	if err != nil {
		return err
	}
	program := "hubbench"
	if t.os == "windows" {
		program += ".exe"
	}
	base := fmt.Sprintf("hubbench_%s_%s_%s", r.version, t.os, t.arch)
	files := append(slices.Clone(documents), file{program, 0o755, binary})
	for i := range files {
		files[i].name = base + "/" + files[i].name
	}
	kinds := map[string]func(target, []file) ([]byte, error){
		".zip":    func(_ target, files []file) ([]byte, error) { return zipped(files, r.time) },
		".tar.gz": func(_ target, files []file) ([]byte, error) { return tarred(files, r.time) },
		".deb":    r.deb, ".rpm": r.rpm,
	}
	for _, kind := range []string{t.packing, ".deb", ".rpm"} {
		if kind != t.packing {
			if t.os != "linux" {
				break
			}
			if files, err = installed(kind, binary, documents); err != nil {
				return err
			}
		}
		data, err := kinds[kind](t, files)
		if err != nil {
			return err
		}
		if err := r.write(base+kind, data, kind[1:]); err != nil {
			return err
		}
	}
	return nil
}

// write writes a file of the release, and signs it if there is a command for its kind.
func (r release) write(name string, data []byte, kind string) error {
	name = filepath.Join(r.out, name)
	if err := os.WriteFile(name, data, 0o644); err != nil {
		return err
	}
	return sign(kind, name)
}

// manifests writes what Homebrew and Scoop install by.
func (r release) manifests() error {
	fill := []string{"@URL@", homepage + "/releases/download/" + r.tag + "/", "@VERSION@", r.version, "@SUMMARY@", summary, "@HOME@", homepage}
	for _, t := range targets() {
		data, err := os.ReadFile(filepath.Join(r.out, fmt.Sprintf("hubbench_%s_%s_%s%s", r.version, t.os, t.arch, t.packing)))
		if err != nil {
			return err
		}
		fill = append(fill, "@SHA_"+t.os+"_"+t.arch+"@", fmt.Sprintf("%x", sha256.Sum256(data)))
	}
	for _, name := range []string{"hubbench.rb", "hubbench.json"} {
		text, err := os.ReadFile(filepath.Join("testdata/release", name+".in"))
		if err != nil {
			return err
		}
		if err := r.write(name, []byte(strings.NewReplacer(fill...).Replace(string(text))), ""); err != nil {
			return err
		}
	}
	return nil
}

// sums writes SHA256SUMS of all files, as sha256sum -c reads it.
func (r release) sums() error {
	entries, err := os.ReadDir(r.out) // sorted
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(r.out, entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(data), entry.Name())
	}
	return r.write("SHA256SUMS", []byte(list.String()), "sums")
}
