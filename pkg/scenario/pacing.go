package scenario

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/stream"
	yaml "github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Limits of streams, far above what a disk or a camera does.
const (
	// defaultTime is that of a phase in which nothing ends by itself, and of each try of a search.
	defaultTime = 30 * time.Second
	maxStreams  = 256 // maximum number of streams of a disk

	// Bytes per second of the fastest link of today: Thunderbolt 5's 80 Gb/s. It limits a search
	// for the number of streams if the scenario does not.
	fastestLink = 10e9
)

// Probe describes single requests to a disk that does nothing else, 6,000 in a minute by default.
type Probe struct {
	Block int64         `yaml:"block,required" is:"512 B to 1 MiB by 512 B" doc:"bytes of a request"`
	Every time.Duration `yaml:"every" is:"1 ms to 1 s" default:"10 ms" doc:"the time from one request to the next"`
}

// Short returns a size.
func (p *Probe) Short() yaml.Value { return yaml.Field(p, "Block") }

// checkEnd makes sure that the phase ends, as one in which no disk moves files needs a time for,
// and not before frames are due.
func (s *Scenario) checkEnd(m *yaml.Mapping, p *phaseSpec) {
	n, said := m.Get("stop")
	buffer := p.longestBuffer()
	paced := len(p.Streams)+len(p.Probes) > 0
	if p.Roles != nil && p.Search == nil && len(s.movers(p)) == 0 && paced {
		if n, ok := m.Get("until"); ok {
			n.Errorf("no disk moves files here, and streams and probes have their own pace, " +
				"so their rates cannot become steady; use stop: and a time")
		}
		switch {
		case !said:
			p.Stop = StopTime
			p.Limit = max(defaultTime, 2*buffer)
		case p.Stop != StopTime:
			n.Errorf("stop: %s waits for disks that move files, and none does here; try 30 s",
				n.Raw())
		}
	}
	if said && p.Stop == StopTime && p.Search == nil && p.Limit <= buffer {
		n.Errorf("stop comes before a frame is due: streams with a buffer of %s begin to play "+
			"after that; try %s or more",
			unit.FormatDuration(buffer), unit.FormatDuration(2*buffer))
	}
}

// longestBuffer returns the longest of the streams' buffers: no frame is due before so much time
// has passed.
func (p *phaseSpec) longestBuffer() time.Duration {
	var buffer time.Duration
	for _, specs := range p.Streams {
		for _, spec := range specs {
			buffer = max(buffer, spec.Buffer)
		}
	}
	return buffer
}

// movesNoFiles says why a disk has no files to move; empty if it has.
func (p *phaseSpec) movesNoFiles(disk string) string {
	if _, ok := p.Probes[disk]; ok && len(p.Streams[disk]) == 0 {
		return "is only probed"
	}
	return cmp.Or(p.hasStreams(disk), p.idle(disk))
}

// hasStreams says why a disk does nothing else.
func (p *phaseSpec) hasStreams(disk string) string {
	if len(p.Streams[disk]) > 0 {
		return "has streams"
	}
	return ""
}

func (s *Scenario) movers(p *phaseSpec) []string {
	return slices.DeleteFunc(s.diskNames(), func(disk string) bool {
		return p.Roles == nil || p.movesNoFiles(disk) != ""
	})
}

// withPace adds to a phase's name what its disks do besides moving files: "RW- streams".
func (p *phaseSpec) withPace(name string) string {
	for _, word := range []struct {
		is   bool
		word string
	}{
		{len(p.Streams) > 0, "streams"}, {len(p.Mix) > 0, "mix"},
		{len(p.Pace) > 0, "pace"}, {len(p.Probes) > 0, "probe"},
	} {
		if with := name + " " + word.word; word.is && fitsName(with) {
			name = with
		}
	}
	return name
}

// addPace limits how fast disks may go: all that move files, or some.
func (s *Scenario) addPace(p *phaseSpec, k *phaseKeys) {
	p.Pace = spread(s, &k.Pace, p.movesNoFiles, "pace")
	if n, ok := k.At.Get("pace"); ok && len(p.Pace) == 0 && p.Roles != nil && n.Kind() != yaml.Map {
		n.Errorf("no disk moves files here, and streams and probes have their own pace; delete %s",
			n.Label())
	}
}

// mix is the share of reads of a disk that reads and writes at once.
type mix float64

