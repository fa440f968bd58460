package policy

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/trace"
)

func TestBoth(t *testing.T) {
	file := trace.Event{Type: trace.FileType, Disk: "A", Op: trace.Write, Seq: 3, Bytes: 100, StartNS: 1, EndNS: 9}
	reads, writes := Both(file, 70)
	wantReads := trace.Event{Type: trace.FileType, Disk: "A", Op: trace.Read, Seq: 6, Bytes: 70, StartNS: 1, EndNS: 9}
	wantWrites := trace.Event{Type: trace.FileType, Disk: "A", Op: trace.Write, Seq: 7, Bytes: 30, StartNS: 1, EndNS: 9}
	if diff := cmp.Diff([]trace.Event{wantReads, wantWrites}, []trace.Event{reads, writes}); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	progress := trace.Event{Type: trace.ProgressType, Disk: "A", Seq: 0, Bytes: 10, TNS: 5}
	reads, writes = Both(progress, 4)
	if reads.Bytes != 4 || reads.Seq != 0 || writes.Bytes != 6 || writes.Seq != 1 || reads.Op != "" {
		t.Errorf("progress: got %+v and %+v", reads, writes)
	}
}
