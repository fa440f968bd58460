package stream_test

import (
	"fmt"
	"time"

	"github.com/hubbench/hubbench/pkg/stream"
)

// What a disk must sustain to play four streams of a codec.
func ExampleCodecByName() {
	codec, ok := stream.CodecByName("prores-422-hq-uhd-25")
	if !ok {
		fmt.Println("the codecs are", stream.CodecNames())
		return
	}
	four := stream.Spec{
		Kind: codec.Name, Rate: codec.Rate, Frame: codec.Frame, Count: 4, Buffer: time.Second,
	}
	fmt.Printf("%s: %.0f MB/s, a frame every %s\n", four, four.TotalRate()/1e6, four.Frame)
	// Output:
	// 4 x ProRes 422 HQ UHD 25p: 368 MB/s, a frame every 40ms
}
