package coordinator

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/measure/testfolder"
	"github.com/hubbench/hubbench/internal/measure/wire"
	"github.com/hubbench/hubbench/internal/watch"
	"github.com/hubbench/hubbench/pkg/scenario"
)

const (
	// cleanTimeout is how long a run that is over waits for its janitor; one whose disk hangs goes
	// on by itself.
	cleanTimeout = 5 * time.Second
	// killedTimeout is how long one waits that was interrupted twice.
	killedTimeout = time.Second
)

// Janitor is a process that outlives the run, however that ends, and then removes its test files:
// those that a phase leaves for the next one have no worker, and a coordinator that was killed
// cleans up nothing. If the janitor was killed as well, whoever is left does its work: the
// coordinator, or the workers that have lost that too (see worker).
//
// A worker blocked by a disk may go on, and make its folder, when the disk is back. All workers
// hold the write end of its pipe: when that ends the last of them has, and the janitor looks once
// more.
type Janitor struct {
	runID   string
	folders []string
	stdin   io.WriteCloser
	pipe    *os.File      // pipe is its write end; nil if processes inherit no files.
	over    chan struct{} // over is closed when the run is over.
	done    chan cleaned  // done gets one for each folder, from the janitor.
}

// cleaned is what the janitor says of a folder when it has done what it can.
type cleaned struct {
	Folder    string `json:"folder"`
	Complaint string `json:"complaint,omitempty"` // Complaint is about what is left.
}

// NewJanitor starts the janitor of a run with test files in those folders, by the command that is
// hubbench with these arguments; nil if there are none.
func NewJanitor(
	ctx context.Context, command func(args ...string) *exec.Cmd, runID string,
	folders []string, log *zap.Logger,
) (*Janitor, error) {
	s := newStarter(ctx, watch.Watch{}, nil)
	defer s.close()
	return newJanitor(s, command, runID, folders, log)
}

func newJanitor(
	s *starter, command func(args ...string) *exec.Cmd, runID string,
	folders []string, log *zap.Logger,
) (*Janitor, error) {
	if len(folders) == 0 {
		return nil, nil
	}
	j := &Janitor{
		runID: runID, folders: folders, done: make(chan cleaned, 2*len(folders)),
		over: make(chan struct{}),
	}
	args := append([]string{runID}, folders...)
	var end *os.File               // The janitor inherits this end of its pipe.
	if runtime.GOOS != "windows" { // Processes inherit no files on Windows.
		var err error
		if end, j.pipe, err = os.Pipe(); err != nil {
			return nil, fmt.Errorf("open the clean-up process's pipe: %w", err)
		}
		defer end.Close()
		args = append([]string{JanitorPipeFlag}, args...)
	}
	cmd := command(append([]string{"janitor"}, args...)...)
	inherit(cmd, end)
	stdin, stdout, err := s.start(cmd)
	if err != nil {
		return nil, fmt.Errorf("start clean-up process: %w", err)
	}
	j.stdin = stdin
	log.Info("clean-up process started", zap.Int("pid", cmd.Process.Pid))
	go func() {
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			var c cleaned
			if json.Unmarshal(lines.Bytes(), &c) == nil {
				j.done <- c
			}
		}
		if err := cmd.Wait(); err != nil {
			log.Warn("the clean-up process has failed: the test files are removed without it",
				zap.Error(err))
			held := holds{}
			for _, folder := range folders {
				held.until(j.over, folder, runID)
			}
			<-j.over
			testfolder.RemoveRuns(folders, runID, func(folder string, err error) {
				j.done <- cleanedOf(folder, errors.Join(held.renamed(folder), err))
			})
		}
		close(j.done)
	}()
	return j, nil
}

// Hold has hubbench clean kept from the run's test folder in a disk's folder, which is there now,
// until the janitor removes it. A disk that hangs holds up no one else.
func (j *Janitor) Hold(folder string) {
	line, _ := json.Marshal(folder) // a string has no error
	_, _ = j.stdin.Write(append(line, '\n'))
}

