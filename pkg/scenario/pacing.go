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

// Limits of paces, probes and streams, far above what a disk or a camera does.
const (
	minPace     = 1e5                   // bytes per second
	maxPace     = 1e12                  //
	maxProbe    = 1 << 20               // bytes
	probeEvery  = 10 * time.Millisecond // unless the scenario says: 6,000 requests in a minute
	defaultTime = 30 * time.Second      // of a phase in which nothing ends by itself, and of a try of a search
	maxStreams  = 256                   // of one disk

	// Bytes per second of the fastest link of today: Thunderbolt 5's 80 Gb/s. It limits a search for
	// the number of streams if the scenario does not.
	fastestLink = 10e9
)

// Probe describes single requests to a disk that does nothing else.
type Probe struct {
	Block int64         `yaml:"block,required" doc:"bytes of a request"`
	Every time.Duration `yaml:"every" is:"1 ms to 1 s" doc:"the time from one request to the next"`
}

// checkEnd makes sure that the phase ends, as one in which no disk moves files needs a time for, and
// not before frames are due.
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
			p.Stop, p.Limit = StopTime, max(defaultTime, 2*buffer)
		case p.Stop != StopTime:
			n.Errorf("stop: %s waits for disks that move files, and none does here; try 30 s", n.Raw())
		}
	}
	if said && p.Stop == StopTime && p.Search == nil && p.Limit <= buffer {
		n.Errorf("stop comes before a frame is due: streams with a buffer of %s begin to play after that; try %s or more",
			unit.FormatSeconds(buffer.Seconds()), unit.FormatSeconds(2*buffer.Seconds()))
	}
}

// longestBuffer is the longest of the streams' buffers: no frame is due before so much time has passed.
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
	}{{len(p.Streams) > 0, "streams"}, {len(p.Mix) > 0, "mix"}, {len(p.Pace) > 0, "pace"}, {len(p.Probes) > 0, "probe"}} {
		if with := name + " " + word.word; word.is && fitsName(with) {
			name = with
		}
	}
	return name
}

// pace is the fastest that disks may go: all that move files, or a mapping for some.
func (s *Scenario) pace(p *phaseSpec) yaml.Value {
	rate := func(to *float64) yaml.Value { return yaml.Rate(to, minPace, maxPace) }
	moves := func(disk string) bool { return p.movesNoFiles(disk) == "" }
	some := byDisk(s, &p.Pace, p.movesNoFiles, "pace", rate)
	return eachDisk(s, &p.Pace, moves, rate, some).Then(func(n yaml.Node) {
		if len(p.Pace) == 0 && p.Roles != nil && n.Kind() != yaml.Map {
			n.Errorf("no disk moves files here, and streams and probes have their own pace; delete %s", n.Label())
		}
	})
}

// mix is the share of reads of disks that read and write at once: of all that work, or a mapping.
func (s *Scenario) mix(p *phaseSpec) yaml.Value {
	moves := func(disk string) bool { return p.movesNoFiles(disk) == "" }
	some := byDisk(s, &p.Mix, p.hasStreams, "mix", mixValue)
	return eachDisk(s, &p.Mix, moves, mixValue, some).Then(func(n yaml.Node) {
		if p.Roles == nil {
			return
		}
		if len(p.Mix) == 0 && n.Kind() != yaml.Map {
			n.Errorf("no disk moves files here; name one, such as mix: {%s: %s}", s.firstDisk(), n.Raw())
		}
		for disk, reads := range p.Mix {
			p.Roles[disk] = trace.Write
			if reads >= 0.5 {
				p.Roles[disk] = trace.Read
			}
		}
	})
}

// mixValue is a share of reads and one of writes, such as 70/30.
func mixValue(to *float64) yaml.Value {
	schema := yaml.Schema{"type": "string", "pattern": `^ *0*[1-9][0-9]? */ *0*[1-9][0-9]? *$`}
	return yaml.Read(schema, func(n yaml.Node) {
		reads, writes, ok := strings.Cut(n.Raw(), "/")
		r, err := strconv.Atoi(strings.TrimSpace(reads))
		w, err2 := strconv.Atoi(strings.TrimSpace(writes))
		if !ok || err != nil || err2 != nil || r < 1 || w < 1 || r+w != 100 {
			n.Errorf("%s is not a share of reads and a share of writes that add up to 100; try 70/30", n.Label())
			return
		}
		*to = float64(r) / 100
	})
}

// probe is what idle disks are asked for: all of them, or a mapping for some.
func (s *Scenario) probe(p *phaseSpec) yaml.Value {
	block := func(to *Probe) yaml.Value {
		return sectors(&to.Block, maxProbe).First(func(yaml.Node) { to.Every = probeEvery })
	}
	one := func(to *Probe) yaml.Value {
		to.Every = probeEvery
		full := yaml.Object{Keys: yaml.Struct(to, yaml.Values{"block": sectors(&to.Block, maxProbe)})}
		return yaml.MappingOr(full.Value(), block(to))
	}
	works := func(disk string) string {
		if role := p.Roles[disk]; role == trace.Read || role == trace.Write {
			return "works"
		}
		return ""
	}
	idle := func(disk string) bool { return p.idle(disk) != "" }
	some := byDisk(s, &p.Probes, works, "probe", one)
	return eachDisk(s, &p.Probes, idle, block, some).Then(func(n yaml.Node) {
		if p.Roles == nil {
			return
		}
		if len(p.Probes) == 0 && n.Kind() != yaml.Map {
			n.Errorf("every disk works here, and a probe is for one that does nothing else; "+
				"leave a disk idle, or delete %s", n.Label())
		}
		for disk := range p.Probes {
			p.Roles[disk] = trace.Read
		}
	})
}

