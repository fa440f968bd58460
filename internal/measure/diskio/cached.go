package diskio

import (
	"os"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Cached looks at what the job has left: a file system may take direct requests and keep their pages, and macOS reads from
// those that are there. Only whole pages count, since cutting a file to its size fetches the last. What a later file of the
// job has replaced is not looked at.
func (e *real) Cached() (share float64, ok bool) {
	if !e.traits.direct || e.job.IO.Mode != scenario.ModeDirect || e.cachesWrites() {
		return 0, false
	}
	files := e.files
	if len(files) == 0 {
		files = e.testFiles.since(e.first)
	}
	page := int64(os.Getpagesize())
	var bytes, cached int64
	for _, r := range files {
		whole := r.Size / page * page
		if whole == 0 {
			continue
		}
		f, err := e.testFiles.openFile(e.system.open, r, opening{op: trace.Read, direct: true, lanes: 1})
		if err != nil {
			return 0, false // one that is gone cannot be looked at
		}
		held := f.cached(whole)
		if f.close() != nil || held < 0 {
			return 0, false
		}
		bytes, cached = bytes+whole, cached+held
	}
	if bytes == 0 {
		return 0, false
	}
	return float64(cached) / float64(bytes), true
}