// holds are the folders whose test folders are held: each says, when it is not any longer, whether
// somebody has renamed its test folder.
type holds map[string]chan error

// until holds the run's test folder in a folder until over is closed.
func (h holds) until(over <-chan struct{}, folder, runID string) {
	renamed := make(chan error, 1)
	h[folder] = renamed
	go func() {
		defer close(renamed)
		release, err := testfolder.HoldRun(folder, runID)
		if err != nil {
			return // Without it, hubbench clean takes this run for one that was killed.
		}
		<-over
		renamed <- release()
	}()
}

// renamed tells that a test folder was renamed, so that it is left. It waits for no disk that
// hangs.
func (h holds) renamed(folder string) error {
	if h[folder] == nil {
		return nil
	}
	select {
	case err := <-h[folder]:
		return err
	case <-time.After(killedTimeout):
		return nil
	}
}

// JanitorPipeFlag says that the janitor has inherited its pipe, as JanitorPipeFile.
const (
	JanitorPipeFlag = "--pipe"
	JanitorPipeFile = 3
)

// inherit has a process hold an open file, the first after stdin, stdout and stderr.
func inherit(cmd *exec.Cmd, file *os.File) {
	if file != nil {
		cmd.ExtraFiles = []*os.File{file}
	}
}

// Finish lets the janitor do its work, and returns what could not be removed, or not yet. hangs are
// the folders of disks whose workers have not exited. After kill it waits no longer than it must.
func (j *Janitor) Finish(kill <-chan struct{}, hangs map[string]bool) (complaints []string) {
	if j == nil {
		return nil
	}
	close(j.over)
	// Its signal to begin, even if another process, such as one that does not start, still holds
	// the pipe.
	_, _ = j.stdin.Write([]byte{'\n'})
	_ = j.stdin.Close()
	// Else the end of this process ends it: one of its threads may hang.
	if j.pipe != nil && len(hangs) == 0 {
		_ = j.pipe.Close()
	}
	left := map[string]bool{}
	for _, folder := range j.folders {
		left[folder] = true
	}
	timeout := time.After(cleanTimeout)
	for waits := true; waits && len(left) > len(hangs); {
		select {
		case c, more := <-j.done:
			if !more { // It has ended, and has no more to say.
				left = hangs
				waits = false
				continue
			}
			if hangs[c.Folder] {
				continue
			}
			delete(left, c.Folder)
			if c.Complaint != "" {
				complaints = append(complaints, c.Complaint)
			}
		case <-kill:
			kill = nil
			timeout = time.After(killedTimeout)
		case <-timeout:
			waits = false
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(left)) {
		complaints = append(complaints, fmt.Sprintf("test files may be left in %s, or appear "+
			"there, as .hubbench-%s, when a disk that hangs is back; then run hubbench clean %s",
			folder, j.runID, folder))
	}
	return complaints
}

// Clean is the janitor's work: it holds the folders that stdin names, and when stdin ends, or has an
// empty line, it removes the run's test files in all folders, and says of each what it could not.
// When its pipe ends too, it removes what came after that; nil: there is none.
func Clean(stdin io.Reader, stdout io.Writer, pipe io.Reader, runID string, folders []string) {
	over, held := make(chan struct{}), holds{}
	for lines := bufio.NewScanner(stdin); lines.Scan(); {
		var folder string
		if json.Unmarshal(lines.Bytes(), &folder) != nil {
			break
		}
		held.until(over, folder, runID)
	}
	close(over)
	out := json.NewEncoder(stdout)
	// A coordinator that is gone cannot be reached.
	testfolder.RemoveRuns(folders, runID, func(folder string, err error) {
		_ = out.Encode(cleanedOf(folder, errors.Join(held.renamed(folder), err)))
	})
	if pipe != nil {
		_, _ = io.Copy(io.Discard, pipe)
		testfolder.RemoveRuns(folders, runID, func(string, error) {})
	}
}

// cleanedOf says what could not be removed in a folder.
func cleanedOf(folder string, err error) cleaned {
	c := cleaned{Folder: folder}
	if err != nil {
		why := strings.ReplaceAll(err.Error(), "\n", "; ")
		c.Complaint = fmt.Sprintf("test files left in %s: %s; try hubbench clean %s",
			folder, why, folder)
	}
	return c
}

// child is a worker process and what is known of it.
type child struct {
	job    scenario.Job
	cmd    *exec.Cmd
	conn   *wire.Conn
	stderr *stderrLog

	greeted  bool // its first message has come
	ready    bool
	done     bool   // done says that it said so itself.
	gone     bool   // gone says that it exited.
	killed   string // killed is why we killed it; empty if we did not.
	killedAt time.Time
	mute     watch.Silence // since it said something
	silence  watch.Silence // since its job has gone on, while it said something
	bytes    int64
	prepared int64 // prepared is what it has written outside its files' times.
	outbox   chan wire.Message
	files    int // files are those of its work that have ended.
}

// report is a message from a child, or, if exited is set, its end.
type report struct {
	from    *child
	message wire.Message
	exited  bool
	err     error // err is that of the exit.
}

// newChild starts a worker; what it says goes to reports until its exit, which is always the last.
func newChild(
	s *starter, cmd *exec.Cmd, stderr *stderrLog, job scenario.Job, reports chan<- report,
) (*child, error) {
	cmd.Stderr = stderr
	DieWithParent(cmd, ParentDied)
	stdin, stdout, err := s.start(cmd)
	if err != nil {
		return nil, fmt.Errorf("start worker: %w", err)
	}
	c := &child{job: job, cmd: cmd, conn: wire.NewConn(stdout, stdin), stderr: stderr,
		outbox: make(chan wire.Message, outboxSize)}
	go func() { // It runs until leave.
		for m := range c.outbox {
			_ = c.conn.Send(m) // A worker that cannot be reached is about to exit.
		}
	}()
	go func() {
		var broken error
		for {
			m, err := c.conn.Receive()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					broken = err
					_ = cmd.Process.Kill() // It cannot be talked to.
				}
				break
			}
			reports <- report{from: c, message: m}
		}
		err := cmd.Wait()
		reports <- report{from: c, exited: true, err: errors.Join(broken, err)}
	}()
	return c, nil
}

