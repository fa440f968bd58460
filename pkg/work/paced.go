package work

import (
	"encoding/json"

	"github.com/hubbench/hubbench/pkg/stream"
)

// Paced is, by disk, the works that are limited or go both ways, as traces and analyses have written them since before
// they had all works, and still do: readers know them by that key.
type Paced map[string]Work

// PacedOf selects them; nil if there are none.
func PacedOf(all map[string]Work) Paced {
	var paced Paced
	for disk, w := range all {
		if w.Limited() || w.Reads > 0 {
			if paced == nil {
				paced = Paced{}
			}
			paced[disk] = w
		}
	}
	return paced
}

type pacedJSON struct {
	Rate    float64       `json:"rate,omitempty"`    // bytes per second, at most
	Streams []stream.Spec `json:"streams,omitempty"` // what is played or recorded
	Probe   int64         `json:"probe,omitempty"`   // bytes of a single request at a time
	Reads   float64       `json:"reads,omitempty"`   // share of reads
}

// MarshalJSON writes of each work only what these ever said.
func (p Paced) MarshalJSON() ([]byte, error) {
	all := make(map[string]pacedJSON, len(p))
	for disk, w := range p {
		all[disk] = pacedJSON{w.Pace, w.Streams, w.Probe, w.Reads}
	}
	return json.Marshal(all)
}

// UnmarshalJSON reads that.
func (p *Paced) UnmarshalJSON(data []byte) error {
	var all map[string]pacedJSON
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	*p = nil
	if all != nil {
		*p = make(Paced, len(all))
	}
	for disk, w := range all {
		(*p)[disk] = Work{Pace: w.Rate, Streams: w.Streams, Probe: w.Probe, Reads: w.Reads}
	}
	return nil
}
