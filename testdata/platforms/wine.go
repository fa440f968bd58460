package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// prepareWine makes a Windows of its own in tmp and makes two of Wine 8's shortcomings good that would stop any Go
// program: it lacks bcryptprimitives.dll, from which Go takes random numbers, and it does not know how to remove an
// open file by the newest of the ways that Go tries.
func prepareWine(tmp string) (emulator, error) {
	prefix := filepath.Join(tmp, "wine")
	env := []string{"WINEPREFIX=" + prefix, "WINEDEBUG=-all"}
	fixed := fixedAddresses()
	e := emulator{env: env, args: []string{"-exec", strings.Join(append(fixed, "wine"), " ")}, close: func() {
		end := exec.Command("wineserver", "-k") // the one of this prefix
		if _, err := exec.LookPath("wineserver"); err != nil {
			end = exec.Command("/usr/lib/wine/wineserver", "-k") // where Debian puts it
		}
		end.Env = append(os.Environ(), env...)
		_ = end.Run()
	}}
	start := append(fixed, "wineboot", "-i")
	if _, err := exec.LookPath("wineboot"); err != nil {
		start = append(fixed, "wine", "wineboot", "-i")
	}
	boot := exec.Command(start[0], start[1:]...)
	boot.Env = append(os.Environ(), env...)
	if out, err := boot.CombinedOutput(); err != nil {
		return e, fmt.Errorf("set up Wine: %w\n%s", err, out)
	}
	if err := addRandom(tmp, filepath.Join(prefix, "drive_c", "windows", "system32")); err != nil {
		return e, err
	}
	overlay, err := removeTheOldWay(tmp)
	e.args = append(e.args, "-overlay", overlay)
	return e, err
}

// fixedAddresses is what to put before a command to run it without random addresses; nothing if that is not
// allowed. With them, Wine 8 finds an address that it needs taken in one process of some thousands, which then
// fails.
func fixedAddresses() []string {
	if exec.Command("setarch", "-R", "true").Run() != nil {
		return nil
	}
	return []string{"setarch", "-R"}
}

// addRandom makes bcryptprimitives.dll, whose only function is another library's RtlGenRandom.
func addRandom(tmp, system string) error {
	definition, object := filepath.Join(tmp, "random.def"), filepath.Join(tmp, "random.o")
	text := "LIBRARY bcryptprimitives.dll\nEXPORTS\n  ProcessPrng=advapi32.SystemFunction036\n"
	if err := os.WriteFile(definition, []byte(text), 0o644); err != nil {
		return err
	}
	return errors.Join(
		command("x86_64-w64-mingw32-dlltool", "-d", definition, "-e", object),
		command("x86_64-w64-mingw32-ld", "-shared", "-e", "0", "-o", filepath.Join(system, "bcryptprimitives.dll"), object),
	)
}

// removeTheOldWay makes an overlay of Go's library in which Wine's answer to FileDispositionInformationEx, that it
// is not implemented, counts as those do that Windows gives if it lacks it. Go then removes the file by the older
// call.
func removeTheOldWay(tmp string) (string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	library := filepath.Join(strings.TrimSpace(string(root)), "src", "internal", "syscall", "windows", "at_windows.go")
	text, err := os.ReadFile(library)
	if err != nil {
		return "", err
	}
	changed := bytes.Replace(text, []byte("case STATUS_INVALID_INFO_CLASS,"), []byte("case NTStatus(0xC0000002), STATUS_INVALID_INFO_CLASS,"), 1)
	if bytes.Equal(text, changed) {
		return "", fmt.Errorf("%s: no case for STATUS_INVALID_INFO_CLASS to add STATUS_NOT_IMPLEMENTED to; see how this Go removes a file", library)
	}
	mine, overlay := filepath.Join(tmp, "at_windows.go"), filepath.Join(tmp, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {library: mine}})
	if err != nil {
		return "", err
	}
	return overlay, errors.Join(os.WriteFile(mine, changed, 0o644), os.WriteFile(overlay, replace, 0o644))
}
