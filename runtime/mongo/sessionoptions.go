package mongo

import "github.com/specdrivers/onion/generated/options"

// copySessionOptions copies the options, because a session reads them during its whole life. A program that changes its
// struct after the session has started must not change the session.
//
// Sessions, "startSession".
func copySessionOptions(o options.Session) options.Session {
	o.DefaultTimeout = copyPointee(o.DefaultTimeout)
	if t := copyPointee(o.DefaultTransaction); t != nil {
		t.ReadConcern, t.WriteConcern = copyPointee(t.ReadConcern), copyPointee(t.WriteConcern)
		t.ReadPreference = copyPointee(t.ReadPreference)
		t.MaxCommitTime, t.Timeout = copyPointee(t.MaxCommitTime), copyPointee(t.Timeout)
		o.DefaultTransaction = t
	}
	return o
}

func copyPointee[T any](p *T) *T {
	if p == nil {
		return nil
	}
	return new(*p)
}
