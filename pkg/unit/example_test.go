package unit_test

import (
	"fmt"

	"github.com/hubbench/hubbench/pkg/unit"
)

// Quantities as people write them, and back.
func Example() {
	bytes, err := unit.ParseBytes("1.5 GiB")
	if err != nil {
		panic(err)
	}
	fmt.Println(bytes, unit.FormatBytes(bytes), unit.FormatRate(2.8e9), unit.FormatSeconds(95))
	// Output:
	// 1610612736 1.61 GB 2.80 GB/s 1 min 35 s
}
