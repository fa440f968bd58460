package device

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// governed says how Linux holds the processor back to save power, from sysfs; empty if it does not. The governor
// "powersave" means the lowest frequency, except with drivers that choose by themselves, for which it is the usual one and
// the preference shows it: https://docs.kernel.org/admin-guide/pm/intel_pstate.html and amd-pstate.html.
func governed(sys fs.FS) string {
	cpus, err := fs.Glob(sys, "devices/system/cpu/cpu[0-9]*/cpufreq")
	if err != nil || len(cpus) == 0 {
		return ""
	}
	read := func(name string) string {
		text, err := fs.ReadFile(sys, path.Join(cpus[0], name))
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(text))
	}
	driver, governor := read("scaling_driver"), read("scaling_governor")
	chooses := driver == "intel_pstate" || strings.HasPrefix(driver, "amd-pstate") || strings.HasPrefix(driver, "amd_pstate")
	if preference := read("energy_performance_preference"); chooses && preference == "power" {
		return "energy preference " + preference
	}
	if governor == "powersave" && !chooses {
		return "governor " + governor
	}
	return ""
}

// macLowPower reads `pmset -g` of macOS: lowpowermode is 1 in Low Power Mode, of which powermode 1 is another name.
func macLowPower(out []byte) string {
	for line := range bytes.Lines(out) {
		fields := strings.Fields(string(line))
		if len(fields) >= 2 && (fields[0] == "lowpowermode" || fields[0] == "powermode") && fields[1] == "1" {
			return "Low Power Mode"
		}
	}
	return ""
}

// saverScheme is the power plan "Power saver" in every language: Windows' GUID_MAX_POWER_SAVINGS.
const saverScheme = "a1841308-3541-4fab-bc81-f71556f20b4a"

// winPowerSaver reads `powercfg /getactivescheme` of Windows.
func winPowerSaver(out []byte) string {
	if bytes.Contains(bytes.ToLower(out), []byte(saverScheme)) {
		return "power plan Power saver"
	}
	return ""
}

// howToWake says what to do about what is held back.
func howToWake(saving string) string {
	switch {
	case strings.HasPrefix(saving, "governor"):
		return fmt.Sprintf("set it with `%s`", "cpupower frequency-set -g performance")
	case strings.HasPrefix(saving, "energy"):
		return "set it with `powerprofilesctl set performance`"
	case strings.HasPrefix(saving, "Low Power"):
		return "turn it off in System Settings > Battery"
	}
	return "choose Balanced or High performance"
}
