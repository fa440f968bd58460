package trace_test

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/trace"
)

// Another tool's log becomes a run of hubbench with one line for each file.
func ExampleAppendEvent() {
	var lines []byte
	for seq := range 3 {
		lines = trace.AppendEvent(lines, &trace.Event{
			Type: trace.FileType, Phase: "backup", Disk: "A", Op: trace.Write,
			Seq: seq, Bytes: 1e9, StartNS: int64(seq) * 5e8, EndNS: int64(seq)*5e8 + 4e8,
		})
	}
	run, err := trace.Load(strings.NewReader(string(lines)), "backup.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, phase := range run.Phases {
		for _, disk := range phase.Disks {
			fmt.Println(phase.Name, disk.Name, disk.Op, len(disk.Files), "files")
		}
	}
	// Output: backup A write 3 files
}
