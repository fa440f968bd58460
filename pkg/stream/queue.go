package stream

import "slices"

// Queue estimates how long a frame takes on a disk that all its streams share, behind those in flight. The zero Queue is
// ready to use. Times are nanoseconds since the release, in ascending order.
type Queue struct {
	under   int // frames in flight
	sinceNS int64
	apart   [8]int64 // how long the latest took, each from the one before or from when it began alone
	n       int
}

// Begins notes that a frame is requested.
func (q *Queue) Begins(tNS int64) {
	if q.under == 0 {
		q.sinceNS = tNS
	}
	q.under++
}

// Ends notes that a frame has been moved.
func (q *Queue) Ends(tNS int64) {
	q.apart[q.n%len(q.apart)] = tNS - q.sinceNS
	q.n++
	q.under--
	q.sinceNS = tNS
}

// TakesNS is twice as long as a frame that is requested now takes by the latest ones, as some take longer. The longest of them
// does not count: a disk that stood still for a moment does not do so for each frame.
func (q *Queue) TakesNS() int64 {
	n := min(q.n, len(q.apart))
	if n < 2 {
		return 0
	}
	sum := -slices.Max(q.apart[:n])
	for _, ns := range q.apart[:n] {
		sum += ns
	}
	return 2 * int64(q.under+1) * sum / int64(n-1)
}
