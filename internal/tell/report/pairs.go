package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// task is a disk and what it does.
type task struct {
	disk string
	role trace.Role
}

func (r *runDoc) task(w task) string { return r.label(w.disk) + " " + string(w.role) + "s" }

// pair is what a disk kept of its baseline beside one other.
type pair struct {
	victim, neighbour task
	kept              *float64 // nil if it is unknown
	ci                *stats.Interval
	why               string // it is unknown
	phase             string // where the first of them is shown
}

// pairs are what disks keep beside one other, and the tasks that they are of, in the order of
// disks, reads first.
func (r *runDoc) pairs() (tasks []task, list []pair) {
	known := map[task]bool{}
	places := map[[2]task]int{} // in the list
	for i, phase := range r.a.Phases {
		if phase.Contention == nil || len(phase.Disks) != 2 {
			continue
		}
		for _, key := range r.Keys {
			_, works := phase.Contention.Disks[key.Name]
			if !works || phase.Paced[key.Name].IsPaced() {
				continue
			}
			p := r.pairIn(i, key.Name)
			if p.kept != nil {
				known[p.victim] = true
				known[p.neighbour] = true
			}
			tasks := [2]task{p.victim, p.neighbour}
			if at, again := places[tasks]; !again {
				places[tasks] = len(list)
				list = append(list, p)
			} else if list[at].kept == nil {
				list[at] = p
			}
		}
	}
	for _, key := range r.Keys {
		for _, role := range []trace.Role{trace.Read, trace.Write} {
			if w := (task{key.Name, role}); known[w] {
				tasks = append(tasks, w)
			}
		}
	}
	return tasks, list
}

// pairIn is what a disk keeps beside the other one of a phase, by the analysis' effects.
func (r *runDoc) pairIn(i int, victim string) pair {
	phase := &r.a.Phases[i]
	c := phase.Contention.Disks[victim]
	p := pair{victim: task{victim, phase.Roles[victim]}, phase: phaseID(i), why: noReference(c)}
	for other := range phase.Disks {
		if other != victim {
			p.neighbour = task{other, phase.Roles[other]}
		}
	}
	if c.NoReference != "" {
		return p
	}
	for _, e := range r.a.Effects {
		if e.Victim != victim || e.Neighbour != p.neighbour.disk ||
			!slices.Contains(e.Phases, phase.Name) {
			continue
		}
		p.kept = new(1 - e.Loss)
		if e.CI != nil {
			p.ci = &stats.Interval{1 - e.CI[1], 1 - e.CI[0]}
		}
		break
	}
	return p
}

// pairsTable has a row for each disk that may be slowed, and a column for each that works beside
// it.
func (r *runDoc) pairsTable(tasks []task, list []pair) *Table {
	t := table("Who slows down whom", words("Keeps beside"))
	t.ID = "pairs"
	var margin float64
	for _, column := range tasks {
		disk := &r.Keys[r.keyOf(column.disk)]
		t.Columns = append(t.Columns, Column{Head: r.task(column), Disk: disk, Numbers: true})
	}
	for _, victim := range tasks {
		cells := []any{r.task(victim)}
		for _, neighbour := range tasks {
			cell := Cell{}
			for _, p := range list {
				switch {
				case p.victim != victim || p.neighbour != neighbour:
				case p.kept == nil:
					cell = Cell{Text: p.why, NoReference: true}
				default:
					cell = shareCell(*p.kept)
					cell.Heat = *p.kept
					cell.Link = p.phase
					if p.ci != nil {
						margin = max(margin, p.ci.Half())
					}
				}
			}
			cells = append(cells, cell)
		}
		t.add(cells...)
	}
	t.Note = "% of its baseline that the row's disk keeps with the column's disk busy" +
		pick(margin > 0, fmt.Sprintf(", ±%.0f points or less.", math.Ceil(perCent*margin)), ".")
	return t
}

// answerChart is the chart that shows the answer: the phase that the headline is about over time,
// or its streams' buffers; nil if there are no events.
func (r *runDoc) answerChart() *Chart {
	phases := r.Phases()
	first := r.headlinePhases()
	for _, phase := range phases {
		if len(phases) == 1 || len(first) > 0 && phase.ID == first[0].id {
			return chartOf(phase.Blocks, "buffer", "time")
		}
	}
	return nil
}

// chartOf is the chart among the blocks that has the first ID, or else the next; nil if none has
// any.
func chartOf(blocks []Block, ids ...string) *Chart {
	for _, id := range ids {
		for _, c := range Collect[*Chart](blocks) {
			if c.ID == id {
				return c
			}
		}
	}
	return nil
}
