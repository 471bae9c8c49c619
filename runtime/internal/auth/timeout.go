package auth

import (
	"context"
	"time"

	"github.com/specdrivers/onion/runtime/internal/callback"
)

type timeoutKey struct{}

// UnderTimeout marks the context of an authentication that a timeoutMS governs. each is that timeout if it applies to
// every step on its own, as for a connection in the background. With 0 the deadline of the context is all that is left
// of it.
//
// Client Side Operations Timeout, "Background Connection Pooling".
func UnderTimeout(ctx context.Context, each time.Duration) context.Context {
	return context.WithValue(ctx, timeoutKey{}, each)
}

// timeoutOf returns what UnderTimeout has put into the context.
func timeoutOf(ctx context.Context) (each time.Duration, timed bool) {
	each, timed = ctx.Value(timeoutKey{}).(time.Duration)
	return each, timed
}

// call calls a function of the user, within the time of one step. name is the option that holds the function.
func call[T any](ctx context.Context, name string, f func(context.Context) (T, error)) (T, error) {
	if each, _ := timeoutOf(ctx); each > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, each)
		defer cancel()
	}
	return callback.Call(ctx, name, f, nil)
}