// Value returns a share of reads and one of writes, such as 70/30.
func (to *mix) Value() yaml.Value {
	schema := yaml.Schema{"type": "string", "pattern": `^ *0*[1-9][0-9]? */ *0*[1-9][0-9]? *$`}
	return yaml.Value{Schema: schema, Read: func(n yaml.Node) {
		reads, writes, ok := strings.Cut(n.Raw(), "/")
		r, err := strconv.Atoi(strings.TrimSpace(reads))
		w, err2 := strconv.Atoi(strings.TrimSpace(writes))
		if !ok || err != nil || err2 != nil || r < 1 || w < 1 || r+w != 100 {
			n.Errorf("%s is not a share of reads and a share of writes that add up to 100; try "+
				"70/30", n.Label())
			return
		}
		*to = mix(r) / 100
	}}
}

// addMix has disks read and write at once: all that work, or some.
func (s *Scenario) addMix(p *phaseSpec, k *phaseKeys) {
	n, ok := k.At.Get("mix")
	if !ok || p.Roles == nil {
		return
	}
	unfit := p.hasStreams // one that is idle in the pattern may be named
	if k.Mix.all != nil {
		unfit = p.movesNoFiles
	}
	p.Mix = spread(s, &k.Mix, unfit, "mix")
	if len(p.Mix) == 0 && n.Kind() != yaml.Map {
		n.Errorf("no disk moves files here; name one, such as mix: {%s: %s}", s.firstDisk(),
			n.Raw())
	}
	for disk, reads := range p.Mix {
		p.Roles[disk] = trace.Write
		if reads >= 0.5 {
			p.Roles[disk] = trace.Read
		}
	}
}

// addProbes has idle disks asked for single requests: all of them, or some.
func (s *Scenario) addProbes(p *phaseSpec, k *phaseKeys) {
	n, ok := k.At.Get("probe")
	if !ok || p.Roles == nil {
		return
	}
	works := func(disk string) string {
		if role := p.Roles[disk]; role == trace.Read || role == trace.Write {
			return "works"
		}
		return ""
	}
	if p.Probes = spread(s, &k.Probe, works, "probe"); len(p.Probes) == 0 && n.Kind() != yaml.Map {
		n.Errorf("every disk works here, and a probe is for one that does nothing else; "+
			"leave a disk idle, or delete %s", n.Label())
	}
	for disk := range p.Probes {
		p.Roles[disk] = trace.Read
	}
}

// addStreams has disks play or record, whatever the pattern says of them.
func (s *Scenario) addStreams(p *phaseSpec, k *phaseKeys) {
	p.Streams = map[string][]stream.Spec{}
	for _, e := range fitting(s, &k.Streams, nil, "streams") {
		if len(e.To) == 0 || p.Roles == nil {
			continue // already reported
		}
		specs := make([]stream.Spec, len(e.To))
		for i := range specs {
			specs[i] = e.To[i].spec
		}
		p.checkStreams(e.Value, specs)
		role := trace.Read
		if specs[0].Record {
			role = trace.Write
		}
		if other := p.Roles[e.Key]; other != trace.Idle && other != role {
			e.Errorf("disk %s %ss in this phase, and its streams %s; "+
				"write - for it in the pattern, or leave it out of roles", yaml.Quote(e.Key), other,
				role)
		}
		p.Streams[e.Key] = specs
		p.Roles[e.Key] = role
	}
}

// streams are those of a disk.
type streams []streamKeys

// Value is one, or a list.
func (s *streams) Value() yaml.Value {
	const tag = `word:"play" empty:"there are no streams; ` +
		`add some, such as {play: prores-422-hq-uhd-25, count: 4}"`
	list := yaml.Tagged((*[]streamKeys)(s), tag)
	one := make(streams, 1)
	stream := yaml.Tagged(&one[0], tag).Then(func(yaml.Node) { *s = one })
	return yaml.Value{Schema: yaml.MappingOr(stream, list).Schema, Read: func(n yaml.Node) {
		if n.Kind() == yaml.List {
			list.Read(n)
		} else {
			stream.Read(n)
		}
	}}
}

