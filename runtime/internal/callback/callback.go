package callback

import (
	"context"
	"fmt"
	"log"

	"github.com/specdrivers/onion/runtime/fault"
)

// Call returns what f returns, or the cause of ctx when that ends first. f then goes on in a goroutine of its own until it
// returns; late, which may be nil, gets its result.
//
// If f panics or ends its goroutine, the error is a fault.CallbackError with the name of the callback. The program's log gets
// it if the caller no longer waits.
func Call[T any](ctx context.Context, name string, f func(context.Context) (T, error), late func(T)) (T, error) {
	var none T
	if ctx.Err() != nil {
		return none, fmt.Errorf("%w before the callback began", context.Cause(ctx))
	}
	type result struct {
		value T
		err   error
	}
	results := make(chan result)
	go func() {
		var r result
		returned := false
		defer func() {
			if !returned {
				r = result{err: stoppedError(name, recover())}
			}
			select {
			case results <- r:
			case <-ctx.Done():
				report(finish(name, r.value, r.err, late))
			}
		}()
		r.value, r.err = f(ctx)
		returned = true
	}()
	select {
	case r := <-results:
		return r.value, r.err
	case <-ctx.Done():
		return none, fmt.Errorf("%w while the callback was running", context.Cause(ctx))
	}
}

// finish hands a late result over. The error is that of the callback, or of late if that panics: it may call a method of the
// result.
func finish[T any](name string, value T, err error, late func(T)) (failed error) {
	if err != nil || late == nil {
		return err
	}
	defer Recover(name, &failed)
	late(value)
	return nil
}

// report logs the panic of a callback whose caller no longer waits. Otherwise nobody would notice it.
func report(err error) {
	if broken, ok := err.(fault.CallbackError); ok {
		log.Print("ERROR this happened after the caller had stopped waiting: ", broken)
	}
}

// Recover turns a panic into an error, which is a fault.CallbackError with the name of the callback. Defer it around code of
// the program that runs in a goroutine of the driver and is called too often for Call.
func Recover(name string, err *error) {
	if reason := recover(); reason != nil {
		*err = stoppedError(name, reason)
	}
}

// NothingError is the error of a callback that returned neither a result nor an error.
func NothingError(name, result string) error {
	return fault.CallbackError{Callback: name, Problem: "returned neither " + result + " nor an error"}
}
