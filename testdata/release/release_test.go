package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var commit = time.Unix(1795487641, 0).UTC()

// listed is what a reader other than this program makes of an archive: mode, time and path of each entry.
func listed(t *testing.T, name string, data []byte) (entries []string) {
	t.Helper()
	add := func(info fs.FileInfo, name string) {
		entries = append(entries, fmt.Sprintf("%v %s %s", info.Mode(), info.ModTime().UTC().Format(time.RFC3339), name))
	}
	if strings.HasSuffix(name, ".zip") {
		r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.File {
			add(f.FileInfo(), f.Name)
		}
		return entries
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if unzipped.Name != "" || !unzipped.ModTime.IsZero() {
		t.Errorf("%s has a name (%q) or a time (%v)", name, unzipped.Name, unzipped.ModTime)
	}
	for r := tar.NewReader(unzipped); ; {
		header, err := r.Next()
		if err == io.EOF {
			return entries
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Uname != "root" || header.Uid != 0 {
			t.Errorf("%s: %s belongs to %s", name, header.Name, header.Uname)
		}
		add(header.FileInfo(), header.Name)
	}
}

// The same files in any order give the same bytes, with folders before what lies in them.
func TestArchives(t *testing.T) {
	files := []file{{"b/z", 0o755, []byte("program")}, {"b/a/x", 0o644, bytes.Repeat([]byte("text\n"), 1000)}, {"b/a/" + strings.Repeat("long", 40), 0o644, nil}}
	want := []string{
		"drwxr-xr-x 2026-11-24T02:34:01Z b/", "drwxr-xr-x 2026-11-24T02:34:01Z b/a/",
		"-rw-r--r-- 2026-11-24T02:34:01Z b/a/" + strings.Repeat("long", 40),
		"-rw-r--r-- 2026-11-24T02:34:01Z b/a/x", "-rwxr-xr-x 2026-11-24T02:34:01Z b/z",
	}
	for name, pack := range map[string]func([]file, time.Time) []byte{"a.zip": zipped, "a.tar.gz": tarred} {
		first := pack(files, commit)
		if diff := cmp.Diff(want, listed(t, name, first)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		other := slices.Clone(files)
		slices.Reverse(other)
		if !bytes.Equal(first, pack(other, commit.In(time.FixedZone("", 3600)))) {
			t.Errorf("%s: files in another order, and the same time in another zone, give other bytes", name)
		}
	}
}

// What dpkg and rpm read of packages, where they are installed, and that a second one is the same.
func TestPackages(t *testing.T) {
	r := release{tag: "v1.2.3", version: "1.2.3", time: commit, out: t.TempDir(), licence: "Apache-2.0 AND MIT"}
	documents := []file{
		{"LICENSE", 0o644, []byte("licence")}, {"README.md", 0o644, nil}, {"man/man1/hubbench.1", 0o644, []byte(".TH")},
		{"completions/hubbench.bash", 0o644, nil}, {"completions/_hubbench", 0o644, nil}, {"completions/hubbench.fish", 0o644, nil},
		{"completions/hubbench.ps1", 0o644, nil}, {"configs/demo.yaml", 0o644, nil}, {"licenses/a@v1/LICENSE", 0o644, nil},
	}
	common := []string{
		"/usr/bin/hubbench", "/usr/share/bash-completion/completions/hubbench",
		"/usr/share/doc/hubbench/README.md", "/usr/share/doc/hubbench/examples/demo.yaml",
		"/usr/share/doc/hubbench/licenses/a@v1/LICENSE", "/usr/share/fish/vendor_completions.d/hubbench.fish",
		"/usr/share/man/man1/hubbench.1.gz",
	}
	for _, test := range []struct {
		kind  string
		pack  func(target, []file) []byte
		own   []string
		list  []string
		field []string
		want  string
	}{
		{"deb", r.deb, []string{"/usr/share/zsh/vendor-completions/_hubbench", "/usr/share/doc/hubbench/copyright", "/usr/share/doc/hubbench/changelog.gz"},
			[]string{"dpkg-deb", "-c"}, []string{"dpkg-deb", "-W", "--showformat=${Package} ${Version} ${Architecture}"}, "hubbench 1.2.3 arm64"},
		{"rpm", r.rpm, []string{"/usr/share/zsh/site-functions/_hubbench", "/usr/share/licenses/hubbench/LICENSE"}, []string{"rpm", "-qplv"},
			[]string{"rpm", "-qp", "--qf", "%{NAME} %{VERSION} %{ARCH} %{LICENSE}"}, "hubbench 1.2.3 aarch64 Apache-2.0 AND MIT"},
	} {
		t.Run(test.kind, func(t *testing.T) {
			files := r.installed(test.kind, []byte("program"), documents)
			data := test.pack(target{"linux", "arm64", ".tar.gz"}, files)
			if !bytes.Equal(data, test.pack(target{"linux", "arm64", ".tar.gz"}, files)) {
				t.Error("a second package has other bytes")
			}
			if _, err := exec.LookPath(test.list[0]); err != nil {
				if os.Getenv("CI") != "" {
					t.Fatal(err)
				}
				t.Skipf("%s is not installed to read the package with", test.list[0])
			}
			name := filepath.Join(t.TempDir(), "hubbench."+test.kind)
			if err := os.WriteFile(name, data, 0o644); err != nil {
				t.Fatal(err)
			}
			printed := func(args []string) string {
				out, err := exec.Command(args[0], append(args[1:], name)...).CombinedOutput()
				if err != nil {
					t.Fatalf("%q: %v\n%s", args, err, out)
				}
				return string(out)
			}
			var got []string
			for line := range strings.Lines(printed(test.list)) {
				fields := strings.Fields(line)
				if !strings.HasPrefix(line, "d") {
					got = append(got, "/"+strings.TrimPrefix(fields[len(fields)-1], "/"))
				}
				if !strings.Contains(line, "root") {
					t.Errorf("not root's: %s", line)
				}
			}
			want := append(slices.Clone(common), test.own...)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if got := strings.TrimSpace(printed(test.field)); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// dpkg and rpm take these versions one after another.
func TestSortable(t *testing.T) {
	var before string
	for _, test := range []struct{ tag, want string }{
		{"88aa54174de4", "0~g88aa54174de4"}, {"v0.1.0-rc.1", "0.1.0~rc.1"}, {"v0.1.0", "0.1.0"},
		{"v0.1.0-12-g88aa54174de4", "0.1.0+12.g88aa54174de4"}, {"v0.1.1-rc.1-3-g88aa54174de4", "0.1.1~rc.1+3.g88aa54174de4"}, {"v0.1.1", "0.1.1"},
	} {
		got := release{tag: test.tag, version: strings.TrimPrefix(test.tag, "v")}.sortable()
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.tag, got, test.want)
		}
		if dpkg, err := exec.LookPath("dpkg"); err == nil && before != "" && exec.Command(dpkg, "--compare-versions", before, "lt", got).Run() != nil {
			t.Errorf("dpkg: %s does not come before %s", before, got)
		}
		if rpm, err := exec.LookPath("rpm"); err == nil && before != "" {
			compare := fmt.Sprintf(`%%{lua: print(rpm.vercmp("%s", "%s"))}`, before, got)
			if out, err := exec.Command(rpm, "--eval", compare).Output(); err != nil || strings.TrimSpace(string(out)) != "-1" {
				t.Errorf("rpm: %s does not come before %s: %s, %v", before, got, out, err)
			}
		}
		before = got
	}
}

// A release has an entry in the changes; commits between releases have that of what is not released.
func TestNews(t *testing.T) {
	const changes = "# Changes\n\n## Unreleased\n\n- new\n\n## v0.2.0\n\n- newer\n\n## v0.1.0\n"
	for tag, want := range map[string]string{
		"v0.2.0": "- newer\n", "v0.2.0-3-g88aa54174de4": "- new\n", "88aa54174de4": "- new\n", "v0.1.0": "", "v0.3.0": "",
	} {
		got, err := release{tag: tag}.news(changes)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v; want %q", tag, got, err, want)
		}
	}
	kept, err := os.ReadFile("../../.github/CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	tag, _ := exec.Command("git", "describe", "--tags", "--always", "--abbrev=12").Output()
	if _, err := (release{tag: strings.TrimSpace(string(tag))}).news(string(kept)); err != nil {
		t.Error(err)
	}
}

// Commands of the environment may change what they sign, and stop the release.
func TestSign(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a program")
	if err := os.WriteFile(name, []byte("program"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HUBBENCH_SIGN_DARWIN", "printf ' signed' >>")
	t.Setenv("HUBBENCH_SIGN_SUMS", "false")
	for _, kind := range []string{"darwin", "windows"} { // no command signs for windows
		sign(kind, name)
	}
	if got, err := os.ReadFile(name); string(got) != "program signed" {
		t.Errorf("%q, %v", got, err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a command that fails does not stop the release")
		}
	}()
	sign("sums", name)
}

// What is linked and bundled, each with its licence in the archive, in a list that CycloneDX's schema allows.
func TestContents(t *testing.T) {
	t.Chdir("../..")
	if _, err := os.Stat("internal/tell/report/html/node_modules/echarts"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("make build with npm fetches what is bundled: ", err)
	}
	parts, licences := contents(targets())
	names := map[string]string{}
	for _, p := range parts {
		names[p.name] = p.licence
		if !slices.ContainsFunc(licences, func(f file) bool {
			return strings.HasPrefix(f.name, "licenses/"+p.name+"@"+p.version+"/") && len(f.data) > 0
		}) {
			t.Errorf("no text for %s %s (%s)", p.name, p.version, p.licence)
		}
	}
	for name, want := range map[string]string{
		"echarts": "Apache-2.0 AND BSD-3-Clause", "zrender": "BSD-3-Clause", "tslib": "0BSD", "std": "BSD-3-Clause", "axe-core": "",
		"github.com/spf13/cobra": "Apache-2.0", "github.com/hanwen/go-fuse/v2": "BSD-3-Clause", // linked on Linux and macOS
		"github.com/inconshreveable/mousetrap": "Apache-2.0", // on Windows
		"github.com/golang/freetype":           "FTL OR GPL-2.0-or-later",
	} {
		if names[name] != want {
			t.Errorf("%s: licence %q, want %q", name, names[name], want)
		}
	}
	r := release{"v1.2.3", "1.2.3", commit, t.TempDir(), ""}
	r.bill(parts)
	library := output(nil, "go", "list", "-modfile=.tools/go.mod", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go")
	compiler := jsonschema.NewCompiler()
	for _, name := range []string{"bom-1.6.schema.json", "spdx.schema.json", "jsf-0.82.schemax.json"} {
		schema, err := os.Open(filepath.Join(library, "schema", name))
		if err != nil {
			t.Fatal(err)
		}
		defer schema.Close()
		value, err := jsonschema.UnmarshalJSON(schema)
		if err != nil {
			t.Fatal(err)
		}
		id := "http://cyclonedx.org/schema/" + strings.Replace(name, "schemax", "schema", 1)
		if err := compiler.AddResource(id, value); err != nil {
			t.Fatal(err)
		}
	}
	schema, err := compiler.Compile("http://cyclonedx.org/schema/bom-1.6.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.Open(filepath.Join(r.out, "hubbench_1.2.3.cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	value, err := jsonschema.UnmarshalJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Error(err)
	}
}

// What workflows run from elsewhere is named by its commit, and their permissions are said.
func TestWorkflows(t *testing.T) {
	names, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(names) < 2 {
		t.Fatalf("workflows: %q, %v", names, err)
	}
	pinned := regexp.MustCompile(`uses: [\w./-]+@[0-9a-f]{40} # v\d`)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "\npermissions:") {
			t.Errorf("%s does not say what it may do", name)
		}
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "uses:") && !pinned.MatchString(line) {
				t.Errorf("%s: not pinned by commit: %s", name, line)
			}
		}
	}
}
