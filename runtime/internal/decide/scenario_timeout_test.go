package decide

import (
	"fmt"
	"reflect"

	"github.com/specdrivers/onion/generated/core/timeout"
)

// timeoutPlayer plays parts of the driver's work. A call and each of its commands have states of their own, as in the driver.
func timeoutPlayer() player {
	var call, command timeout.State
	set := func(words []string) error { return fill(reflect.ValueOf(&call).Elem(), words[1:]) }
	return player{set, func(words []string) ([]string, error) {
		var e timeout.Event
		if err := fill(reflect.ValueOf(&e).Elem(), words); err != nil {
			return nil, err
		}
		s := &call
		switch {
		case e.Part <= timeout.KillReplaced:
			command = timeout.State{Span: call.Span}
			s = &command
		case e.Part >= timeout.Encode:
			s = &command
		}
		var v timeout.Verdict
		*s, v = timeout.Step(*s, e)
		return timeoutAnswer(e.Part, *s, v), nil
	}}
}

// timeoutAnswer lists what was decided about a part: the first term of it, and the others that are not zero.
func timeoutAnswer(part timeout.Part, s timeout.State, v timeout.Verdict) []string {
	terms := []fmt.Stringer{v.Bound, s.Clock, v.Source, v.Refusal}
	switch part {
	case timeout.Options:
		terms = []fmt.Stringer{s.Span, s.Clock, v.Source, v.Refusal}
	case timeout.Combined:
		terms = []fmt.Stringer{v.Misuse}
	case timeout.Awaiting:
		terms = []fmt.Stringer{v.Await}
	case timeout.Next, timeout.Close, timeout.CloseResults, timeout.Replace, timeout.FilePart:
		terms = []fmt.Stringer{v.Bound}
	case timeout.Encode:
		terms = []fmt.Stringer{v.Field, v.Late}
	case timeout.Send:
		terms = []fmt.Stringer{v.Late}
	case timeout.Fail:
		terms = []fmt.Stringer{v.ErrorType}
	}
	if part <= timeout.KillReplaced {
		terms = append(terms, s.MaxTime, v.Search, v.Deprecated)
	}
	out := []string{terms[0].String()}
	for _, term := range terms[1:] {
		if !reflect.ValueOf(term).IsZero() {
			out = append(out, term.String())
		}
	}
	return out
}
