package mongo

import (
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// scope holds the settings that a database inherits from its client, and a collection from its database. Each may
// override them.
type scope struct {
	readConcern    *options.ReadConcern
	readPreference *options.ReadPreference
	writeConcern   *options.WriteConcern
	timeout        *time.Duration
	marshal        *bson.MarshalOptions
	unmarshal      *bson.UnmarshalOptions
	codecs         *bson.Codecs // used by marshal and unmarshal if they name none
}

// withCodecs returns the scope with its codecs in those of its marshal and unmarshal options that name none.
func (s scope) withCodecs() scope {
	if s.codecs == nil {
		return s
	}
	var m bson.MarshalOptions
	if s.marshal != nil {
		m = *s.marshal
	}
	var u bson.UnmarshalOptions
	if s.unmarshal != nil {
		u = *s.unmarshal
	}
	if m.Codecs == nil {
		m.Codecs = s.codecs
		s.marshal = &m
	}
	if u.Codecs == nil {
		u.Codecs = s.codecs
		s.unmarshal = &u
	}
	return s
}

// withoutCodecs takes the scope's codecs out of the options that withCodecs put them into.
func (s scope) withoutCodecs() scope {
	if s.codecs != nil && s.marshal.Codecs == s.codecs {
		m := *s.marshal
		m.Codecs = nil
		s.marshal = &m
	}
	if s.codecs != nil && s.unmarshal.Codecs == s.codecs {
		u := *s.unmarshal
		u.Codecs = nil
		s.unmarshal = &u
	}
	return s
}

// narrow returns the scope with the settings in o that are set in place of its own. It copies them, because the handle
// outlasts the call that made it.
func (s scope) narrow(o options.Collection) scope {
	o = option.Copy(o)
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
	if o.Codecs != nil {
		s = s.withoutCodecs()
		s.codecs = o.Codecs
	}
	if o.Marshal != nil {
		s.marshal = o.Marshal
	}
	if o.Unmarshal != nil {
		s.unmarshal = o.Unmarshal
	}
	return s.withCodecs()
}

// comment encodes a comment once for all commands that carry it, because the program's own value may change.
func (s scope) comment(v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	t, encoded, err := bson.AppendValue(nil, v, s.marshal)
	if err != nil {
		return nil, encode.At(err, "the comment")
	}
	return bson.RawValue{Type: t, Value: encoded}, nil
}

// mergeable is a struct of options.
type mergeable[T any] interface {
	*T
	Merge(over *T)
}

// mergeOptions joins the option structs that a method received: a field that is set in a later one wins. Without any
// struct it returns nil, and a single one it returns as it is.
func mergeOptions[T any, P mergeable[T]](list []*T) *T {
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
