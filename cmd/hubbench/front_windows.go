package main

import "context"

// front: nothing is known of processes that cannot be ended here, but of a console that sends its signals to all of them.
func front([]string) (code int, ok bool) { return 0, false }

func behind(ctx context.Context) (context.Context, func(code int)) { return ctx, exit }
