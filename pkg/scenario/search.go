package scenario

import (
	"maps"
	"slices"
	"strconv"

	"github.com/hubbench/hubbench/pkg/stream"
	yaml "github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// search is what to search for: a word, or a mapping that also says on which disk.
type search struct {
	At *yaml.Mapping
	_  yaml.Among `keys:"streams pace" both:"a search is for streams or for a pace; delete one of the two" neither:"the search is for nothing; add streams: or pace:, and a disk"`

	Streams string  `yaml:"streams" doc:"the disk whose streams are counted"`
	Pace    string  `yaml:"pace" doc:"the disk whose pace is sought"`
	Most    largest `yaml:"most" doc:"the largest value to try: streams, or a rate"`
	word    string
}

// Short returns a word.
func (f *search) Short() yaml.Value {
	return yaml.OneOf(&f.word, trace.SearchStreams, trace.SearchPace)
}

// largest is a count or a rate, which is read when it is known which.
type largest struct {
	*yaml.Node
	Count int     `is:"1 to 256"`
	Rate  float64 `is:"100 KB/s to 1 TB/s"`
}

// Value is either.
func (l *largest) Value() yaml.Value {
	either := []yaml.Schema{yaml.Field(l, "Count").Schema, yaml.Field(l, "Rate").Schema}
	return yaml.Value{Schema: yaml.Schema{"anyOf": either},
		Read: func(n yaml.Node) { l.Node = &n }}
}

// checkSearch determines what to search for, once the disks' roles are known.
func (s *Scenario) checkSearch(m *yaml.Mapping, p *phaseSpec, keys *phaseKeys) {
	n, ok := m.Get("search")
	hold, held := m.Get("hold")
	if !ok {
		if held {
			hold.Errorf("hold is how long a try of a search lasts; add search: streams, or " +
				"delete hold")
		}
		return
	}
	from := keys.Search
	k := &Search{Kind: from.word}
	p.Search = k
	switch {
	case from.Streams != "" && from.Pace != "": // already reported
	case from.Streams != "":
		k.Kind = trace.SearchStreams
		k.Disk = from.Streams
	case from.Pace != "":
		k.Kind = trace.SearchPace
		k.Disk = from.Pace
	}
	if k.Disk != "" && !s.hasDisk(k.Disk) {
		at, _ := from.At.Get(k.Kind)
		s.unknownDisk(at.Errorf, k.Disk)
		k.Disk = ""
	}
	for _, key := range []string{"stop", "until"} {
		if at, ok := m.Get(key); ok {
			at.Errorf("the tries of a search last for hold; delete %s", key)
		}
	}
	if k.Kind == "" || p.Roles == nil {
		return // already reported
	}
	if len(p.Streams) == 0 {
		n.Errorf("a search needs streams that can stay clean or not; add streams: {%s: {play: "+
			"prores-422-hq-uhd-25}}",
			s.firstDisk())
		return
	}
	disks := s.movers(p) // they have something to search for
	if k.Kind == trace.SearchStreams {
		disks = slices.DeleteFunc(s.diskNames(),
			func(disk string) bool { return p.hasStreams(disk) == "" })
	}
	switch {
	case len(disks) == 0:
		n.Errorf("no disk moves files here whose pace could be sought; let one write or read, " +
			"or search: streams")
		return
	case k.Disk == "" && len(disks) > 1:
		n.Errorf("it is not clear whose %s to search for; try {%s: %s}", k.Kind, k.Kind, disks[0])
		return
	case k.Disk == "":
		k.Disk = disks[0]
	case !slices.Contains(disks, k.Disk):
		n.Errorf("disk %s has no %s here to search for; try {%s: %s}", yaml.Quote(k.Disk), k.Kind,
			k.Kind, disks[0])
		return
	}
	p.boundSearch(n, &from.Most)
	buffer := p.longestBuffer()
	least := stream.TestBuffers * buffer // to see whether the buffers stay full
	if k.Hold = keys.Hold; !held {
		k.Hold = max(defaultTime, least)
	} else if k.Hold > 0 && k.Hold < least {
		hold.Errorf("a try of %s is too short for streams with a buffer of %s, whose frames are "+
			"due only after that; "+
			"try %s or more", unit.FormatDuration(k.Hold),
			unit.FormatDuration(buffer),
			unit.FormatDuration(least))
	}
	p.Stop = StopTime
	p.Limit = k.Hold
}

// boundSearch determines the largest value that a search tries.
func (p *phaseSpec) boundSearch(n yaml.Node, most *largest) {
	k := p.Search
	if k.Kind == trace.SearchPace {
		if most.Node != nil {
			yaml.Field(most, "Rate").Read(*most.Node)
		}
		k.Max = most.Rate
		return
	}
	specs := p.Streams[k.Disk]
	if len(specs) != 1 {
		n.Errorf("disk %s has streams of several kinds, and a search counts those of one; give "+
			"it one kind",
			yaml.Quote(k.Disk))
		return
	}
	block := streamBlock(specs, p.work.IO.Block)
	fit := min(maxStreams, maxBuffers/block)
	if most.Node == nil {
		if room := p.work.IO.Footprint; room > 0 {
			fit = min(fit, int64(float64(room)/(specs[0].Rate*shortestStretch.Seconds())))
		}
		k.Max = float64(max(1, min(fit, int64(fastestLink/specs[0].Rate))))
		return
	}
	yaml.Field(most, "Count").Read(*most.Node)
	limit := int64(most.Count)
	if limit > fit {
		most.Errorf("%s needs %s of memory, a block of %s for each of %d streams; try %d",
			most.Label(),
			unit.FormatBytes(block*limit), unit.FormatBytes(block), limit, fit)
	}
	k.Max = float64(limit)
}

// WithTry returns the phase as one try of its search: a phase that lasts as long as the search
// holds a value. Its name says what is tried, and from the second try of the same value on also
// which one it is.
func (p Phase) WithTry(t trace.Try, number int) Phase {
	try := p
	what := TryValue(t)
	if t.Alone {
		try = try.Alone(t.Disk)
		what = "alone " + what
	}
	switch {
	case t.Kind == trace.SearchStreams:
		try = try.WithStreams(t.Disk, int(t.Value))
	case t.Unlimited:
		try = try.WithPace(t.Disk, 0)
	default:
		try = try.WithPace(t.Disk, t.Value)
	}
	try.Name = p.Name + " " + what
	if number > 1 {
		try.Name += " " + strconv.Itoa(number)
	}
	try.Stop = StopTime
	try.Limit = p.Search.Hold
	try.Target = 0
	try.Steady = 0
	try.Search = nil
	try.Try = &t
	return try
}

// TryValue returns the value that is tried, in words: "4 streams", "212 MB/s", "no limit".
func TryValue(t trace.Try) string {
	switch {
	case t.Unlimited:
		return "no limit"
	case t.Kind == trace.SearchPace:
		return unit.FormatRate(t.Value)
	}
	return unit.Plural(int(t.Value), "stream")
}

// most returns the job with as many streams as a search will try at most. The job itself is that of
// one try.
func (p Phase) most(j Job) Job {
	if p.Search != nil && p.Search.Kind == trace.SearchStreams && p.Search.Disk == j.Disk {
		j.Streams = slices.Clone(j.Streams)
		j.Streams[0].Count = int(p.Search.Max)
	}
	return j
}

// WithStreams returns the phase with another number of streams of a disk's first kind.
func (p Phase) WithStreams(disk string, count int) Phase {
	p.Jobs = slices.Clone(p.Jobs)
	for i := range p.Jobs {
		if j := &p.Jobs[i]; j.Disk == disk && len(j.Streams) > 0 {
			j.Streams = slices.Clone(j.Streams)
			j.Streams[0].Count = count
			j.Sizes = []int64{streamSecond(j.Streams)}
		}
	}
	return p
}

// WithPace returns the phase with a disk limited to a rate, or without a limit if that is zero.
func (p Phase) WithPace(disk string, rate float64) Phase {
	p.Jobs = slices.Clone(p.Jobs)
	for i := range p.Jobs {
		if p.Jobs[i].Disk == disk {
			p.Jobs[i].Pace = rate
		}
	}
	return p
}

// Alone returns the phase with only one of its disks at work.
func (p Phase) Alone(disk string) Phase {
	p.Roles = aloneIn(p.Roles, disk)
	p.Jobs = slices.DeleteFunc(slices.Clone(p.Jobs), func(j Job) bool { return j.Disk != disk })
	if label, ok := p.Connections[disk]; ok {
		p.Connections = map[string]string{disk: label}
	} else {
		p.Connections = nil
	}
	return p
}

func aloneIn(roles map[string]trace.Role, disk string) map[string]trace.Role {
	roles = maps.Clone(roles)
	for d := range roles {
		if d != disk {
			roles[d] = trace.Idle
		}
	}
	return roles
}
