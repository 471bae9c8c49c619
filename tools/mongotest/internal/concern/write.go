package concern

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// Majority is both a write concern mode and a read concern level.
const Majority = "majority"

// maxW is the greatest value of w.
const maxW = 50

// Write is a write concern: how many members must have a write before the command is answered.
type Write struct {
	W       int64
	Mode    string         // "majority", or a name from the configuration
	Tags    map[string]int // a mode written out in the command: how many values of each tag
	J       *bool
	Fsync   bool
	Timeout time.Duration // 0 means no limit
	Source  string        // the provenance
}

// The values of Source.
const (
	ClientSupplied  = "clientSupplied"
	ImplicitDefault = "implicitDefault"
	CustomDefault   = "customDefault" // set by setDefaultRWConcern
)

// ReadWrite reads the writeConcern field of a command. If it is absent or empty, the result is the custom default or,
// without one, the implicit default.
func ReadWrite(v bson.RawValue, version int32, custom *Write, majorityByDefault bool) (Write, error) {
	wc := Write{W: -1, Source: ClientSupplied}
	d, ok := v.DocumentOK()
	switch {
	case !ok && !v.IsZero():
		return wc, status.Errorf(errcode.TypeMismatch, `"writeConcern" had the wrong type. Expected object, found %s`, v.Type)
	case len(d) <= 5 && custom != nil:
		return *custom, nil
	case len(d) <= 5:
		wc.Source = ImplicitDefault
	default:
		if err := wc.read(d, version); err != nil {
			return wc, err
		}
	}
	if wc.W < 0 {
		wc.W = 1
		if majorityByDefault {
			wc.W, wc.Mode = 0, Majority
		}
	}
	return wc, nil
}

func (wc *Write) read(fields bson.Raw, version int32) error {
	for key, v := range fields.All() {
		switch key {
		case "w":
			if err := wc.readW(v, version); err != nil {
				return err
			}
		case "j", "fsync":
			b, ok := v.AsBoolOK()
			if !ok {
				return status.Errorf(errcode.FailedToParse, "%s must be numeric or a boolean value", key)
			}
			if key == "j" {
				wc.J = &b
			} else {
				wc.Fsync = b
			}
		case "wtimeout":
			ms, _ := v.AsInt64OK()
			wc.Timeout = time.Duration(min(max(ms, 0), math.MaxInt32)) * time.Millisecond
		case "wElectionId", "wOpTime", "getLastError", "provenance":
		default:
			if version >= wire.Server50 {
				return status.Errorf(errcode.Location40415, "BSON field 'writeConcern.%s' is an unknown field.", key)
			}
			return status.Errorf(errcode.FailedToParse, "unrecognized write concern field: %s", key)
		}
	}
	if wc.Fsync && wc.J != nil && *wc.J {
		return status.Errorf(errcode.FailedToParse, "fsync and j options cannot be used together")
	}
	return nil
}

func (wc *Write) readW(v bson.RawValue, version int32) error {
	if n, ok := v.AsInt64OK(); ok {
		if n < 0 || n > maxW {
			return status.Errorf(errcode.FailedToParse, "w has to be a non-negative number and not greater than %d", maxW)
		}
		wc.W = n
		return nil
	}
	if mode, ok := v.StringOK(); ok {
		wc.W, wc.Mode = 0, mode
		return nil
	}
	tags, ok := v.DocumentOK()
	if version < wire.Server60 {
		return status.Errorf(errcode.FailedToParse, "w has to be a number or a string")
	}
	if !ok && v.Type != bsontype.Null {
		return status.Errorf(errcode.FailedToParse, "w has to be a number, string, or object; found: %s", v.Type)
	}
	if !ok {
		return nil
	}
	wc.W, wc.Tags = 0, map[string]int{}
	for key, v := range tags.All() {
		n, _ := v.AsInt64OK()
		wc.Tags[key] = int(n)
	}
	return nil
}

// IsUnacknowledged reports whether the client asked for no acknowledgment of the write.
func (wc *Write) IsUnacknowledged() bool {
	return wc.W == 0 && wc.Mode == "" && wc.Tags == nil && !wc.Fsync && (wc.J == nil || !*wc.J)
}

// Document returns the write concern as replies show it.
func (wc *Write) Document() bson.Raw {
	d := wc.WithoutProvenance()
	return bson.AppendDocumentEnd(bson.AppendStringElement(d[:len(d)-1], "provenance", wc.Source), 0)
}

// WithoutProvenance returns the write concern without its provenance.
func (wc *Write) WithoutProvenance() bson.Raw {
	d, start := bson.AppendDocumentStart(nil)
	switch {
	case wc.Mode != "":
		d = bson.AppendStringElement(d, "w", wc.Mode)
	case wc.Tags != nil:
		var in int
		d, in = bson.AppendDocumentElementStart(d, "w")
		for _, tag := range slices.Sorted(maps.Keys(wc.Tags)) {
			d = bson.AppendInt32Element(d, tag, int32(wc.Tags[tag]))
		}
		d = bson.AppendDocumentEnd(d, in)
	default:
		d = bson.AppendInt32Element(d, "w", int32(wc.W))
	}
	if wc.Fsync {
		d = bson.AppendBooleanElement(d, "fsync", true)
	} else if wc.J != nil {
		d = bson.AppendBooleanElement(d, "j", *wc.J)
	}
	d = bson.AppendInt32Element(d, "wtimeout", int32(wc.Timeout/time.Millisecond))
	return bson.AppendDocumentEnd(d, start)
}

// CheckStandalone refuses a write concern that a server outside a replica set cannot satisfy.
func (wc *Write) CheckStandalone() error {
	switch {
	case wc.W > 1:
		return status.Errorf(errcode.BadValue, "cannot use 'w' > 1 when a host is not replicated")
	case wc.Mode != "" && wc.Mode != Majority:
		return status.Errorf(errcode.BadValue, "cannot use non-majority 'w' mode %s when a host is not a member of a replica set", wc.Mode)
	}
	return nil
}

// shardMembers is the number of members of each shard behind a router. They are always up and up to date.
const shardMembers = 3

// CheckShard refuses a write concern that the shard behind a router cannot satisfy.
func (wc *Write) CheckShard() error {
	switch {
	case wc.W > shardMembers, wc.Tags != nil:
		return UnsatisfiableError("")
	case wc.Mode != "" && wc.Mode != Majority:
		return UnknownModeError(wc.Mode)
	}
	return nil
}

// UnknownModeError returns the error of a mode that the configuration does not name.
func UnknownModeError(name string) error {
	return status.Errorf(errcode.UnknownReplWriteConcern, "No write concern mode named '%s' found in replica set configuration", name)
}

// UnsatisfiableError returns the error of a write concern that needs more members than there are.
func UnsatisfiableError(mode string) error {
	if mode != "" {
		return status.Errorf(errcode.UnsatisfiableWriteConcern, "Not enough nodes match write concern mode %q", mode)
	}
	return status.Errorf(errcode.UnsatisfiableWriteConcern, "Not enough data-bearing nodes")
}
