//go:build unix

package progress

import (
	"os"
	"os/signal"
	"syscall"
)

// onResize calls redraw whenever the terminal gets another size, until stop.
func onResize(redraw func()) (stop func()) {
	changes, quit := make(chan os.Signal, 1), make(chan struct{})
	ended := make(chan struct{})
	signal.Notify(changes, syscall.SIGWINCH)
	go func() {
		defer close(ended)
		for {
			select {
			case <-changes:
				redraw()
			case <-quit:
				return
			}
		}
	}()
	return func() {
		signal.Stop(changes)
		close(quit)
		<-ended
	}
}

// Sequences reports whether a terminal obeys escape sequences: here all do.
func Sequences(*os.File) bool { return true }
