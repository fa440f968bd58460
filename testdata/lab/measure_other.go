//go:build !linux

package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
)

func measure(context.Context, options, io.Writer) ([]*result, error) {
	return nil, fmt.Errorf("%w: Linux, whose kernel can limit a block device (this is %s)", errMissing, runtime.GOOS)
}
