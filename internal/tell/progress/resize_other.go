//go:build !unix

package progress

// onResize does nothing if there is no signal for a new size: the next drawing asks for it anyway.
func onResize(func()) (stop func()) { return func() {} }
