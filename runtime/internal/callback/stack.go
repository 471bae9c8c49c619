package callback

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/runtime/fault"
)

// maxFrames is how many functions a stack lists.
const maxFrames = 64

// stoppedError is the error of a callback that did not return. A nil reason means that it called runtime.Goexit.
func stoppedError(name string, reason any) error {
	problem := "ended its goroutine (runtime.Goexit)"
	if reason != nil {
		problem = fmt.Sprint("panicked: ", reason)
	}
	return fault.CallbackError{Callback: name, Problem: problem, Stack: stack()}
}

// stack lists the functions of the program that are running, without addresses and numbers of goroutines: the same failure
// must have the same text each time, because servers are compared by their errors.
func stack() string {
	pcs := make([]uintptr, maxFrames)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	var text []byte
	for {
		frame, more := frames.Next()
		if len(text) > 0 || !isMachinery(frame.Function) {
			text = append(text, frame.Function+"\n\t"+frame.File+":"...)
			text = append(strconv.AppendInt(text, int64(frame.Line), 10), '\n')
		}
		if !more {
			return strings.TrimSuffix(string(text), "\n")
		}
	}
}

// isMachinery reports whether a function is part of what runs between the program's last function and stack.
func isMachinery(function string) bool {
	return strings.HasPrefix(function, "runtime.") || strings.Contains(function, "/internal/callback.")
}
