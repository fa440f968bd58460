package diskio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/pkg/trace"
)

// A disk that is filled to a share of its volume holds files of noise beside the test files: of a size that every file
// system takes.
const (
	fillPrefix = "fill-"
	fillFile   = 1 << 30
)

// fill brings the volume to the share of its size that the job asks for; what is there already counts. A volume that is
// full before, because others write to it too, is as full as it can be: the job then begins with a warning.
func (e *real) fill(ctx context.Context, block int64) error {
	files, err := e.folder.fillFiles()
	if err != nil {
		return err
	}
	if e.job.Fill == 0 { // they are of earlier phases
		return e.folder.removeAll(files)
	}
	v, err := filesystem.Volume(e.job.Dir)
	if err != nil {
		return err
	}
	bytes, whole := v.Filling(e.job.Fill, e.job.Space-e.testFiles.bytes)
	if !whole {
		e.warn("the volume cannot be filled to %.0f %% and hold the test files as well: it is filled to %.0f %%", 100*e.job.Fill, 100*float64(v.Used+bytes)/float64(v.Size))
	}
	if used := float64(v.Used) / float64(v.Size); used > e.job.Fill+0.01 {
		e.warn("the volume is to be filled to %.0f %%, and is %.0f %% full already", 100*e.job.Fill, 100*used)
	}
	number := 0
	if len(files) > 0 {
		_, _ = fmt.Sscanf(slices.Max(files), fillPrefix+"%06d.bin", &number)
		number++
	}
	for bytes >= layoutBlock {
		size := min(bytes, fillFile) / layoutBlock * layoutBlock
		r := record{Number: number, Size: size, Unit: unitOf(block), Period: e.period(), Fills: true}
		err := e.writeFill(ctx, r, block)
		if isFull(err) {
			e.warn("the volume was full before it had been filled to %.0f %%: something else writes to it", 100*e.job.Fill)
			return e.folder.root.Remove(r.name())
		}
		if err != nil {
			return fmt.Errorf("fill the volume to %.0f %%: %w", 100*e.job.Fill, err)
		}
		bytes -= size
		number++
	}
	return nil
}

// writeFill writes one file to the medium.
func (e *real) writeFill(ctx context.Context, r record, block int64) error {
	f, err := e.testFiles.openFile(e.system.open, r, opening{op: trace.Write, direct: e.traits.direct, lanes: e.lanes})
	if err != nil {
		return err
	}
	if err := e.mover.attach(f); err != nil {
		return errors.Join(err, f.close())
	}
	_, err = e.writeOpen(ctx, f, r, block)
	return err
}

// fillFiles are the names of the files that fill the volume.
func (f *folder) fillFiles() ([]string, error) {
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", f.path, err)
	}
	var names []string
	for _, entry := range entries {
		if name := entry.Name(); strings.HasPrefix(name, fillPrefix) && isOwn(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

func (f *folder) removeAll(names []string) error {
	for _, name := range names {
		if err := f.root.Remove(name); err != nil {
			return fmt.Errorf("remove the files that filled the volume: %w", err)
		}
	}
	return nil
}
