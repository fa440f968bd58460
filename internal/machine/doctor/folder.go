package doctor

import (
	"fmt"
	"runtime"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// need is the maximum size of the checks' test files.
const need = largest + spareBytes

func judgePlace(p device.Place) trace.Check {
	switch {
	case p.Writable != nil:
		advice := "choose a folder that you may write to"
		if runtime.GOOS == "darwin" {
			advice += "; for a removable disk, allow your terminal in System Settings > Privacy & Security > Files and Folders"
		}
		return fail("not writable: "+p.Writable.Error(), "Nothing can be measured in this folder.", advice)
	case p.Size == 0:
		return pass("writable, free space not known", "Test files can be written, if there is room.")
	case p.Free < need:
		return fail(unit.FormatBytes(p.Free)+" free", fmt.Sprintf("The checks need %s.", unit.FormatBytes(need)), "free some space")
	}
	return pass(fmt.Sprintf("writable, %s free", unit.FormatBytes(p.Free)), "Test files can be written.")
}

// judgeFolder takes what was wrong with a test folder; nil for nothing.
func judgeFolder(err error) trace.Check {
	if err != nil {
		return fail(err.Error(), "Test files might not be removed, or be removed while another run uses them.", "use a file system of the computer's own (APFS, exFAT, NTFS, ext4, XFS), not one on a network, and hubbench clean to remove what is left")
	}
	return pass("created, locked and removed", "Test files are safe from other runs, and are removed.")
}
