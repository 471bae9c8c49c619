package call

import (
	"errors"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/tools/mongotest/internal/frame"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
)

// ErrDrop makes the server close the connection without an answer.
var ErrDrop = errors.New("mongotest: the connection is dropped")

// Call is one command.
type Call struct {
	Name      string // as the client wrote it, such as "find" or "isMaster"
	DB        string
	Body      bson.Raw
	Sequences map[string][]bson.Raw // the document sequences by the name of their field
	Wire      int32                 // the wire version that the server speaks

	Legacy         bool // arrived as OP_QUERY
	IsCommand      bool // false if the OP_QUERY queries a collection
	ExhaustAllowed bool // the client accepts several answers

	index *Index
}

// New reads a message. The connection owns the index and reuses it for each command.
func New(msg *frame.Message, version int32, index *Index) *Call {
	c := &Call{
		Body: msg.Body, Wire: version, Legacy: msg.OpCode == wire.OpQuery, IsCommand: msg.Command(),
		ExhaustAllowed: msg.Flags&wire.ExhaustAllowed != 0, index: index,
	}
	for _, s := range msg.Sequences {
		if c.Sequences == nil {
			c.Sequences = map[string][]bson.Raw{}
		}
		c.Sequences[s.Identifier] = append(c.Sequences[s.Identifier], s.Documents...)
	}
	c.Name = firstKey(c.Body)
	c.DB, _ = c.Field("$db").StringOK()
	if c.Legacy {
		c.unwrapQuery(msg)
	}
	return c
}

// Inner returns a command inside another one, such as the speculative authentication of a hello.
func (c *Call) Inner(body bson.Raw, db string) *Call {
	return &Call{Name: firstKey(body), DB: db, Body: body, Wire: c.Wire, IsCommand: true, index: &Index{}}
}

// unwrapQuery takes the command out of an OP_QUERY, which may wrap it in $query. The read preference is next to the
// command, or the flag that allows a secondary implies one.
func (c *Call) unwrapQuery(msg *frame.Message) {
	c.DB, _, _ = strings.Cut(msg.Namespace, ".")
	preference := c.Body.Lookup("$readPreference")
	if inner, ok := c.Body.Lookup("$query").DocumentOK(); ok {
		c.Body = inner
		c.Name = firstKey(inner)
	}
	if preference.IsZero() && msg.SecondaryOK {
		preference = bson.RawValue{Type: bsontype.EmbeddedDocument, Value: reply.New().String("mode", "secondaryPreferred").Done()}
	}
	if !preference.IsZero() && c.Body.Lookup("$readPreference").IsZero() {
		dst := append([]byte(nil), c.Body[:len(c.Body)-1]...)
		c.Body = bson.AppendDocumentEnd(bson.AppendRawValueElement(dst, "$readPreference", preference), 0)
	}
}

func firstKey(body bson.Raw) string {
	for key := range body.All() {
		return key
	}
	return ""
}

// Follow makes the call wait for the next answer of its stream: a hello waits for a state newer than that in the
// previous answer.
func (c *Call) Follow(previous bson.Raw) {
	if c.Body.Lookup("topologyVersion").IsZero() {
		return
	}
	dst, start := bson.AppendDocumentStart(nil)
	for key, value := range c.Body.All() {
		if key == "topologyVersion" {
			value = previous.Lookup("topologyVersion")
		}
		dst = bson.AppendRawValueElement(dst, key, value)
	}
	c.Body = bson.AppendDocumentEnd(dst, start)
}

// Value returns the value of the command's first field, whose name is the command's name.
func (c *Call) Value() bson.RawValue { return c.Body.Lookup(c.Name) }

// Flag reports whether a field is true or a nonzero number.
func (c *Call) Flag(name string) bool {
	b, _ := c.Body.Lookup(name).AsBoolOK()
	return b
}

// Text reads a string. It returns "" for a field that is absent or not a string.
func (c *Call) Text(name string) string {
	s, _ := c.Body.Lookup(name).StringOK()
	return s
}

// Has reports whether the field is there.
func (c *Call) Has(name string) bool { return !c.Body.Lookup(name).IsZero() }

// Documents returns the array elements that are documents.
func Documents(value bson.RawValue) []bson.Raw {
	array, _ := value.ArrayOK()
	var out []bson.Raw
	for _, item := range array.All() {
		if doc, ok := item.DocumentOK(); ok {
			out = append(out, doc)
		}
	}
	return out
}

// Texts returns the array elements that are strings.
func Texts(value bson.RawValue) []string {
	array, _ := value.ArrayOK()
	var out []string
	for _, item := range array.All() {
		if s, ok := item.StringOK(); ok {
			out = append(out, s)
		}
	}
	return out
}
