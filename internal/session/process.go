package session

import (
	"fmt"
	"io"
	"os"
	"os/exec"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// OwnCommand gives what starts hubbench itself once more, to work in processes of its own.
func OwnCommand() (func(args ...string) *exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find hubbench itself, to start workers: %w", err)
	}
	return func(args ...string) *exec.Cmd { return exec.Command(self, args...) }, nil
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
