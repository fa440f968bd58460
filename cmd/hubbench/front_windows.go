package main

import (
	"context"
)

// front is not needed: nothing is known of processes that cannot be ended here, but of a console that sends its
// signals to all of them.
func front() (code int, ok bool) { return 0, false }

// behind has nothing before it.
func behind(ctx context.Context, exit func(code int)) (context.Context, func(code int)) {
	return ctx, exit
}
