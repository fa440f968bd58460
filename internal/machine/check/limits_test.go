package check

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// The limits of a process are those of its control groups and of the groups above them, of both
// versions, on the disk under test and not on others.
func TestGroupLimits(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"io.max": "8:0 rbps=max wbps=max riops=max wiops=max\n",
		"system.slice/io.max": "8:16 rbps=1000 wbps=1000 riops=max wiops=max\n" +
			"8:0 rbps=400000000 wbps=max riops=max wiops=5000\n",
		"unified/system.slice/a.service/io.max":             "8:0 rbps=max wbps=3000000\n",
		"blkio/docker/blkio.throttle.write_bps_device":      "8:0 20000000\n",
		"blkio/docker/box/blkio.throttle.read_iops_device":  "8:16 7\n8:0 200\n",
		"blkio/system.slice/blkio.throttle.read_bps_device": "8:0 9\n",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		check.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		check.Must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for _, tt := range []struct {
		groups, number string
		want           []string
	}{
		{"0::/system.slice/a.service\n", "8:0", []string{
			"control group /system.slice limits reading to 400 MB/s on sda",
			"control group /system.slice limits write requests to 5000/s on sda",
			"control group /system.slice/a.service limits writing to 3.00 MB/s on sda",
		}},
		{"5:cpu,blkio:/docker/box\n4:memory:/system.slice/a.service\n", "8:0", []string{
			"control group /docker limits writing to 20.0 MB/s on sda",
			"control group /docker/box limits read requests to 200/s on sda",
		}},
		{"0::/\n", "8:0", nil},
		{"0::/system.slice\n", "8:32", nil},
		{"", "8:0", nil},
	} {
		check.Same(t, tt.groups+tt.number, tt.want, groupLimits(root, tt.groups, tt.number, "sda"))
	}
}
