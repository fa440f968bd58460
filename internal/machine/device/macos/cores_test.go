package macos

import (
	"encoding/base64"
	"fmt"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// tree is what ioreg -a prints of cores with types such as EEPP, and of a cluster. Its keys and
// values are those of an M1 Pro, and of an M3 Ultra those with a logical number.
func tree(types string, logical bool) []byte {
	data := func(name string, b ...byte) string {
		return property(name, "<data>"+base64.StdEncoding.EncodeToString(b)+"</data>")
	}
	cores := data("cluster-type", 'P', 0)
	for i, kind := range types {
		id := data("cpu-id", byte(i), 0, 0, 0)
		if logical {
			id = data("cpu-id", byte(i%2), 0, 0, 0) +
				property("logical-cpu-id", fmt.Sprintf("<integer>%d</integer>", i))
		}
		cores += "</dict><dict>" + data("cluster-type", byte(kind), 0) + id
	}
	return []byte("<plist><array><dict>" + cores + "</dict></array></plist>")
}

func TestFastCores(t *testing.T) {
	for _, tt := range []struct {
		name        string
		answer      []byte
		cores, fast int
		want        string
	}{
		{"M1 Pro", tree("EEPPPPPPPP", false), 10, 8, "..########"},
		{"Ultra", tree("EEPPEEPP", true), 8, 4, "..##..##"},
		{"three kinds", tree("MMPP", true), 4, 2, "..##"},
		{"another count of fast ones", tree("EEPP", false), 4, 3, ""},
		{"more cores than named", tree("EEPP", false), 5, 2, ""},
		{"fewer", tree("EEPP", false), 3, 2, ""},
		{"Intel", nil, 8, 0, ""},
		{"cut short", tree("EEPP", false)[:200], 4, 2, ""},
	} {
		got := ""
		for _, fast := range FastCores(tt.answer, tt.cores, tt.fast) {
			got += map[bool]string{true: "#", false: "."}[fast]
		}
		check.Same(t, tt.name, tt.want, got)
	}
}

// Performance cores that are busy are a busy computer, idle efficiency cores or not; busy
// efficiency cores are none.
func TestLoad(t *testing.T) {
	full, idle := [4]uint32{60, 30, 0, 10}, [4]uint32{0, 0, 100, 0}
	fast := []bool{false, false, true, true}
	for name, tt := range map[string]struct {
		cores   [][4]uint32
		fast    []bool
		percent float64
	}{
		"fast cores busy": {[][4]uint32{idle, idle, full, full}, fast, 100},
		"slow cores busy": {[][4]uint32{full, full, idle, idle}, fast, 0},
		"all alike":       {[][4]uint32{full, full, idle, idle}, nil, 50},
	} {
		busy, total := Load(tt.cores, tt.fast)
		check.Same(t, name, tt.percent, 100*busy/total)
	}
}
