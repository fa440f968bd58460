package rundir

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

const (
	// maxRatio is more than how often the events of any run are larger than compressed: 5 to 10
	// times if disks were measured, and 60 times if all files are equal and follow one another
	// without a nanosecond's difference.
	maxRatio = 200
	// freeSize is how many bytes are decompressed whatever the ratio, as their number alone takes
	// no time.
	freeSize = 64 << 20
)

// isPacked reports whether a text begins as Zstandard's (RFC 8878).
func isPacked(head []byte) bool { return bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) }

// unpacked returns what a file holds, decompressed if it is compressed.
func unpacked(file io.Reader) (io.Reader, error) {
	text := bufio.NewReader(file)
	if head, _ := text.Peek(4); !isPacked(head) {
		return text, nil
	}
	u := &unpacker{}
	var err error
	u.zip, err = zstd.NewReader(io.TeeReader(text, &u.in),
		zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
	return u, err
}

// unpacker decompresses events. It ends where a torn file ends, as a reader of plain ones does, and
// refuses a small file that unpacks to more than could be read in any reasonable time.
type unpacker struct {
	zip *zstd.Decoder
	in  counter // in is bytes so far.
	out int64
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func (u *unpacker) Read(to []byte) (int, error) {
	n, err := u.zip.Read(to)
	switch u.out += int64(n); {
	case u.out > freeSize+maxRatio*int64(u.in):
		err = fmt.Errorf("unpacks to more than %d times its size: no run's events do", maxRatio)
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = io.EOF
	}
	return n, err
}
