package callback

import (
	"context"
	"fmt"
)

// Call returns what f returns, or the cause of ctx when that ends first. f then goes on in a goroutine of its own until it
// returns; late, which may be nil, gets its result.
func Call[T any](ctx context.Context, f func(context.Context) (T, error), late func(T)) (T, error) {
	var none T
	if ctx.Err() != nil {
		return none, fmt.Errorf("%w before the callback began", context.Cause(ctx))
	}
	type result struct {
		value T
		err   error
	}
	returned := make(chan result)
	go func() {
		value, err := f(ctx)
		select {
		case returned <- result{value, err}:
		case <-ctx.Done():
			if err == nil && late != nil {
				late(value)
			}
		}
	}()
	select {
	case r := <-returned:
		return r.value, r.err
	case <-ctx.Done():
		return none, fmt.Errorf("%w while the callback was running", context.Cause(ctx))
	}
}
