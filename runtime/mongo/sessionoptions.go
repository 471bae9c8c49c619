package mongo

import "github.com/specdrivers/onion/generated/options"

// fixed copies what a session goes on to read of its options, so that later changes by the program do not reach it.
//
// Sessions, "startSession".
func fixed(o options.Session) options.Session {
	o.DefaultTimeout = copied(o.DefaultTimeout)
	if t := copied(o.DefaultTransaction); t != nil {
		t.ReadConcern, t.WriteConcern, t.ReadPreference = copied(t.ReadConcern), copied(t.WriteConcern), copied(t.ReadPreference)
		t.MaxCommitTime, t.Timeout = copied(t.MaxCommitTime), copied(t.Timeout)
		o.DefaultTransaction = t
	}
	return o
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	return new(*p)
}
