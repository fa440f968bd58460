package scenario

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Limits of paces and probes.
const (
	minPace       = 1e5                   // bytes per second
	maxPace       = 1e12                  //
	maxProbe      = 1 << 20               // bytes
	probeEvery    = 10 * time.Millisecond // unless the scenario says: 6,000 requests in a minute
	minProbeEvery = time.Millisecond
	maxProbeEvery = time.Second

	defaultTime = 30 * time.Second // of a phase in which nothing ends by itself
)

// Probe describes single requests to a disk that does nothing else.
type Probe struct {
	Block int64         // bytes of each
	Every time.Duration // from the beginning of one to that of the next
}

// pacing is what a phase says of disks that do not simply move files as fast as they can.
func (s *Scenario) pacing(p *PhaseSpec) strictyaml.Object {
	type schema = strictyaml.Schema
	search := searchKeys{phase: p}
	return strictyaml.Object{
		Keys: []strictyaml.Key{
			{Name: "streams", Value: s.streams(p), About: "disks that play or record at the pace of a camera, beside the others: {A: {play: prores-422-hq-uhd-25, count: 4}}"},
			{Name: "mix", Value: s.mix(p), About: "disks that read and write at once: 70/30 is 70 % reads; of all working disks, or {A: 70/30}"},
			{Name: "probe", Value: s.probe(p), About: "disks that are only sent occasional single requests, for the latency: 4 KiB, of all idle disks, or {C: 4 KiB}"},
			{Name: "pace", Value: s.pace(p), About: "the maximum rate at which disks move files: 200 MB/s, of each, or {B: 200 MB/s}"},
			{Name: "search", Value: search.value(s), About: "streams: find how many of them stay clean, alone and beside the others; pace: find how fast the others may go; or {streams: A, most: 24}, {pace: B, most: 1 GB/s}"},
			{Name: "hold", Value: strictyaml.Duration(&search.hold, time.Second, time.Hour).Default("30 s"), About: "how long each try of a search lasts"},
		},
		Rules: []strictyaml.Rule{
			{Key: "io", Is: []string{ModeApp}, Now: &p.Workload.IO.Mode, Refuse: []string{"mix", "pace"}, Say: "io: app moves whole files, in one call each; delete %[1]s"},
			{Key: "verify", Is: []string{VerifyStamps, VerifyFull}, Now: &p.Workload.IO.Verify, Refuse: []string{"mix"}, Say: "verify: %[2]s does not go with %[1]s, which writes what it reads; delete one of the two"},
		},
		Also: []schema{
			strictyaml.Implies("hold", schema{}, schema{"required": []string{"search"}}),
			strictyaml.Implies("search", schema{}, schema{"required": []string{"streams"}, "properties": schema{"stop": false, "until": false}}),
			{"anyOf": []schema{{"required": []string{"pattern"}}, {"required": []string{"roles"}}, {"required": []string{"mix"}},
				{"properties": schema{"stop": notWords(), "until": false}}}},
		},
		Check: func(m *strictyaml.Mapping) {
			if p.Roles != nil && len(p.Streams)+len(p.Mix)+len(p.Probes) > 0 {
				p.Pattern = s.pattern(p.Roles)
			}
			search.resolve(s, m)
			s.checkEnd(m, p)
			p.checkBuffer(m)
		},
	}
}

// works says why a disk cannot be probed: it does something else.
func (p *PhaseSpec) works(disk string) string {
	if role := p.Roles[disk]; role == trace.Read || role == trace.Write {
		return "works"
	}
	return ""
}

// movesNoFiles says why a disk has no files to move; empty if it has.
func (p *PhaseSpec) movesNoFiles(disk string) string {
	if why := p.hasStreams(disk); why != "" {
		return why
	}
	if _, ok := p.Probes[disk]; ok {
		return "is only probed"
	}
	return p.idle(disk)
}

// hasStreams says why a disk does nothing else.
func (p *PhaseSpec) hasStreams(disk string) string {
	if len(p.Streams[disk]) > 0 {
		return "has streams"
	}
	return ""
}

// movers are the disks that move files, in the scenario's order.
func (s *Scenario) movers(p *PhaseSpec) []string {
	var disks []string
	for _, d := range s.Disks {
		if p.Roles != nil && p.movesNoFiles(d.Name) == "" {
			disks = append(disks, d.Name)
		}
	}
	return disks
}

// pace is the fastest that disks may go: all that move files, or a mapping for some.
func (s *Scenario) pace(p *PhaseSpec) strictyaml.Value {
	rate := func(to *float64) strictyaml.Value { return strictyaml.Rate(to, minPace, maxPace) }
	var each float64
	all := rate(&each).Then(func(n strictyaml.Node) {
		p.Pace = map[string]float64{}
		for _, disk := range s.movers(p) {
			p.Pace[disk] = each
		}
		if len(p.Pace) == 0 && p.Roles != nil {
			n.Errorf("no disk moves files here, and streams and probes have their own pace; delete %s", n.Label())
		}
	})
	return strictyaml.MappingOr(byDisk(s, &p.Pace, p.movesNoFiles, "pace", rate), all)
}

