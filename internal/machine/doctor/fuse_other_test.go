//go:build !linux

package doctor

import "errors"

func serveMemory(string, bool) error { return errors.ErrUnsupported }
