//go:build !linux

package check

import "errors"

func serveFUSE(string, string) error { return errors.ErrUnsupported }
