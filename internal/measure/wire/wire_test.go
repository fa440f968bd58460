package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// TestMain fails if a goroutine outlives the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func messages() []Message {
	return []Message{
		{Kind: JobKind, Job: &Assignment{Simulated: true, Job: diskio.Job{
			Job: scenario.Job{Disk: `</script>"☃`, Role: trace.Write,
				Sizes: []int64{1, 2_000_000_000}, Seed: 1<<64 - 1},
			RunID: "r", Phase: "WWW", Dir: "/d",
		}}},
		{Kind: ReleaseKind, AtNS: 1<<62 + 1},
		{Kind: GrantKind, DoneNS: 7},
		{Kind: EventsKind, Files: 1, Lines: []byte("{\"type\":\"file\"}\n{}\n")},
		{Kind: AskKind, Bytes: 5},
		{Kind: ReadyKind, Effective: &trace.Effective{Engine: "threads", Depth: 4,
			Warnings: []string{"w"}}},
		{Kind: DoneKind, Error: "no space left"},
	}
}

func encoded(t testing.TB, m Message) []byte {
	t.Helper()
	var buf bytes.Buffer
	check.Must(t, NewConn(nil, &buf).Send(m))
	return buf.Bytes()
}

func TestRoundTrip(t *testing.T) {
	var pipe bytes.Buffer
	conn := NewConn(&pipe, &pipe)
	for _, m := range messages() {
		check.Must(t, conn.Send(m))
	}
	for _, want := range messages() {
		got, err := conn.Receive()
		check.Must(t, err)
		check.Same(t, string(want.Kind), want, got)
	}
	if _, err := conn.Receive(); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: got %v, want EOF", err)
	}
}

func TestReceiveRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"a torn head":       {"\x00\x00", "unexpected EOF"},
		"a torn body":       {"\x00\x00\x00\x09{}", "unexpected EOF"},
		"a length too long": {"\xff\xff\xff\xff", "exceeds the limit"},
		"text on the pipe":  {"panic: oh no", "exceeds the limit"},
		"no JSON":           {"\x00\x00\x00\x02hi", "invalid character"},
	} {
		_, err := NewConn(strings.NewReader(tc.in), io.Discard).Receive()
		check.Refused(t, name, err, tc.want)
	}
}

func TestSendFromManyGoroutines(t *testing.T) {
	r, w := io.Pipe()
	conn := NewConn(r, w)
	var senders sync.WaitGroup
	for i := range 8 {
		senders.Go(func() {
			for range 100 {
				if err := conn.Send(Message{Kind: AskKind, Bytes: int64(i + 1)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	counts := map[int64]int{}
	for range 800 {
		m, err := conn.Receive()
		check.Must(t, err)
		counts[m.Bytes]++
	}
	senders.Wait()
	for i := range 8 {
		check.Same(t, fmt.Sprintf("messages of sender %d", i), 100, counts[int64(i+1)])
	}
}

// FuzzReceive: what was received, once sent and received again, is sent as the same bytes.
func FuzzReceive(f *testing.F) {
	for _, m := range messages() {
		f.Add(encoded(f, m))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := NewConn(bytes.NewReader(data), io.Discard).Receive()
		if err != nil {
			return
		}
		want := encoded(t, first)
		second, err := NewConn(bytes.NewReader(want), io.Discard).Receive()
		check.Must(t, err)
		if got := encoded(t, second); !bytes.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
