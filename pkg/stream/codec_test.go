package stream

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
)

// Codecs are sorted, named once each after what they are, and have a source.
func TestCodecs(t *testing.T) {
	names := CodecNames()
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Error("the names are not sorted, or one is there twice")
	}
	sizes := []string{"hd", "uhd", "4k", "8k"}
	for _, name := range names {
		c, ok := CodecByName(name)
		if !ok || c.Name != name {
			t.Fatalf("%s is not found by its name", name)
		}
		parts := strings.Split(name, "-")
		fps, err := strconv.Atoi(parts[len(parts)-1])
		if err != nil || c.Frame != time.Second/time.Duration(fps) {
			t.Errorf("%s has a frame every %v", name, c.Frame)
		}
		if size := parts[len(parts)-2]; !slices.Contains(sizes, size) {
			t.Errorf("%s: no size %s", name, size)
		}
		if c.Source == "" || c.Rate < 1e6 || c.Rate > 3e9 || name != strings.ToLower(name) {
			t.Errorf("%+v", c)
		}
	}
	if _, ok := CodecByName("vhs"); ok {
		t.Error("found a codec there is not")
	}
}

// Codecs are shown as people write them; what has no name of a codec is shown as it is.
func TestCodecLabels(t *testing.T) {
	for name, want := range map[string]string{
		"prores-422-hq-uhd-25":   "ProRes 422 HQ UHD 25p",
		"prores-4444-xq-4k-60":   "ProRes 4444 XQ 4K DCI 60p",
		"prores-422-proxy-hd-24": "ProRes 422 Proxy HD 24p",
		"dnxhr-hqx-uhd-50":       "DNxHR HQX UHD 50p", "dnxhr-444-hd-25": "DNxHR 444 HD 25p",
		"h264-all-intra-hd-25": "H.264 All-Intra HD 25p",
		"xavc-si-uhd-25":       "XAVC S-I UHD 25p",
		"braw-12-1-uhd-30":     "Blackmagic RAW 12:1 UHD 30p",
		"redcode-8-1-8k-24":    "REDCODE 8:1 8K DCI 24p", "92 MB/s": "92 MB/s",
	} {
		check.Same(t, name+" is shown as", want, Label(name))
	}
	check.Same(t, "streams are", "4 x ProRes 422 HQ UHD 25p",
		(Spec{Kind: "prores-422-hq-uhd-25", Count: 4}).String())
	seen := map[string]string{}
	for _, c := range Codecs() {
		if other := seen[c.Label]; other != "" || c.Label == "" {
			t.Errorf("%s and %s are both shown as %q", other, c.Name, c.Label)
		}
		seen[c.Label] = c.Name
	}
}

// TestProRes holds the rates to Apple's list, in Mb/s at 24, 25, 30, 50 and 60 frames per second.
func TestProRes(t *testing.T) {
	for kind, rates := range map[string][5]float64{
		"prores-422-proxy-hd":  {36, 38, 45, 76, 91},
		"prores-422-proxy-uhd": {145, 151, 182, 303, 363},
		"prores-422-proxy-4k":  {155, 162, 194, 323, 388},
		"prores-422-proxy-8k":  {622, 649, 778, 1298, 1556},
		"prores-422-lt-hd":     {82, 85, 102, 170, 204},
		"prores-422-lt-uhd":    {328, 342, 410, 684, 821},
		"prores-422-lt-4k":     {350, 365, 437, 730, 875},
		"prores-422-lt-8k":     {1400, 1460, 1750, 2920, 3500},
		"prores-422-hd":        {117, 122, 147, 245, 293},
		"prores-422-uhd":       {471, 492, 589, 983, 1178},
		"prores-422-4k":        {503, 524, 629, 1049, 1257},
		"prores-422-8k":        {2011, 2097, 2514, 4194, 5028},
		"prores-422-hq-hd":     {176, 184, 220, 367, 440},
		"prores-422-hq-uhd":    {707, 737, 884, 1475, 1768},
		"prores-422-hq-4k":     {754, 786, 943, 1573, 1886},
		"prores-422-hq-8k":     {3017, 3146, 3771, 6291, 7542},
		"prores-4444-hd":       {264, 275, 330, 551, 660},
		"prores-4444-uhd":      {1061, 1106, 1326, 2212, 2652},
		"prores-4444-4k":       {1131, 1180, 1414, 2359, 2828},
		"prores-4444-8k":       {4525, 4719, 5657, 9437, 11313},
		"prores-4444-xq-hd":    {396, 413, 495, 826, 990},
		"prores-4444-xq-uhd":   {1591, 1659, 1989, 3318, 3977},
		"prores-4444-xq-4k":    {1697, 1769, 2121, 3539, 4242},
		"prores-4444-xq-8k":    {6788, 7078, 8485, 14156, 16970},
	} {
		for i, fps := range []string{"24", "25", "30", "50", "60"} {
			c, ok := CodecByName(kind + "-" + fps)
			if !ok || c.Rate*8/1e6 != rates[i] || c.Scaled {
				t.Errorf("%s-%s is found %v: %v Mb/s, want %v as listed", kind, fps, ok,
					c.Rate*8/1e6, rates[i])
			}
		}
	}
}

