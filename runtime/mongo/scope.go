package mongo

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
)

// scope is what a client hands down to its databases, and those to their collections: each may set its own.
type scope struct {
	readConcern    *options.ReadConcern
	readPreference *options.ReadPreference
	writeConcern   *options.WriteConcern
	timeout        *time.Duration
	marshal        *bson.MarshalOptions
	unmarshal      *bson.UnmarshalOptions
}

// narrow returns the scope with everything replaced that is set.
func (s scope) narrow(o options.Collection) scope {
	if o.ReadConcern != nil {
		s.readConcern = o.ReadConcern
	}
	if o.ReadPreference != nil {
		s.readPreference = o.ReadPreference
	}
	if o.WriteConcern != nil {
		s.writeConcern = o.WriteConcern
	}
	if o.Timeout != nil {
		s.timeout = o.Timeout
	}
	if o.Marshal != nil {
		s.marshal = o.Marshal
	}
	if o.Unmarshal != nil {
		s.unmarshal = o.Unmarshal
	}
	return s
}

// deadline bounds an operation by its own timeout, else by that of the scope, unless the context has a deadline already.
func (s scope) deadline(ctx context.Context, own *time.Duration) (context.Context, context.CancelFunc) {
	timeout := s.timeout
	if own != nil {
		timeout = own
	}
	if timeout == nil || *timeout <= 0 {
		return ctx, func() {}
	}
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, *timeout)
}

// last is the options that count when a method is called with none, one or several: the last one that is not nil. A
// method takes them variadically so that they can be left out.
func last[T any](list []*T) *T {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] != nil {
			return list[i]
		}
	}
	return nil
}
