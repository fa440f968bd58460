package interrupt

import "context"

// Front is not needed: nothing is known of processes that cannot be ended here, but of a console that sends its
// signals to all of them.
func Front(Process, []string) (code int, ok bool) { return 0, false }

// Behind has nothing before it.
func Behind(ctx context.Context, p Process) (context.Context, func(code int)) { return ctx, p.Exit }
