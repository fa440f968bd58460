package export

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/trace"
)

func TestCSV(t *testing.T) {
	run := &trace.Run{Phases: []*trace.Phase{{
		Name: "W, \"both\"",
		Disks: []*trace.DiskTrace{
			{Name: "A", Op: trace.Write, Files: []trace.File{
				{Seq: 0, Bytes: 1e9, StartNS: 1200, EndNS: 500_001_200},
				{Seq: 1, Bytes: 0, StartNS: 6e8, EndNS: 7e8},
			}},
			{Name: "=cmd(\x1b\a\u202e)", Op: trace.Read, Files: []trace.File{{Seq: 7, Bytes: 3, StartNS: -5, EndNS: 2e9, Filler: true}}},
		},
	}}}
	var out strings.Builder
	if err := CSV(&out, run); err != nil {
		t.Fatal(err)
	}
	want := `phase,disk,op,seq,bytes,start_s,end_s,rate,filler,simulated
"W, ""both""",A,write,0,1000000000,0.000001200,0.500001200,2000000000,false,false
"W, ""both""",A,write,1,0,0.600000000,0.700000000,,false,false
"W, ""both""",'=cmd(··),read,7,3,-0.000000005,2.000000000,1,true,false
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEmptyRunHasAHead(t *testing.T) {
	var out strings.Builder
	if err := CSV(&out, &trace.Run{}); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "phase,disk,op,seq,bytes,start_s,end_s,rate,filler,simulated\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
