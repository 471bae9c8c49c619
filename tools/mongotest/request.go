package mongotest

import (
	"context"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/frame"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// request is one command on its way through the server.
type request struct {
	conn *clientConn
	node *node
	d    *Deployment
	ctx  context.Context

	name      string
	db        string
	body      bson.Raw
	sequences map[string][]bson.Raw
	legacy    bool // came as OP_QUERY
	isCommand bool // and not as the query of a collection

	hangUp         bool // the connection ends with the answer
	exhaust        bool // the answer is not the last one
	exhaustAllowed bool

	// ownsReply is set by a handler whose reply is a buffer of its own that may be appended to.
	ownsReply bool

	session  *sessionUse // nil without an lsid
	concerns concerns    // once they are checked
}

func newRequest(c *clientConn, msg *frame.Message) *request {
	r := &request{
		conn: c, node: c.node, d: c.node.d, ctx: c.ctx, body: msg.Body, legacy: msg.OpCode == wire.OpQuery,
		isCommand: msg.Command(), exhaustAllowed: msg.Flags&wire.ExhaustAllowed != 0,
	}
	for _, s := range msg.Sequences {
		if r.sequences == nil {
			r.sequences = map[string][]bson.Raw{}
		}
		r.sequences[s.Identifier] = append(r.sequences[s.Identifier], s.Documents...)
	}
	for key := range r.body.All() {
		r.name = key
		break
	}
	r.db, _ = r.field("$db").StringOK()
	if r.legacy {
		r.unwrapQuery(msg)
	}
	return r
}

// unwrapQuery takes the command out of an OP_QUERY, which may wrap it in $query, and gives it the read preference that
// stands beside it or is meant by a flag.
func (r *request) unwrapQuery(msg *frame.Message) {
	r.db, _, _ = strings.Cut(msg.Namespace, ".")
	preference := r.body.Lookup("$readPreference")
	if inner, ok := r.body.Lookup("$query").DocumentOK(); ok {
		r.body = inner
		for key := range r.body.All() {
			r.name = key
			break
		}
	}
	if preference.IsZero() && msg.SecondaryOK {
		preference = bson.RawValue{Type: bsontype.EmbeddedDocument, Value: newReply().str("mode", "secondaryPreferred").done()}
	}
	if !preference.IsZero() && r.body.Lookup("$readPreference").IsZero() {
		dst := append([]byte(nil), r.body[:len(r.body)-1]...)
		r.body = bson.AppendDocumentEnd(bson.AppendRawValueElement(dst, "$readPreference", preference), 0)
	}
}

// again turns the request into the one that the client of a stream would send next: a hello waits for a state other than
// the one that was just answered.
func (r *request) again(reply bson.Raw) {
	r.exhaust = false
	if r.body.Lookup("topologyVersion").IsZero() {
		return
	}
	dst, start := bson.AppendDocumentStart(nil)
	for key, value := range r.body.All() {
		if key == "topologyVersion" {
			value = reply.Lookup("topologyVersion")
		}
		dst = bson.AppendRawValueElement(dst, key, value)
	}
	r.body = bson.AppendDocumentEnd(dst, start)
}

// sleep waits, unless the operation is killed or the connection closed meanwhile.
func (r *request) sleep(d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-r.ctx.Done():
		return r.ended()
	}
}

// ended is what becomes of a request whose context is over.
func (r *request) ended() error {
	if r.conn.ctx.Err() != nil {
		return errDrop
	}
	return r.interrupted()
}

// flag reads a field that is true when it is a boolean true or a number other than zero.
func (r *request) flag(name string) bool {
	b, _ := r.body.Lookup(name).AsBoolOK()
	return b
}

// text reads a field that is a string; the empty string stands for anything else.
func (r *request) text(name string) string {
	s, _ := r.body.Lookup(name).StringOK()
	return s
}

// wrongType is what a server says of a field that has not the type that it expects.
func wrongType(path string, value bson.RawValue, expected string) error {
	return status.Errorf(errcode.TypeMismatch, "BSON field '%s' is the wrong type '%s', expected type '%s'", path, value.Type, expected)
}

// isRouter reports whether the node is a mongos.
func (d *Deployment) isRouter() bool {
	return d.config.kind == sharded || d.config.kind == loadBalanced
}

// wireAtLeast reports whether the deployment's version has the wire version of the named release or a later one.
func (d *Deployment) wireAtLeast(version string) bool {
	w, ok := wire.WireVersionOf(version)
	return ok && d.config.wireVersion >= w
}

// fields is a reply under construction.
type fields struct {
	dst   []byte
	start int
}

func newReply() *fields {
	dst, start := bson.AppendDocumentStart(make([]byte, 0, 256))
	return &fields{dst: dst, start: start}
}

func (f *fields) str(key, value string) *fields {
	f.dst = bson.AppendStringElement(f.dst, key, value)
	return f
}

func (f *fields) boolean(key string, value bool) *fields {
	f.dst = bson.AppendBooleanElement(f.dst, key, value)
	return f
}

func (f *fields) int32(key string, value int32) *fields {
	f.dst = bson.AppendInt32Element(f.dst, key, value)
	return f
}

func (f *fields) int64(key string, value int64) *fields {
	f.dst = bson.AppendInt64Element(f.dst, key, value)
	return f
}

func (f *fields) date(key string, ms int64) *fields {
	f.dst = bson.AppendDateTimeElement(f.dst, key, ms)
	return f
}

func (f *fields) doc(key string, value bson.Raw) *fields {
	f.dst = bson.AppendDocumentElement(f.dst, key, value)
	return f
}

// value appends any Go value; an encoding error is a mistake of the server's own code.
func (f *fields) value(key string, value any) *fields {
	dst, err := bson.AppendValueElement(f.dst, key, value)
	if err != nil {
		panic("mongotest: reply field " + key + ": " + err.Error())
	}
	f.dst = dst
	return f
}

func (f *fields) strings(key string, values []string) *fields {
	array := make(bson.A, len(values))
	for i, v := range values {
		array[i] = v
	}
	return f.value(key, array)
}

// list appends strings, unless there are none.
func (f *fields) list(key string, values []string) *fields {
	if len(values) == 0 {
		return f
	}
	return f.strings(key, values)
}

// done closes the document.
func (f *fields) done() bson.Raw { return bson.AppendDocumentEnd(f.dst, f.start) }
