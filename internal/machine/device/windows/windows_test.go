package windows

import (
	"strings"
	"testing"
)

// The script is an argument of a command line, in which a double quote would need escapes, and it
// changes nothing.
func TestScript(t *testing.T) {
	script := Script()
	if strings.Contains(script, `"`) || len(script) > 16_000 {
		t.Errorf("the script has %d bytes, or double quotes", len(script))
	}
	for _, word := range []string{"Set-", "Remove-", "Clear-", "Format-Volume", "Initialize-",
		"New-Partition", "Invoke-"} {
		if strings.Contains(script, word) {
			t.Errorf("the script says %s: it is to change nothing", word)
		}
	}
	// What Parse reads, the script gives.
	for _, name := range []string{
		"Disks =", "PhysicalDisks =", "Partitions =", "Volumes =", "Drives =", "LogicalDisks =",
		"Devices =", "BitLocker =", "Battery =", "Computer =", "System =", "Processor =",
		"Failed =", "AdapterSerialNumber", "FirmwareRevision", "SizeRemaining", "PNPDeviceID",
		"RemovalPolicy", "CurrentLinkWidth", "Protection =",
	} {
		if !strings.Contains(script, name) {
			t.Errorf("the script does not give %s", name)
		}
	}
}
