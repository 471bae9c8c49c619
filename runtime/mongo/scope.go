package mongo

import (
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

// mergeable is a struct of options.
type mergeable[T any] interface {
	*T
	Merge(over *T)
}

// merged joins the option structs that a method received: a field that is set in a later one replaces that field. It
// returns nil without any, and a single struct as it is.
func merged[T any, P mergeable[T]](list []*T) *T {
	var result *T
	copied := false
	for _, o := range list {
		switch {
		case o == nil:
		case result == nil:
			result = o
		default:
			if !copied {
				result, copied = new(*result), true
			}
			P(result).Merge(o)
		}
	}
	return result
}
