//go:build !linux

package doctor

import "errors"

func serveFUSE(string, string, string) error { return errors.ErrUnsupported }
