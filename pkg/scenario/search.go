package scenario

import (
	"slices"
	"time"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// fastestLink is the fastest link of today, in bytes per second: Thunderbolt 5's 80 Gb/s. It limits a search for the number
// of streams if the scenario does not.
const fastestLink = 10e9

// defaultHold is how long a try of a search lasts unless the scenario says.
const defaultHold = 30 * time.Second

// searchKeys are the keys that ask for a search, as far as they have been read.
type searchKeys struct {
	phase *PhaseSpec
	Search
	limit *strictyaml.Node
	hold  time.Duration
}

// value is what to search for, or a mapping that also says on which disk.
func (k *searchKeys) value(s *Scenario) strictyaml.Value {
	kinds := []string{trace.SearchStreams, trace.SearchPace}
	disk := func(kind string) strictyaml.Value {
		return strictyaml.String(&k.Disk).Then(func(n strictyaml.Node) {
			if k.Kind = kind; k.Disk != "" && !s.hasDisk(k.Disk) {
				s.unknownDisk(n.Errorf, k.Disk)
				k.Disk = ""
			}
		})
	}
	count := strictyaml.Int(new(int), 1, maxStreams).Schema()
	rate := strictyaml.Rate(new(float64), minPace, maxPace).Schema()
	limit := strictyaml.Value{
		Read:   func(n strictyaml.Node) { k.limit = &n },
		Schema: func() strictyaml.Schema { return strictyaml.Schema{"anyOf": []strictyaml.Schema{count, rate}} },
	}
	full := strictyaml.Object{
		Keys: []strictyaml.Key{
			{Name: trace.SearchStreams, Value: disk(trace.SearchStreams), About: "the disk whose streams are counted"},
			{Name: trace.SearchPace, Value: disk(trace.SearchPace), About: "the disk whose pace is sought"},
			{Name: "most", Value: limit, About: "the largest value to try: streams, or a rate"},
		},
		Among: []strictyaml.Among{{Keys: kinds, Both: "a search is for streams or for a pace; delete one of the two", Neither: "the search is for nothing; add streams: or pace:, and a disk"}},
		Also: []strictyaml.Schema{
			strictyaml.Implies(trace.SearchStreams, strictyaml.Schema{}, only("most", count)),
			strictyaml.Implies(trace.SearchPace, strictyaml.Schema{}, only("most", rate)),
		},
	}
	return strictyaml.MappingOr(full.Value(), strictyaml.OneOf(&k.Kind, kinds...))
}

// resolve determines what to search for, once the disks' roles are known.
func (k *searchKeys) resolve(s *Scenario, m *strictyaml.Mapping) {
	n, ok := m.Get("search")
	if !ok {
		if hold, ok := m.Get("hold"); ok {
			hold.Errorf("hold is how long a try of a search lasts; add search: streams, or delete hold")
		}
		return
	}
	p := k.phase
	for _, key := range []string{"stop", "until"} {
		if at, ok := m.Get(key); ok {
			at.Errorf("the tries of a search last for hold; delete %s", key)
		}
	}
	if k.Kind == "" || p.Roles == nil {
		return // already reported
	}
	if len(p.Streams) == 0 {
		n.Errorf("a search needs streams that can stay clean or not; add streams: {%s: {play: prores-422-hq-uhd-25}}", s.firstDisk())
		return
	}
	disks := k.disks(s)
	switch {
	case len(disks) == 0:
		n.Errorf("no disk moves files here whose pace could be sought; let one write or read, or search: streams")
		return
	case k.Disk == "" && len(disks) > 1:
		n.Errorf("it is not clear whose %s to search for; try {%s: %s}", k.Kind, k.Kind, disks[0])
		return
	case k.Disk == "":
		k.Disk = disks[0]
	case !slices.Contains(disks, k.Disk):
		n.Errorf("disk %s has no %s here to search for; try {%s: %s}", strictyaml.Quote(k.Disk), k.Kind, k.Kind, disks[0])
		return
	}
	k.bound(n)
	k.settleHold(m)
	p.Stop, p.Limit, p.Search = StopTime, k.Hold, &k.Search
}

// settleHold determines how long a try lasts: long enough to see whether the buffers stay full.
func (k *searchKeys) settleHold(m *strictyaml.Mapping) {
	buffer := k.phase.longestBuffer()
	hold, ok := m.Get("hold")
	switch least := stream.TestBuffers * buffer; {
	case !ok:
		k.Hold = max(defaultHold, least)
	case k.hold > 0 && k.hold < least:
		hold.Errorf("a try of %s is too short for streams with a buffer of %s, whose frames are due only after that; try %s or more",
			unit.FormatSeconds(k.hold.Seconds()), unit.FormatSeconds(buffer.Seconds()), unit.FormatSeconds(least.Seconds()))
	default:
		k.Hold = k.hold
	}
}

// disks are those for which there is something to search.
func (k *searchKeys) disks(s *Scenario) []string {
	if k.Kind == trace.SearchPace {
		return s.movers(k.phase)
	}
	var disks []string
	for _, d := range s.Disks {
		if k.phase.hasStreams(d.Name) != "" {
			disks = append(disks, d.Name)
		}
	}
	return disks
}

// bound determines the largest value to try.
func (k *searchKeys) bound(n strictyaml.Node) {
	if k.Kind == trace.SearchPace {
		if k.limit != nil {
			k.Max, _ = k.limit.Rate(minPace, maxPace)
		}
		return
	}
	specs := k.phase.Streams[k.Disk]
	if len(specs) != 1 {
		n.Errorf("disk %s has streams of several kinds, and a search counts those of one; give it one kind", strictyaml.Quote(k.Disk))
		return
	}
	block := streamBlock(specs, k.phase.Workload.IO.Block)
	fit := min(maxStreams, maxBuffers/block)
	if k.limit == nil {
		if room := k.phase.Workload.IO.Footprint; room > 0 {
			fit = min(fit, int64(float64(room)/(specs[0].Rate*shortestStretch.Seconds())))
		}
		k.Max = float64(max(1, min(fit, int64(fastestLink/specs[0].Rate))))
		return
	}
	limit, ok := k.limit.Int(1, maxStreams)
	if ok && limit > fit {
		k.limit.Errorf("%s needs %s of memory, a block of %s for each of %d streams; try %d", k.limit.Label(),
			unit.FormatBytes(block*limit), unit.FormatBytes(block), limit, fit)
	}
	k.Max = float64(limit)
}
