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
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	homepage = "https://github.com/hubbench/hubbench"
	summary  = "Measure what SSDs on one hub do to each other"
	about    = "hubbench runs several SSDs on one hub against each other and reports how much each got while all were busy,\n" +
		"which one took it from whom, and how long the others needed to recover."
	charts    = "internal/tell/report/html/dist/echarts.js.gz"
	maxBinary = 26_000_000 // bytes; more than that is looked into before it is released
)

// release is what the files of one release have in common.
type release struct {
	tag     string    // as git describe has it: v1.2.3, or v1.2.3-4-g0123abc between releases
	version string    // without the v
	time    time.Time // of the commit
	out     string    // where the files go
	licence string    // SPDX: of everything in a program
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
	log.SetFlags(0)
	defer func() {
		if what := recover(); what != nil {
			if _, told := what.(string); !told { // not by check
				panic(what)
			}
			os.Exit(1)
		}
	}()
	tag := flag.String("version", "", "what to call the release: git describe --tags")
	out := flag.String("out", "bin/release", "the folder for the files; what is in it is removed")
	only := flag.String("only", "", "make the files for one system alone, such as linux/amd64")
	flag.Parse()
	if changed := output(nil, "git", "status", "--porcelain"); changed != "" || *tag == "" {
		check(errors.New("it is of a commit, and named by -version: commit first what git status shows, or remove it\n" + changed))
	}
	epoch := must(strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64))
	r := release{tag: *tag, version: strings.TrimPrefix(*tag, "v"), time: time.Unix(epoch, 0).UTC(), out: *out}
	news := must(r.news(string(must(os.ReadFile(".github/CHANGELOG.md")))))
	check(errors.Join(os.RemoveAll(r.out), os.MkdirAll(r.out, 0o755), os.WriteFile(r.out+".md", []byte(news), 0o644)))
	chosen := slices.DeleteFunc(targets(), func(t target) bool { return *only != "" && t.os+"/"+t.arch != *only })
	if len(chosen) == 0 {
		check(fmt.Errorf("-only %s: there is no such system here", *only))
	}
	parts, documents := contents(chosen)
	licences := []string{"Apache-2.0"}
	for _, p := range parts {
		if all := "(" + p.licence + ")"; strings.Contains(p.licence, " OR ") {
			licences = append(licences, all)
		} else {
			licences = append(licences, strings.Split(p.licence, " AND ")...)
		}
	}
	slices.Sort(licences)
	r.licence = strings.Join(slices.Compact(licences), " AND ")
	documents = append(documents, manual()...)
	for _, t := range chosen {
		r.pack(t, documents)
	}
	r.bill(parts)
	if *only == "" {
		r.manifests()
	}
	var sums string
	for _, entry := range must(os.ReadDir(r.out)) { // sorted
		sums += fmt.Sprintf("%x  %s\n", sha256.Sum256(must(os.ReadFile(filepath.Join(r.out, entry.Name())))), entry.Name())
	}
	r.write("SHA256SUMS", []byte(sums), "sums")
}

// check ends the program if a step of it fails: there is nothing to do then but to look at why, and to start it again.
func check(err error) {
	if err != nil {
		log.Panicf("release: %v", err)
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

// output runs a program and returns what it prints, without the last newline.
func output(env []string, name string, args ...string) string {
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		check(fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err))
	}
	return strings.TrimSuffix(string(out), "\n")
}

// news is the version's entry in the changes: of a commit between releases, that of what is not released.
func (r release) news(changes string) (string, error) {
	title := "## " + r.tag
	if between.MatchString(r.tag) || !strings.HasPrefix(r.tag, "v") {
		title = "## Unreleased"
	}
	_, entry, _ := strings.Cut(changes, "\n"+title+"\n")
	entry, _, _ = strings.Cut(entry, "\n## ")
	if entry = strings.TrimSpace(entry); entry == "" {
		return "", fmt.Errorf(".github/CHANGELOG.md says nothing under %q: write there what is new", title)
	}
	return entry + "\n", nil
}

// env is the environment of the go command: nothing that a person has set changes what is built.
func (t target) env() []string {
	return []string{
		"GOOS=" + t.os, "GOARCH=" + t.arch, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off",
		"GOENV=off", "GOFIPS140=off",
	}
}

// build compiles the program for a system, signs it if there is a command for that, and returns it.
func (r release) build(t target) []byte {
	dir := must(os.MkdirTemp("", "hubbench-release-"))
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "hubbench")
	// Without what go knows of the repository, which depends on how it was cloned. Functions begin at multiples of 16
	// bytes also on amd64, where it is 32 by default: a hundredth less.
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -funcalign=16 -X main.version=" + r.tag, "-o", program}
	output(t.env(), "go", append(args, "./cmd/hubbench")...)
	sign(t.os, program)
	binary := must(os.ReadFile(program))
	fmt.Printf("%s/%s: %.1f MB\n", t.os, t.arch, float64(len(binary))/1e6)
	if len(binary) > maxBinary {
		check(fmt.Errorf("the program has %d bytes, more than %d: see what was linked in", len(binary), maxBinary))
	}
	if script, err := os.ReadFile(charts); err != nil || !bytes.Contains(binary, script) {
		check(fmt.Errorf("it has no live charts: make build with npm writes %s", charts))
	}
	return binary
}

