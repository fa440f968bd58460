package model_test

import (
	"fmt"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/model"
)

// What three disks would get on a hub if all of them wrote.
func ExamplePredict() {
	data, _ := configs.Hub("goshen-ridge")
	profile, err := hub.Load("goshen-ridge.yaml", data)
	if err != nil {
		panic(err)
	}
	prediction, err := model.Predict(profile, []string{"A", "B", "C"}, 1)
	if err != nil {
		panic(err)
	}
	for _, row := range prediction.Rows {
		if row.Pattern == "WWW" {
			for i, disk := range prediction.Disks {
				fmt.Printf("%s: %.2f GB/s\n", disk, row.Rates[i].Rate/1e9)
			}
		}
	}
	// Output:
	// A: 0.70 GB/s
	// B: 0.70 GB/s
	// C: 2.10 GB/s
}
