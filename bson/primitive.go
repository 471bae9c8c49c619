package bson

import (
	"bytes"
	"cmp"
	"time"
)

// DateTime is a BSON date: milliseconds since 1970-01-01 UTC. A time.Time decodes from it and encodes to it as well.
type DateTime int64

// NewDateTimeFromTime returns t as a DateTime. It rounds down to milliseconds.
func NewDateTimeFromTime(t time.Time) DateTime { return DateTime(t.UnixMilli()) }

// Time returns the date in UTC.
func (d DateTime) Time() time.Time { return time.UnixMilli(int64(d)).UTC() }

// Timestamp is the internal clock of the server: seconds T, and I, which orders events within a second.
type Timestamp struct {
	T uint32
	I uint32
}

// Compare returns -1 if t is before o, 0 if they are equal, and 1 if t is after o.
func (t Timestamp) Compare(o Timestamp) int {
	if c := cmp.Compare(t.T, o.T); c != 0 {
		return c
	}
	return cmp.Compare(t.I, o.I)
}

// After reports whether t is later than o.
func (t Timestamp) After(o Timestamp) bool { return t.Compare(o) > 0 }

// Before reports whether t is earlier than o.
func (t Timestamp) Before(o Timestamp) bool { return t.Compare(o) < 0 }

// Equal reports whether t and o are the same moment.
func (t Timestamp) Equal(o Timestamp) bool { return t == o }

// IsZero reports whether the timestamp is (0, 0). In inserted documents the server replaces that with its current time.
func (t Timestamp) IsZero() bool { return t == Timestamp{} }

// Binary is binary data with its subtype. A plain []byte encodes as subtype 0.
type Binary struct {
	Subtype byte
	Data    []byte
}

// Equal reports whether b and o have the same subtype and bytes.
func (b Binary) Equal(o Binary) bool { return b.Subtype == o.Subtype && bytes.Equal(b.Data, o.Data) }

// IsZero reports whether b has subtype 0 and no data.
func (b Binary) IsZero() bool { return b.Subtype == 0 && len(b.Data) == 0 }

// Regex is a regular expression. Options are written in alphabetical order, as BSON requires.
type Regex struct {
	Pattern string
	Options string
}

// IsZero reports whether pattern and options are empty.
func (r Regex) IsZero() bool { return r == Regex{} }

// JavaScript is JavaScript code without a scope.
type JavaScript string

// Symbol is a deprecated type of string, kept for documents that hold it.
type Symbol string

// CodeWithScope is JavaScript code with the variables that it can use. Scope is any value that encodes to a document.
type CodeWithScope struct {
	Code  JavaScript
	Scope any
}

// DBPointer is a deprecated reference to a document of the collection DB ("database.collection").
type DBPointer struct {
	DB      string
	Pointer ObjectID
}

// IsZero reports whether the reference is empty.
func (d DBPointer) IsZero() bool { return d == DBPointer{} }

// MinKey sorts before every other value.
type MinKey struct{}

// MaxKey sorts after every other value.
type MaxKey struct{}

// Undefined is a deprecated type, kept for documents that hold it.
type Undefined struct{}

// Null is BSON null. A nil any encodes as null too, and null decodes into an any as nil.
type Null struct{}
