package mongotest

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/mongotest/internal/frame"
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

	// exhaust is set by a handler that will answer again without being asked.
	exhaust        bool
	exhaustAllowed bool

	session *sessionUse // nil without an lsid
}

func newRequest(c *clientConn, msg *frame.Message) *request {
	r := &request{
		conn: c, node: c.node, d: c.node.d, ctx: c.ctx, body: msg.Body, legacy: msg.OpCode == wire.OpQuery,
		exhaustAllowed: msg.Flags&wire.ExhaustAllowed != 0,
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
	r.db, _ = r.body.Lookup("$db").StringOK()
	if r.legacy {
		r.unwrapQuery(msg.Namespace)
	}
	return r
}

// unwrapQuery takes the command out of an OP_QUERY, which may wrap it in $query.
func (r *request) unwrapQuery(namespace string) {
	if inner, ok := r.body.Lookup("$query").DocumentOK(); ok {
		r.body = inner
		for key := range r.body.All() {
			r.name = key
			break
		}
	}
	for i := range len(namespace) {
		if namespace[i] == '.' {
			r.db = namespace[:i]
			break
		}
	}
}

// again turns the request into the one that the client of an exhaust stream would send next: it waits for a state other
// than the one that was just answered.
func (r *request) again(reply bson.Raw) {
	r.exhaust = false
	dst, start := bson.AppendDocumentStart(nil)
	for key, value := range r.body.All() {
		if key == "topologyVersion" {
			value = reply.Lookup("topologyVersion")
		}
		dst = bson.AppendRawValueElement(dst, key, value)
	}
	r.body = bson.AppendDocumentEnd(dst, start)
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

// done closes the document.
func (f *fields) done() bson.Raw { return bson.AppendDocumentEnd(f.dst, f.start) }
