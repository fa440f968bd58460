package session

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// ownImage is the program that runs, on Linux, also when another one has taken its place since.
const ownImage = "/proc/self/exe"

// OwnCommand gives what starts hubbench itself once more, to work in processes of its own.
func OwnCommand() (func(args ...string) *exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find hubbench itself, to start workers: %w", err)
	}
	image := imageOf(self)
	return func(args ...string) *exec.Cmd {
		cmd := exec.Command(image, args...)
		cmd.Args[0] = self
		return cmd
	}, nil
}

// imageOf returns the file to start, or look at, in place of the program's own path.
func imageOf(self string) string {
	if runtime.GOOS == "linux" {
		if _, err := os.Stat(ownImage); err == nil {
			return ownImage
		}
	}
	return self
}

// Build says which program this is: its version, and what tells apart two builds of that.
func Build(version string) string {
	sum := sha256.New()
	if info, ok := debug.ReadBuildInfo(); ok {
		_, _ = io.WriteString(sum, info.String()) // a hash takes everything
	}
	if self, err := os.Executable(); err == nil {
		if stat, err := os.Stat(imageOf(self)); err == nil {
			fmt.Fprint(sum, stat.Size())
		}
	}
	return fmt.Sprintf("%s (build %x)", version, sum.Sum(nil)[:6])
}

// NewLog logs JSON lines to w. Nothing is logged to the terminal: what people need to know is
// printed.
func NewLog(w io.Writer) *zap.Logger {
	config := zap.NewProductionEncoderConfig()
	config.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	core := zapcore.NewCore(zapcore.NewJSONEncoder(config), zapcore.Lock(zapcore.AddSync(w)),
		zapcore.InfoLevel)
	return zap.New(core)
}