// outboxSize is how many messages a worker may leave unread. A healthy one has read each before the
// next.
const outboxSize = 64

// send sends the worker a message. The pipe to a worker that does not read, such as a stopped one,
// fills up: that holds up no one else.
func (c *child) send(m wire.Message) {
	if c.gone {
		return
	}
	select {
	case c.outbox <- m:
	default:
		c.kill("it does not read its messages")
	}
}

// leave notes that the worker has exited, or that its exit is not waited for.
func (c *child) leave() {
	if !c.gone {
		c.gone = true
		close(c.outbox)
	}
}

// kill ends a worker that does not end by itself. Its exit is reported as any other.
func (c *child) kill(why string) {
	if c.killed == "" {
		c.killed = why
		c.killedAt = time.Now()
	}
	// The one error is that it has already exited.
	_ = c.cmd.Process.Kill()
}

// stderrLog takes one worker's stderr: its log lines go to run.log as they are, anything else (a
// crash of the Go runtime) is wrapped, so that run.log stays JSON, and its first line kept as the
// cause.
type stderrLog struct {
	out   io.Writer
	log   *zap.Logger
	part  []byte
	crash string
}

func (s *stderrLog) Write(data []byte) (int, error) {
	s.part = append(s.part, data...)
	for {
		end := bytes.IndexByte(s.part, '\n')
		if end < 0 {
			return len(data), nil
		}
		line := s.part[:end+1]
		text := string(bytes.TrimSpace(s.part[:end]))
		s.part = s.part[end+1:]
		switch {
		case text == "":
		case text[0] == '{':
			_, _ = s.out.Write(line) // A log that cannot be written must not end a run.
		default:
			s.log.Error("worker stderr", zap.String("text", text))
			s.crash = cmp.Or(s.crash, text)
		}
	}
}