// sign hands a file to the command in HUBBENCH_SIGN_KIND, if there is one, which may change it: KIND is DARWIN or
// WINDOWS for a program, ZIP for an archive (macOS' are notarised so), DEB or RPM, or SUMS for SHA256SUMS.
func sign(kind, name string) {
	if command := os.Getenv("HUBBENCH_SIGN_" + strings.ToUpper(kind)); command != "" {
		output(nil, "sh", "-c", command+` "$1"`, "sh", name)
	}
}

// manual is what goes beside the program everywhere: pages and completions, as the program that make build has writes
// them, the scenarios and queries of configs, and what the top level says.
func manual() (all []file) {
	dir := must(os.MkdirTemp("", "hubbench-release-"))
	defer os.RemoveAll(dir)
	for shell, name := range map[string]string{"bash": "hubbench.bash", "zsh": "_hubbench", "fish": "hubbench.fish", "powershell": "hubbench.ps1"} {
		all = append(all, file{"completions/" + name, 0o644, []byte(output(nil, "bin/hubbench", "completion", shell) + "\n")})
	}
	listed := output(nil, "git", "ls-files", "README.md", "LICENSE", ".github/CHANGELOG.md", "configs/*.yaml", "configs/*.md", "configs/*.sql",
		"configs/*.json")
	for name := range strings.SplitSeq(listed, "\n") {
		text := must(os.ReadFile(name))
		if name == "README.md" { // what it links to is not in archives
			text = bytes.ReplaceAll(text, []byte("](.github/"), []byte("]("+homepage+"/blob/main/.github/"))
			text = bytes.ReplaceAll(text, []byte("](testdata/"), []byte("]("+homepage+"/raw/main/testdata/"))
		}
		all = append(all, file{strings.TrimPrefix(name, ".github/"), 0o644, text})
	}
	output(nil, "bin/hubbench", "man", filepath.Join(dir, "man"))
	output(nil, "bin/hubbench", "man", filepath.Join(dir, "md"), "--format", "md")
	for pattern, to := range map[string]string{"man/*.1": "man/man1/", "man/*.7": "man/man7/", "md/*": "manual/"} {
		for _, page := range must(filepath.Glob(filepath.Join(dir, pattern))) {
			all = append(all, file{to + filepath.Base(page), 0o644, must(os.ReadFile(page))})
		}
	}
	return all
}

func (r release) base(t target) string {
	return fmt.Sprintf("hubbench_%s_%s_%s", r.version, t.os, t.arch)
}

// pack writes the archive of a system, and for Linux the packages.
func (r release) pack(t target, documents []file) {
	binary := r.build(t)
	program := "hubbench"
	if t.os == "windows" {
		program += ".exe"
	}
	files := append(slices.Clone(documents), file{program, 0o755, binary})
	for i := range files {
		files[i].name = r.base(t) + "/" + files[i].name
	}
	if t.os != "linux" {
		r.write(r.base(t)+".zip", zipped(files, r.time), "zip")
		return
	}
	r.write(r.base(t)+".tar.gz", tarred(files, r.time), "tar")
	r.write(r.base(t)+".deb", r.deb(t, r.installed("deb", binary, documents)), "deb")
	r.write(r.base(t)+".rpm", r.rpm(t, r.installed("rpm", binary, documents)), "rpm")
}

// write writes a file of the release, and signs it if there is a command for its kind.
func (r release) write(name string, data []byte, kind string) {
	name = filepath.Join(r.out, name)
	check(os.WriteFile(name, data, 0o644))
	sign(kind, name)
}

// manifests writes what Homebrew and Scoop install by.
func (r release) manifests() {
	fill := []string{"@URL@", homepage + "/releases/download/" + r.tag + "/", "@VERSION@", r.version, "@SUMMARY@", summary, "@HOME@", homepage}
	for _, t := range targets() {
		archive := must(os.ReadFile(filepath.Join(r.out, r.base(t)+t.packing)))
		fill = append(fill, "@SHA_"+t.os+"_"+t.arch+"@", fmt.Sprintf("%x", sha256.Sum256(archive)))
	}
	for _, name := range []string{"hubbench.rb", "hubbench.json"} {
		text := must(os.ReadFile(filepath.Join("testdata/release", name+".in")))
		r.write(name, []byte(strings.NewReplacer(fill...).Replace(string(text))), "manifest")
	}
}