// streamKeys are the keys of a stream.
type streamKeys struct {
	_ yaml.Among `keys:"play record rate" both:"a stream is played, recorded or given by its rate; delete all but one of play, record and rate" neither:"the stream has no rate; add play: and a codec, such as prores-422-hq-uhd-25, or rate: 92 MB/s"`

	Play   codec         `yaml:"play" doc:"the codec to read, such as prores-422-hq-uhd-25; hubbench plan --codecs lists all"`
	Record codec         `yaml:"record" doc:"the codec to write"`
	Rate   float64       `yaml:"rate" is:"100 KB/s to 20 GB/s" doc:"in place of a codec, what one stream moves, such as 92 MB/s"`
	Frame  time.Duration `yaml:"frame" is:"1 ms to 1 s" default:"40 ms" doc:"beside rate: the time from one frame to the next"`
	Op     string        `yaml:"op" is:"read | write" shows:"read" doc:"beside rate: read to play, write to record"`
	Count  int           `yaml:"count" is:"1 to 256" default:"1" doc:"how many such streams there are"`
	Buffer time.Duration `yaml:"buffer" is:"1 ms to 1 min" default:"1 s" doc:"how much of each stream is held ahead, in time"`

	spec stream.Spec
}

// Check makes the stream that the keys describe.
func (k *streamKeys) Check(m *yaml.Mapping) {
	spec := stream.Spec{Count: k.Count, Buffer: k.Buffer}
	if n, ok := m.Get("rate"); ok {
		size := k.Rate * k.Frame.Seconds()
		spec.Kind = unit.FormatBytes(int64(k.Rate)) + "/s"
		spec.Rate = k.Rate
		spec.Frame = k.Frame
		spec.Record = k.Op == string(trace.Write)
		if size > maxBuffers {
			n.Errorf("one frame of %s has %s, more than the %s that a worker holds in memory; "+
				"try a shorter frame",
				unit.FormatDuration(k.Frame), unit.FormatBytes(int64(size)),
				unit.FormatBytes(maxBuffers))
		}
	} else if c, ok := stream.CodecByName(string(cmp.Or(k.Play, k.Record))); ok {
		spec.Kind = c.Name
		spec.Rate = c.Rate
		spec.Frame = c.Frame
		spec.Record = k.Record != ""
		for _, key := range []string{"frame", "op"} {
			if n, ok := m.Get(key); ok {
				n.Errorf("%s is for a stream given by its rate, and codec %s determines it; "+
					"delete it", key, c.Name)
			}
		}
	}
	if n, ok := m.Get("buffer"); ok && spec.Buffer < spec.Frame {
		n.Errorf("a buffer of %s does not hold one frame of %s; try 1 s",
			unit.FormatDuration(spec.Buffer), unit.FormatDuration(spec.Frame))
	}
	k.spec = spec
}

type codec string

// Value returns the name of one that is known.
func (to *codec) Value() yaml.Value {
	schema := yaml.Schema{"$ref": "#/$defs/codec"}
	return yaml.Value{Schema: schema, Read: func(n yaml.Node) {
		text, ok := n.Text()
		if !ok {
			return
		}
		c, ok := stream.CodecByName(text)
		if !ok {
			try := "hubbench plan --codecs lists them, or use rate:"
			if near := yaml.Nearest(stream.WholeRate(text), stream.CodecNames()); near != "" {
				try = "try " + near
			}
			n.Errorf("unknown codec %s; %s", yaml.Quote(text), try)
			return
		}
		*to = codec(c.Name)
	}}
}

func (p *phaseSpec) checkStreams(n yaml.Node, specs []stream.Spec) {
	count := 0
	for _, spec := range specs {
		if count += spec.Count; count > maxStreams {
			n.Errorf("%s has more than %d streams; use fewer", n.Label(), maxStreams)
			return
		}
		if spec.Record != specs[0].Record {
			n.Errorf("%s plays and records; let one disk do one of the two", n.Label())
			return
		}
	}
	if block := streamBlock(specs, p.work.IO.Block); count > 0 && block > maxBuffers/int64(count) {
		n.Errorf("%s needs %s of memory, a block of %s for each of %d streams; use a smaller "+
			"block, or fewer streams",
			n.Label(), unit.FormatBytes(block*int64(count)), unit.FormatBytes(block), count)
	}
}

// streamBlock returns the size of a request of streams, in bytes: of a frame of theirs, or the
// workload's block if that is smaller.
func streamBlock(specs []stream.Spec, block int64) int64 {
	var frame float64
	for _, spec := range specs {
		frame = max(frame, spec.Rate*spec.Frame.Seconds())
	}
	if frame >= float64(block) {
		return block
	}
	return min(block, max(1, int64(math.Ceil(frame/grain)))*grain)
}
