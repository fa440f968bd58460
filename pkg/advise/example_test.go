package advise_test

import (
	"fmt"
	"time"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/pkg/advise"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Whether A can record ten cameras while B and C write, and what helps if it cannot.
func ExampleAsk() {
	data, _ := configs.Hub("goshen-ridge")
	profile, err := hub.Load("goshen-ridge.yaml", data)
	if err != nil {
		panic(err)
	}
	disk, cameras, err := advise.ParseStreams("A=10xprores-422-hq-uhd-25", true, time.Second)
	if err != nil {
		panic(err)
	}
	question := advise.Question{For: 30 * time.Second, Parts: []advise.Part{
		{Disk: disk, Op: trace.Write, Streams: []stream.Spec{cameras}},
		{Disk: "B", Op: trace.Write}, {Disk: "C", Op: trace.Write},
	}}
	if err := question.Check(profile); err != nil {
		panic(err)
	}
	answer, err := advise.Ask(profile, question)
	if err != nil {
		panic(err)
	}
	fmt.Println(answer.Texts.Answer)
	for _, change := range answer.Advice {
		fmt.Println("-", change.Text)
	}
	// Output:
	// No: A drops 1,560 of 7,251 frames while B and C write. The hub can carry only 77 % of what you need. Throttle C to 1.5 GB/s, or move A to its own port.
	// - throttle C to 1.5 GB/s
	// - move A to its own port
	// - move C to its own port
	// - record to C and let A write in its place
	// - let A record 7 streams
}