// mix is the share of reads of disks that read and write at once: of all that work, or a mapping.
func (s *Scenario) mix(p *PhaseSpec) strictyaml.Value {
	var reads float64
	all := mixValue(&reads).Then(func(n strictyaml.Node) {
		p.Mix = map[string]float64{}
		for _, disk := range s.movers(p) {
			p.Mix[disk] = reads
		}
		if len(p.Mix) == 0 && p.Roles != nil {
			n.Errorf("no disk moves files here; name one, such as mix: {%s: %s}", s.firstDisk(), n.Raw())
		}
	})
	return strictyaml.MappingOr(byDisk(s, &p.Mix, p.hasStreams, "mix", mixValue), all).Then(func(strictyaml.Node) {
		for disk, reads := range p.Mix {
			if p.Roles == nil {
				break
			}
			p.Roles[disk] = trace.Write
			if reads >= 0.5 {
				p.Roles[disk] = trace.Read
			}
		}
	})
}

// mixValue is a share of reads and one of writes, such as 70/30.
func mixValue(to *float64) strictyaml.Value {
	return strictyaml.Value{
		Read: func(n strictyaml.Node) {
			reads, writes, ok := strings.Cut(n.Raw(), "/")
			r, err := strconv.Atoi(strings.TrimSpace(reads))
			w, err2 := strconv.Atoi(strings.TrimSpace(writes))
			if !ok || err != nil || err2 != nil || r < 1 || w < 1 || r+w != 100 {
				n.Errorf("%s is not a share of reads and a share of writes that add up to 100; try 70/30", n.Label())
				return
			}
			*to = float64(r) / 100
		},
		Schema: func() strictyaml.Schema {
			return strictyaml.Schema{"type": "string", "pattern": `^ *0*[1-9][0-9]? */ *0*[1-9][0-9]? *$`}
		},
	}
}

// probe is what idle disks are asked for: all of them, or a mapping for some.
func (s *Scenario) probe(p *PhaseSpec) strictyaml.Value {
	block := func(to *Probe) strictyaml.Value {
		return sectors(&to.Block, maxProbe).First(func() { to.Every = probeEvery })
	}
	one := func(to *Probe) strictyaml.Value {
		to.Every = probeEvery
		full := strictyaml.Object{Keys: []strictyaml.Key{
			{Name: "block", Need: true, Value: sectors(&to.Block, maxProbe), About: "bytes of a request"},
			{Name: "every", Value: strictyaml.Duration(&to.Every, minProbeEvery, maxProbeEvery), About: "the time from one request to the next"},
		}}
		return strictyaml.MappingOr(full.Value(), block(to))
	}
	var each Probe
	all := block(&each).Then(func(n strictyaml.Node) {
		p.Probes = map[string]Probe{}
		for _, d := range s.Disks {
			if p.Roles[d.Name] == trace.Idle {
				p.Probes[d.Name] = each
			}
		}
		if len(p.Probes) == 0 && p.Roles != nil {
			n.Errorf("every disk works here, and a probe is for one that does nothing else; leave a disk idle, or delete %s", n.Label())
		}
	})
	return strictyaml.MappingOr(byDisk(s, &p.Probes, p.works, "probe", one), all).Then(func(strictyaml.Node) {
		for disk := range p.Probes {
			if p.Roles != nil {
				p.Roles[disk] = trace.Read
			}
		}
	})
}

// checkEnd makes sure that the phase ends: one in which no disk moves files needs a time.
func (s *Scenario) checkEnd(m *strictyaml.Mapping, p *PhaseSpec) {
	if p.Roles == nil || p.Search != nil || len(s.movers(p)) > 0 || len(p.Streams)+len(p.Probes) == 0 {
		return
	}
	if n, ok := m.Get("until"); ok {
		n.Errorf("no disk moves files here, and streams and probes have their own pace, so their rates cannot become steady; use stop: and a time")
	}
	n, said := m.Get("stop")
	switch {
	case !said:
		p.Stop, p.Limit = StopTime, max(defaultTime, 2*p.longestBuffer())
	case p.Stop != StopTime:
		n.Errorf("stop: %s waits for disks that move files, and none does here; try 30 s", n.Raw())
	}
}

// checkBuffer makes sure that frames are due before the phase ends.
func (p *PhaseSpec) checkBuffer(m *strictyaml.Mapping) {
	n, said := m.Get("stop")
	buffer := p.longestBuffer()
	if said && p.Stop == StopTime && p.Search == nil && p.Limit <= buffer {
		n.Errorf("stop comes before a frame is due: streams with a buffer of %s begin to play after that; try %s or more",
			unit.FormatSeconds(buffer.Seconds()), unit.FormatSeconds(2*buffer.Seconds()))
	}
}

// longestBuffer is the longest of the streams' buffers: no frame is due before so much time has passed.
func (p *PhaseSpec) longestBuffer() time.Duration {
	var buffer time.Duration
	for _, specs := range p.Streams {
		for _, spec := range specs {
			buffer = max(buffer, spec.Buffer)
		}
	}
	return buffer
}

// withPace adds to a phase's name what its disks do besides moving files: "RW- streams".
func (p *PhaseSpec) withPace(name string) string {
	for _, word := range []struct {
		is   bool
		word string
	}{{len(p.Streams) > 0, "streams"}, {len(p.Mix) > 0, "mix"}, {len(p.Pace) > 0, "pace"}, {len(p.Probes) > 0, "probe"}} {
		if with := fmt.Sprint(name, " ", word.word); word.is && fitsName(with) {
			name = with
		}
	}
	return name
}

func (s *Scenario) firstDisk() string { return append(s.diskNames(), "A")[0] }