// Rates as they stand in other publications than the tables' own: in Mb/s, MB/s or MiB/s, and as
// minutes on a medium.
func TestCodecRates(t *testing.T) {
	const (
		mib    = 1 << 20
		minute = 60
	)
	for _, tt := range []struct {
		name  string
		want  float64
		close float64 // relative
	}{
		// Apple's overview of the family: "approximately 220 Mb/s at 1920 x 1080 and 29.97 fps",
		// and so on.
		{"prores-422-hq-hd-30", 220e6 / 8, 0}, {"prores-422-hd-30", 147e6 / 8, 0},
		{"prores-422-lt-hd-30", 102e6 / 8, 0},
		{"prores-422-proxy-hd-30", 45e6 / 8, 0}, {"prores-4444-hd-30", 330e6 / 8, 0},
		// Blackmagic Design's storage rates of ProRes at 30 frames a second.
		{"prores-422-hq-4k-30", 117.88e6, 1e-4},
		{"prores-422-4k-30", 78.63e6, 1e-4},
		{"prores-422-hq-uhd-30", 110.5e6, 1e-4},
		// Avid's table in its other column, which is in MiB/s.
		{"dnxhr-hqx-uhd-25", 86.82 * mib, 1e-4},
		{"dnxhr-444-uhd-50", 347.46 * mib, 1e-4},
		{"dnxhr-sq-hd-25", 14.36 * mib, 5e-4},
		{"dnxhr-hq-hd-50", 43.36 * mib, 1e-4},
		{"dnxhr-lb-4k-25", 19.04 * mib, 3e-4},
		{"dnxhr-sq-4k-25", 61.23 * mib, 1e-4},
		// The same manual's minutes at other frame rates, which are whole.
		{"braw-3-1-uhd-25", 1e12 / (158 * minute), 0.01},
		{"braw-5-1-uhd-24", 1e12 / (273 * minute), 0.01},
		{"braw-8-1-uhd-50", 1e12 / (210 * minute), 0.01},
		{"braw-12-1-uhd-60", 1e12 / (262 * minute), 0.01},
		// What that camera's ratio of 3:1 makes of 12 bits a pixel.
		{"braw-3-1-uhd-30", 3840 * 2160 * 12 * 30 / 8.0 / 3, 0.025},
		// Reviews of the cameras: 10 Mb for each frame, 400 and 410 Mb/s.
		{"xavc-si-uhd-24", 24 * 10e6 / 8, 0}, {"xavc-si-uhd-25", 25 * 10e6 / 8, 0},
		{"xavc-si-uhd-30", 30 * 10e6 / 8, 0},
		{"xavc-si-uhd-50", 50 * 10e6 / 8, 0}, {"xavc-si-uhd-60", 60 * 10e6 / 8, 0},
		{"h264-all-intra-uhd-24", 50e6, 0},
		{"xf-avc-intra-4k-30", 51.25e6, 0},
	} {
		c, ok := CodecByName(tt.name)
		if !ok {
			t.Errorf("no codec %s", tt.name)
			continue
		}
		if off := math.Abs(c.Rate/tt.want - 1); off > tt.close+1e-12 {
			t.Errorf("%s: %.0f B/s, want %.0f within %g", tt.name, c.Rate, tt.want, tt.close)
		}
	}
}

// DNxHR frames have so many bytes for each block of 16 x 16 pixels, in whole units of 4096 (SMPTE
// ST 2019-1): the rule gives every row of Avid's table.
func TestCodecFramesDNxHR(t *testing.T) {
	// over 255
	perBlock := map[string]float64{"lb": 5888, "sq": 18944, "hq": 28672, "hqx": 28672, "444": 57344}
	pixels := map[string]float64{"hd": 1920 * 1080, "uhd": 3840 * 2160, "4k": 4096 * 2160}
	seen := 0
	for variant, bytes := range perBlock {
		for size, area := range pixels {
			want := math.Floor((area/256*bytes/255+2048)/4096) * 4096
			c, ok := CodecByName("dnxhr-" + variant + "-" + size + "-25")
			if got := c.Rate / 25; !ok || got != want {
				t.Errorf("dnxhr-%s-%s: frames of %.0f bytes, want %.0f", variant, size, got, want)
			}
			seen++
		}
	}
	if seen != 15 {
		t.Errorf("%d rows", seen)
	}
}

// A camera's frame rate stands for the whole one of a codec that is listed.
func TestWholeRate(t *testing.T) {
	for name, want := range map[string]string{
		"prores-422-hq-uhd-29.97":  "prores-422-hq-uhd-30",
		"prores-422-hq-uhd-23.976": "prores-422-hq-uhd-24",
		"prores-422-hq-uhd-25":     "prores-422-hq-uhd-25",
	} {
		got := WholeRate(name)
		if _, ok := CodecByName(got); got != want || !ok {
			t.Errorf("WholeRate(%q) is %q, want %q, which is listed: %v", name, got, want, ok)
		}
	}
}
