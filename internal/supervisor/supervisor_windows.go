package supervisor

import "context"

// supervise is not needed: no process is known that cannot be ended here, and a console sends its
// signals to all of them.
func supervise() (code int, ok bool) { return 0, false }

// supervised has no supervisor.
func supervised(
	ctx context.Context, exit func(code int),
) (_ context.Context, end func(code int), ok bool) {
	return ctx, exit, false
}
