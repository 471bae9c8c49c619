// The commands hello, isMaster and ismaster: what the node is, which versions it speaks, and the members that it knows.
//
// Left out: internal clients and split horizons.

package mongotest

import (
	"fmt"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// hello answers hello, isMaster and ismaster: what the node is, which versions it speaks, the members that it knows. With
// a topologyVersion it waits until the state is another one or maxAwaitTimeMS has passed; with the exhaustAllowed flag it
// goes on answering. It negotiates compression and starts a speculative authentication. Servers of version 4.2 know it by
// its old names alone, as they did until 4.2.10. Left out: internal clients, split horizons.
func hello(r *request) (bson.Raw, error) {
	if err := r.noteClient(); err != nil {
		return nil, err
	}
	if err := r.awaitState(); err != nil {
		return nil, err
	}
	d, n := r.d, r.node
	// Read before the rest: a change in between shows in the state and is announced once more, instead of never.
	process, counter, _ := n.topologyVersion()
	f := newReply()
	if known, ok := r.body.Lookup("helloOk").AsBoolOK(); ok && d.wireAtLeast("4.4") {
		r.conn.helloOK = known
		f.boolean("helloOk", true)
	}
	if wire.StreamingHello.In(d.config.wireVersion) {
		f.doc("topologyVersion", topologyVersion(process, counter))
	}
	if d.set != nil {
		d.set.describe(f, n, r.name)
	} else {
		f.boolean(primaryField(r.name), true)
	}
	f.int32("maxBsonObjectSize", wire.DefaultMaxBSONObjectSize)
	f.int32("maxMessageSizeBytes", wire.DefaultMaxMessageSizeBytes)
	f.int32("maxWriteBatchSize", wire.DefaultMaxWriteBatchSize)
	f.date("localTime", d.config.now().UnixMilli())
	f.int32("logicalSessionTimeoutMinutes", int32(d.sessions.timeoutMinutes))
	f.int32("connectionId", int32(r.conn.id)) // servers take the smallest type that fits
	f.int32("minWireVersion", 0)
	f.int32("maxWireVersion", d.config.wireVersion)
	if d.isRouter() {
		f.str("msg", "isdbgrid")
	} else {
		f.boolean("readOnly", false)
	}
	if err := r.handshake(f); err != nil {
		return nil, err
	}
	r.conn.greeted = true
	return f.done(), nil
}

// primaryField is the name under which a node says that it takes writes: the legacy commands have their own.
func primaryField(command string) string {
	if command == "hello" {
		return "isWritablePrimary"
	}
	return "ismaster"
}

// handshake answers the parts of a hello that only the first one of a connection carries.
func (r *request) handshake(f *fields) error {
	r.negotiateCompression(f)
	if r.d.config.kind == loadBalanced && !r.conn.greeted {
		// A server that is not behind a load balancer ignores the field; the driver misses the serviceId.
		if !r.flag("loadBalanced") {
			r.hangUp = true
			return status.Errorf(errcode.LoadBalancerSupportMismatch,
				"The server is being accessed through a load balancer, but this driver does not have load balancing enabled")
		}
		f.value("serviceId", r.node.serviceID())
	}
	if name := r.text("saslSupportedMechs"); name != "" {
		if !strings.Contains(name, ".") {
			return status.Errorf(errcode.BadValue, "UserName must contain a '.' separated database.user pair")
		}
		if mechanisms := r.d.users.mechanismsOf(name); mechanisms != nil {
			f.strings("saslSupportedMechs", mechanisms)
		}
	}
	if body := r.body.Lookup("speculativeAuthenticate"); !body.IsZero() && r.d.wireAtLeast("4.4") {
		return r.speculate(f, body)
	}
	return nil
}

// negotiateCompression answers with the compressors of the client that the server has too, and without a question with
// those that were agreed on before.
func (r *request) negotiateCompression(f *fields) {
	if offered, ok := r.body.Lookup("compression").ArrayOK(); ok {
		r.conn.compressed = nil
		for _, value := range offered.All() {
			name, _ := value.StringOK()
			if id, known := wire.CompressorByName(name); known && id != wire.CompressorNoop {
				r.conn.compressed = append(r.conn.compressed, name)
			}
		}
	}
	if r.conn.compressed != nil {
		f.strings("compression", r.conn.compressed)
	}
}

// awaitCodes are the codes of an awaitable hello that cannot be answered: each kind of server has its own.
type awaitCodes struct{ pair, counter, wait, ahead, exhaust errcode.Code }

func (d *Deployment) awaitCodes() awaitCodes {
	switch {
	case d.isRouter():
		return awaitCodes{errcode.Location51760, errcode.Location51758, errcode.Location51759, errcode.Location51761, errcode.Location51763}
	case d.set == nil:
		return awaitCodes{errcode.Location31368, errcode.Location31372, errcode.Location31373, errcode.Location51764, errcode.Location51756}
	}
	return awaitCodes{errcode.Location31368, errcode.Location31372, errcode.Location31373, errcode.Location31382, errcode.Location51756}
}

// awaitState holds an awaitable hello back until the node's state is newer than the one that the client knows.
func (r *request) awaitState() error {
	if !wire.StreamingHello.In(r.d.config.wireVersion) {
		return nil
	}
	version, await := r.body.Lookup("topologyVersion"), r.body.Lookup("maxAwaitTimeMS")
	codes := r.d.awaitCodes()
	switch {
	case version.IsZero() && await.IsZero() && r.exhaustAllowed:
		return status.Errorf(codes.exhaust, "A hello/isMaster request with exhaust must specify 'maxAwaitTimeMS'")
	case version.IsZero() && await.IsZero():
		return nil
	case version.IsZero():
		return status.Errorf(codes.pair, "A request with 'maxAwaitTimeMS' must include a 'topologyVersion'")
	case await.IsZero():
		return status.Errorf(codes.pair, "A request with a 'topologyVersion' must include 'maxAwaitTimeMS'")
	}
	known, ok := version.DocumentOK()
	if !ok {
		return wrongType("hello.topologyVersion", version, "object")
	}
	wait, ok := await.AsInt64OK()
	if !ok {
		return wrongType("hello.maxAwaitTimeMS", await, "[int, decimal, long, double]")
	}
	processOf, _ := known.Lookup("processId").ObjectIDOK()
	counterOf, _ := known.Lookup("counter").AsInt64OK()
	switch {
	case counterOf < 0:
		return status.Errorf(codes.counter, "topologyVersion must have a non-negative counter")
	case wait < 0:
		return status.Errorf(codes.wait, "maxAwaitTimeMS must be a non-negative integer")
	}
	return r.awaitNewer(processOf, counterOf, time.Duration(wait)*time.Millisecond, codes.ahead)
}

// awaitNewer waits until the node's topologyVersion is another one.
func (r *request) awaitNewer(processOf bson.ObjectID, counterOf int64, wait time.Duration, ahead errcode.Code) error {
	process, counter, changed := r.node.topologyVersion()
	if process != processOf || counter > counterOf {
		return nil
	}
	if counter < counterOf {
		return status.Errorf(ahead, "Received a topology version with counter: %d which is greater than the server topology version counter: %d", counterOf, counter)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case <-r.ctx.Done():
		return r.ended()
	}
	return nil
}

func topologyVersion(process bson.ObjectID, counter int64) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendObjectIDElement(dst, "processId", process)
	dst = bson.AppendInt64Element(dst, "counter", counter)
	return bson.AppendDocumentEnd(dst, start)
}

// electionID is the ObjectID that stands for a term, as servers make it: it grows with the term.
func electionID(term int64) bson.ObjectID {
	var id bson.ObjectID
	copy(id[:], []byte{0x7f, 0xff, 0xff, 0xff})
	for i := range 8 {
		id[4+i] = byte(term >> (8 * (7 - i)))
	}
	return id
}

func (n *node) String() string { return fmt.Sprintf("node %d (%s)", n.index, n.address) }
