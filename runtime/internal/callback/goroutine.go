package callback

import "fmt"

// RunInGoroutine runs f in a goroutine of its own and waits for it. If code of the program ends that goroutine with
// runtime.Goexit, the caller survives, and the error is a fault.CallbackError with the name of the callback. A panic
// goes on in the caller's goroutine.
func RunInGoroutine(name string, f func()) error {
	done := make(chan error, 1)
	var panicked any
	go func() {
		returned := false
		defer func() {
			if returned {
				done <- nil
				return
			}
			if reason := recover(); reason != nil {
				panicked = fmt.Sprintf("%v\n\n%s", reason, stack())
			}
			done <- stoppedError(name, nil)
		}()
		f()
		returned = true
	}()
	err := <-done
	if panicked != nil {
		panic(panicked)
	}
	return err
}
