package progress

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/tell/cells"
)

// redrawEvery keeps a terminal readable and takes little time from the workers.
const redrawEvery = 250 * time.Millisecond

// Sizes assumed for a terminal that does not report its own, or reports one too small to be true.
const (
	usualColumns, usualRows = 80, 24
	minColumns, minRows     = 20, 4
)

// terminal draws a line for each disk, over the ones drawn before. It uses no colour.
type terminal struct {
	w     io.Writer
	size  func() (columns, rows int)
	at    time.Time
	drawn []string // above the cursor
}

func (t *terminal) draw(s *state) {
	if s.now.Sub(t.at) >= redrawEvery {
		t.show(s)
	}
}

func (t *terminal) redraw(s *state) {
	if len(t.drawn) > 0 {
		t.show(s)
	}
}

func (t *terminal) show(s *state) {
	t.at = s.now
	gone := t.erase()
	t.drawn = frame(s, t.columns(), t.rows())
	t.write(gone + strings.Join(t.drawn, "\n") + "\n") // at once, or it flickers
}

func (t *terminal) wipe() { t.write(t.erase()) }

// erase is what takes the drawn lines off the screen. Terminals break lines that a smaller window cannot hold, so these
// may take more rows than when they were drawn. Each row is erased by itself: some terminals keep what is erased
// together, from the top row down, in the lines that can be scrolled back to.
func (t *terminal) erase() string {
	rows := 0
	for _, line := range t.drawn {
		rows += max(1, (cells.Width(line)+t.columns()-1)/t.columns())
	}
	if t.drawn = nil; rows == 0 {
		return ""
	}
	up := fmt.Sprintf("\x1b[%dA", rows)
	return up + strings.Repeat("\x1b[2K\n", rows) + up
}

func (t *terminal) stop(s *state) {
	if len(t.drawn) == 0 {
		t.say(indent, stopping)
	}
	t.redraw(s)
}

func (t *terminal) say(under, text string) {
	paragraph := cells.Wrap(cells.Clean(text), indent[len(under):], t.columns()-1-len(under))
	for i := range paragraph {
		paragraph[i] = under + paragraph[i]
	}
	t.write(strings.Join(paragraph, "\n") + "\n")
}

func (t *terminal) write(text string) {
	_, _ = io.WriteString(t.w, text) // a terminal that is gone must not end a run
}

func (t *terminal) columns() int {
	columns, _ := t.size()
	if columns <= 0 {
		columns = usualColumns
	}
	return max(minColumns, columns)
}

func (t *terminal) rows() int {
	_, rows := t.size()
	if rows <= 0 {
		rows = usualRows
	}
	return max(minRows, rows)
}
