package scenario

import (
	"cmp"
	"math"
	"time"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Limits of streams, far above what a disk or a camera does.
const (
	maxStreams    = 256 // of one disk
	minStreamRate = 1e5 // bytes per second
	maxStreamRate = 2e10
	minFrame      = time.Millisecond
	maxFrame      = time.Second
	maxBuffer     = time.Minute

	defaultBuffer = time.Second
	defaultFrame  = 40 * time.Millisecond // of a stream given by its rate: 25 frames a second
)

// streams are what disks play or record, by disk. They work, whatever the pattern says of them.
func (s *Scenario) streams(p *PhaseSpec) strictyaml.Value {
	all := byDisk(s, &p.Streams, nil, "streams", func(specs *[]stream.Spec) strictyaml.Value {
		list := strictyaml.Items[stream.Spec]{
			To: specs, Item: streamValue,
			Empty: "there are no streams; add some, such as {play: prores-422-hq-uhd-25, count: 4}",
		}
		one := strictyaml.Value{Read: func(n strictyaml.Node) {
			var spec stream.Spec
			streamValue(&spec).Read(n)
			*specs = []stream.Spec{spec}
		}, Schema: streamValue(&stream.Spec{}).Schema}
		both := strictyaml.MappingOr(one, list.Value())
		return strictyaml.Value{Schema: both.Schema, Read: func(n strictyaml.Node) {
			if n.Kind() == strictyaml.List {
				list.Value().Read(n)
			} else {
				one.Read(n)
			}
			p.checkStreams(n, *specs)
		}}
	})
	return all.Then(func(n strictyaml.Node) {
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
				pair.Errorf("disk %s %ss in this phase, and its streams %s; write - for it in the pattern, or leave it out of roles",
					strictyaml.Quote(pair.Key), other, role)
			}
			p.Roles[pair.Key] = role
		}
	})
}

// streamValue is some streams of one kind: what is played or recorded, or a rate.
func streamValue(to *stream.Spec) strictyaml.Value {
	type schema = strictyaml.Schema
	spec := stream.Spec{Count: 1, Buffer: defaultBuffer}
	var play, record, op string
	frame := defaultFrame
	return strictyaml.Object{
		Keys: []strictyaml.Key{
			{Name: "play", Value: codec(&play), About: "the codec to read, such as prores-422-hq-uhd-25; hubbench plan --codecs lists all"},
			{Name: "record", Value: codec(&record), About: "the codec to write"},
			{Name: "rate", Value: strictyaml.Rate(&spec.Rate, minStreamRate, maxStreamRate), About: "in place of a codec, what one stream moves, such as 92 MB/s"},
			{Name: "frame", Value: strictyaml.Duration(&frame, minFrame, maxFrame), About: "beside rate: the time from one frame to the next"},
			{Name: "op", Value: strictyaml.OneOf(&op, string(trace.Read), string(trace.Write)).Default(string(trace.Read)), About: "beside rate: read to play, write to record"},
			{Name: "count", Value: strictyaml.Int(&spec.Count, 1, maxStreams), About: "how many such streams there are"},
			{Name: "buffer", Value: strictyaml.Duration(&spec.Buffer, minFrame, maxBuffer), About: "how much of each stream is held ahead, in time"},
		},
		Short: "play",
		Among: []strictyaml.Among{{
			Keys:    []string{"play", "record", "rate"},
			Both:    "a stream is played, recorded or given by its rate; delete all but one of play, record and rate",
			Neither: "the stream has no rate; add play: and a codec, such as prores-422-hq-uhd-25, or rate: 92 MB/s",
		}},
		Also: []schema{strictyaml.Implies("play", schema{}, without("frame", "op")), strictyaml.Implies("record", schema{}, without("frame", "op"))},
		Check: func(m *strictyaml.Mapping) {
			if n, ok := m.Get("rate"); ok {
				spec.Kind, spec.Frame, spec.Record = unit.FormatBytes(int64(spec.Rate))+"/s", frame, op == string(trace.Write)
				if spec.Rate*frame.Seconds() > maxBuffers {
					n.Errorf("one frame of %s has %s, more than the %s that a worker holds in memory; try a shorter frame",
						unit.FormatSeconds(frame.Seconds()), unit.FormatBytes(int64(spec.Rate*frame.Seconds())), unit.FormatBytes(maxBuffers))
				}
			} else if c, ok := stream.CodecByName(cmp.Or(play, record)); ok {
				spec.Kind, spec.Rate, spec.Frame, spec.Record = c.Name, c.Rate, c.Frame, record != ""
				for _, key := range []string{"frame", "op"} {
					if n, ok := m.Get(key); ok {
						n.Errorf("%s is for a stream given by its rate, and codec %s determines it; delete it", key, c.Name)
					}
				}
			}
			if n, ok := m.Get("buffer"); ok && spec.Buffer < spec.Frame {
				n.Errorf("a buffer of %s does not hold one frame of %s; try 1 s", unit.FormatSeconds(spec.Buffer.Seconds()), unit.FormatSeconds(spec.Frame.Seconds()))
			}
			*to = spec
		},
	}.Value()
}

func codec(to *string) strictyaml.Value {
	return strictyaml.Value{
		Read: func(n strictyaml.Node) {
			text, ok := n.Text()
			if !ok {
				return
			}
			c, ok := stream.CodecByName(text)
			if !ok {
				n.Errorf("unknown codec %s; %s", strictyaml.Quote(text), tryCodec(text))
				return
			}
			*to = c.Name
		},
		Schema: func() strictyaml.Schema { return strictyaml.Schema{"$ref": "#/$defs/codec"} },
	}
}

// tryCodec is what to try in place of an unknown codec.
func tryCodec(name string) string {
	if near := strictyaml.Nearest(stream.WholeRate(name), stream.CodecNames()); near != "" {
		return "try " + near
	}
	return "hubbench plan --codecs lists them, or use rate:"
}

// checkStreams checks the sum of a disk's streams.
func (p *PhaseSpec) checkStreams(n strictyaml.Node, specs []stream.Spec) {
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
	if block := streamBlock(specs, p.Workload.IO.Block); count > 0 && block > maxBuffers/int64(count) {
		n.Errorf("%s needs %s of memory, a block of %s for each of %d streams; use a smaller block, or fewer streams", n.Label(),
			unit.FormatBytes(block*int64(count)), unit.FormatBytes(block), count)
	}
}

// streamBlock is the size of a request of streams, in bytes: of a frame of theirs, or the workload's block if that is
// smaller.
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

// streamSecond is what all the streams move in a second, in bytes.
func streamSecond(specs []stream.Spec) int64 {
	return int64(math.Round(stream.TotalRate(specs)))
}