// streams are what disks play or record, by disk. They work, whatever the pattern says of them.
func (s *Scenario) streams(p *phaseSpec) yaml.Value {
	all := byDisk(s, &p.Streams, nil, "streams", func(specs *[]stream.Spec) yaml.Value {
		list := yaml.Items[stream.Spec]{
			To: specs, Item: streamValue,
			Empty: "there are no streams; add some, such as {play: prores-422-hq-uhd-25, count: 4}",
		}.Value()
		var spec stream.Spec
		one := streamValue(&spec).Then(func(yaml.Node) { *specs = []stream.Spec{spec} })
		return yaml.Value{Schema: yaml.MappingOr(one, list).Schema, Read: func(n yaml.Node) {
			if n.Kind() == yaml.List {
				list.Read(n)
			} else {
				one.Read(n)
			}
			p.checkStreams(n, *specs)
		}}
	})
	return all.Then(func(n yaml.Node) {
		for _, pair := range n.Mapping().Pairs() {
			specs := p.Streams[pair.Key]
			if len(specs) == 0 || p.Roles == nil {
				continue // already reported
			}
			role := trace.Read
			if specs[0].Record {
				role = trace.Write
			}
			if other := p.Roles[pair.Key]; other != trace.Idle && other != role {
				pair.Errorf("disk %s %ss in this phase, and its streams %s; "+
					"write - for it in the pattern, or leave it out of roles", yaml.Quote(pair.Key), other, role)
			}
			p.Roles[pair.Key] = role
		}
	})
}

// streamKeys are the keys of a stream.
type streamKeys struct {
	Play   string        `yaml:"play" doc:"the codec to read, such as prores-422-hq-uhd-25; hubbench plan --codecs lists all"`
	Record string        `yaml:"record" doc:"the codec to write"`
	Rate   float64       `yaml:"rate" is:"100 KB/s to 20 GB/s" doc:"in place of a codec, what one stream moves, such as 92 MB/s"`
	Frame  time.Duration `yaml:"frame" is:"1 ms to 1 s" doc:"beside rate: the time from one frame to the next"`
	Op     string        `yaml:"op" is:"read | write" default:"read" doc:"beside rate: read to play, write to record"`
	Count  int           `yaml:"count" is:"1 to 256" doc:"how many such streams there are"`
	Buffer time.Duration `yaml:"buffer" is:"1 ms to 1 min" doc:"how much of each stream is held ahead, in time"`
}

func streamValue(to *stream.Spec) yaml.Value {
	k := streamKeys{Frame: 40 * time.Millisecond, Count: 1, Buffer: time.Second} // 25 frames a second
	return yaml.Object{
		Keys:  yaml.Struct(&k, yaml.Values{"play": codec(&k.Play), "record": codec(&k.Record)}),
		Short: "play",
		Among: []yaml.Among{{
			Keys:    []string{"play", "record", "rate"},
			Both:    "a stream is played, recorded or given by its rate; delete all but one of play, record and rate",
			Neither: "the stream has no rate; add play: and a codec, such as prores-422-hq-uhd-25, or rate: 92 MB/s",
		}},
		Check: func(m *yaml.Mapping) {
			spec := stream.Spec{Count: k.Count, Buffer: k.Buffer}
			if n, ok := m.Get("rate"); ok {
				size := k.Rate * k.Frame.Seconds()
				spec.Kind, spec.Rate, spec.Frame = unit.FormatBytes(int64(k.Rate))+"/s", k.Rate, k.Frame
				spec.Record = k.Op == string(trace.Write)
				if size > maxBuffers {
					n.Errorf("one frame of %s has %s, more than the %s that a worker holds in memory; try a shorter frame",
						unit.FormatSeconds(k.Frame.Seconds()), unit.FormatBytes(int64(size)), unit.FormatBytes(maxBuffers))
				}
			} else if c, ok := stream.CodecByName(cmp.Or(k.Play, k.Record)); ok {
				spec.Kind, spec.Rate, spec.Frame, spec.Record = c.Name, c.Rate, c.Frame, k.Record != ""
				for _, key := range []string{"frame", "op"} {
					if n, ok := m.Get(key); ok {
						n.Errorf("%s is for a stream given by its rate, and codec %s determines it; delete it", key, c.Name)
					}
				}
			}
			if n, ok := m.Get("buffer"); ok && spec.Buffer < spec.Frame {
				n.Errorf("a buffer of %s does not hold one frame of %s; try 1 s",
					unit.FormatSeconds(spec.Buffer.Seconds()), unit.FormatSeconds(spec.Frame.Seconds()))
			}
			*to = spec
		},
	}.Value()
}

func codec(to *string) yaml.Value {
	return yaml.Read(yaml.Schema{"$ref": "#/$defs/codec"}, func(n yaml.Node) {
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
		*to = c.Name
	})
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
		n.Errorf("%s needs %s of memory, a block of %s for each of %d streams; use a smaller block, or fewer streams",
			n.Label(), unit.FormatBytes(block*int64(count)), unit.FormatBytes(block), count)
	}
}

// streamBlock is the size of a request of streams, in bytes: of a frame of theirs, or the workload's
// block if that is smaller.
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
