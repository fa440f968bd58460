//go:build !unix

package progress

// onResize does nothing if no signal tells of a new size: the next drawing asks for it anyway.
func onResize(func()) (stop func()) { return func() {} }
