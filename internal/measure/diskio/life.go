package diskio

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// fileState is where a test file is in its life. The steps from state to state are the functions
// below, in their order, for every test file of a job: its own, those written before the release,
// those that fill the volume and those of streams. Other code only drops closed files from the
// cache, looks at what is cached of them, and removes them.
//
//	planned  open   opened
//	listed   open   opened    to be read, or written again
//	opened   move   opened    any number of times; streams make their requests themselves
//	opened   close  closed    no engine has it any more
//	closed   keep   listed    or removed, if it is new and has holes
//	closed   aside            its content is wrong: kept as evidence
//
// A file that is not listed when the job ends is removed with the folder.
type fileState int

const (
	planned fileState = iota // it has a number and a size
	opened                   // its space is reserved, and the engine has it
	closed                   // its size may be that of whole sectors
	listed                   // whole, and in the folder's list
)

// file is a test file that the job uses.
type file struct {
	record
	testFile // while it is opened
	state    fileState
	op       trace.Role
	place    int // in the engine
}

// plan numbers a file that the job is about to write.
func (m *mover) plan(size int64) record {
	return record{Number: m.folder.Number(), Size: size, Unit: unitOf(m.job.IO.Block),
		Period: m.period(), Keep: m.job.IO.Keep}
}

// open opens a file for the engine's requests. A new one is made, after room for it.
func (m *mover) open(r record, op trace.Role, place int) (*file, error) {
	f := &file{record: r, op: op, place: place}
	if m.folder.Has(r.Number) {
		f.state = listed
	}
	fresh := op == trace.Write && f.state == planned && !r.Fill
	if fresh && m.job.IO.Footprint > 0 {
		if err := m.folder.MakeRoom(r.Size, m.job.IO.Footprint); err != nil {
			return nil, err
		}
	}
	var err error
	if f.testFile, err = m.openFile(r, opening{op: op, again: f.state == listed,
		direct: m.traits.direct, lanes: len(m.slots)}); err != nil {
		return nil, err
	}
	f.state = opened
	if fresh && m.job.IO.Preallocate && m.traits.reserveErr == nil && !m.inOrder {
		if err := m.reserve(f); err != nil {
			err = fmt.Errorf("allocate test file %s: %w", r.Name(), err)
			return nil, errors.Join(err, f.close())
		}
	}
	if err := m.engine.attach(place, f.testFile); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// openFile opens a test file as it is, or creates it.
func (m *mover) openFile(r record, o opening) (testFile, error) {
	f, err := m.system.open(m.folder.Root, r.Name(), o)
	if err != nil {
		verb := "open"
		if o.op == trace.Write && !o.again {
			verb = "create"
		}
		return nil, fmt.Errorf("%s test file %s: %w", verb, r.Name(), err)
	}
	return f, nil
}

// reserve makes room for a new file, to be written in any order. If that fails in the middle of a
// job, the file is written anyway, and the job says so; a volume that is full would only fail
// later.
func (m *mover) reserve(f *file) error {
	size := m.padded(f.Size)
	err := f.testFile.reserve(size)
	if err == nil && m.traits.declareErr == nil {
		err = f.declare(size)
	}
	if err == nil || m.release == 0 || isFull(err) {
		return err
	}
	if len(m.LateWarnings()) == 0 { // one is enough
		m.warn("space could not be reserved for file %d of the job (%v): if that happens, the "+
			"time of allocation is part of the measurement", m.nextSeq, err)
	}
	return nil
}

// move does the timed part: requests and flush.
func (m *mover) move(ctx context.Context, t *transfer, flush string) error {
	err := m.engine.move(ctx, t, m.slots)
	if t.startNS > 0 {
		t.latencies.tick(t.now() - t.release) // the last request has ended, in whichever slot
	}
	if err == nil && t.op == trace.Write {
		err = t.file.flush(flush)
	}
	t.endNS = t.now()
	return err
}

// close takes a file from the engine and closes it. It does nothing to one that is not open.
func (m *mover) close(f *file) error {
	if f == nil || f.state != opened {
		return nil
	}
	f.state = closed
	return errors.Join(m.engine.attach(f.place, nil), f.testFile.close())
}

// keep gives a file that was written in whole sectors its size, and lists it. A new one with holes
// is useless: the cap has ended it, and it goes.
func (m *mover) keep(f *file, moved int64) error {
	if moved < f.Size && !m.folder.Has(f.Number) {
		return m.folder.Root.Remove(f.Name())
	}
	if m.padded(f.Size) > f.Size {
		if err := m.folder.Truncate(f.record); err != nil {
			return err
		}
	}
	f.state = listed
	if !m.folder.Has(f.Number) {
		m.folder.Add(f.record)
	}
	return nil
}

// setAside keeps a file whose content is wrong as evidence, and completes the error about it.
func (m *mover) setAside(err error, r record) error {
	mismatch, wrong := errors.AsType[*Mismatch](err)
	if !wrong {
		return err
	}
	name, keepErr := m.folder.Evidence(r) // the caller has closed it
	mismatch.File = filepath.Join(m.folder.Path, name)
	if m.traits.fills() {
		mismatch.FileSystem = m.traits.fileSystem
	}
	return errors.Join(err, keepErr)
}

// moveUntimed takes a file through its life outside the files' times, in blocks of that size, and
// reports its progress as such. What is written is on the medium then, whatever the job's own
// flush: bytes still on their way would slow what follows. What is read comes from there.
func (m *mover) moveUntimed(
	ctx context.Context, r record, op trace.Role, block int64, how checking,
) error {
	f, err := m.open(r, op, 0)
	if err != nil {
		return err
	}
	t := m.newTransfer(f)
	t.setBlock(block)
	t.checking = how
	t.sample = func(bytes, _, _ int64) {
		m.reportBackground(m.backgroundDone + bytes)
		if op == trace.Read {
			m.countReadBack(bytes)
		}
	}
	if op == trace.Read && !m.traits.direct {
		err = m.evict(f)
	}
	if err == nil {
		err = m.move(ctx, t, m.traits.fullest())
		m.countBackground(t.size)
	}
	err = errors.Join(err, m.close(f))
	if err == nil && op == trace.Write {
		err = m.keep(f, t.done.Load())
	}
	return err
}

// readBack reads the file once more, untimed, and compares it with what must have been written.
func (m *mover) readBack(ctx context.Context, r record, how checking) error {
	block := max(m.job.IO.Block/r.Unit, 1) * r.Unit
	m.countReadBack(0)
	err := m.moveUntimed(ctx, r, trace.Read, block, how)
	m.readBackBytes += m.padded(r.Size)
	m.countReadBack(0)
	if m.op() == trace.Write {
		m.refill()
	}
	return err
}

// readBackEveryNS is the minimum time between two counts of what was read back.
const readBackEveryNS = 1e9

// countReadBack emits what was read back so far, with the bytes of the file at hand, unless it just
// has.
func (m *mover) countReadBack(bytes int64) {
	if nowNS := m.timing.now() - m.release; nowNS >= m.readBackNS+readBackEveryNS {
		m.readBackNS = nowNS
		m.emitReadBack(bytes)
	}
}

func (m *mover) emitReadBack(bytes int64) {
	m.emit(trace.Event{Type: trace.GaugeType, Name: trace.ReadBack,
		TNS: m.timing.now() - m.release, Value: float64(m.readBackBytes + bytes)})
}

// newTransfer returns the sequential transfer of an open file, with only its start and end timed.
func (m *mover) newTransfer(f *file) *transfer {
	t := &transfer{file: f.testFile, op: f.op, size: f.Size, want: f.Size, padded: m.padded(f.Size),
		stamps: m.stamper(f.record), release: m.release, sampleNS: m.sampleNS, now: m.timing.now}
	t.setBlock(m.job.IO.Block)
	if m.job.IO.Mode == scenario.ModeApp && f.op == trace.Write {
		t.stamps.put(m.buf[:min((t.size+dataUnit-1)/dataUnit*dataUnit, appBytes)], 0, 0)
	}
	if !m.traits.direct && m.job.IO.Mode == scenario.ModeDirect {
		stretch := int64(settleBytes)
		if m.job.Pace > 0 { // what is pushed out at once is no burst
			stretch = min(stretch, int64(m.job.Pace/settlesPerSecond))
		}
		t.settle = max(stretch/t.block, 1) * t.block
	}
	return t
}

// stamper stamps and checks a file of the job's.
func (m *mover) stamper(r record) stamper {
	return stamper{tag: tagOf(m.job.RunID, m.job.Disk), file: uint32(r.Number), unit: r.Unit,
		period: r.Period, size: r.Size}
}

// padded returns a size in whole sectors.
func (m *mover) padded(size int64) int64 {
	sector := m.traits.sector
	return (size + sector - 1) / sector * sector
}
