package mongotest

import (
	"fmt"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
)

// hello answers hello, isMaster and ismaster: what the node is, which versions it speaks, the members that it knows. With
// a topologyVersion it waits until the state is another one or maxAwaitTimeMS has passed; with the exhaustAllowed flag it
// goes on answering. It negotiates compression and starts a speculative authentication. Left out: hosts of hidden
// config servers, arbiters' own lastWrite.
func hello(r *request) (bson.Raw, error) {
	if err := r.awaitState(); err != nil {
		return nil, err
	}
	r.noteClient()
	d, n := r.d, r.node
	f := newReply()
	if r.flag("helloOk") && d.wireAtLeast("4.4") {
		f.boolean("helloOk", true)
	}
	switch {
	case d.set != nil:
		d.set.describe(f, n, r.name)
	default:
		f.boolean(primaryField(r.name), true)
		if d.isRouter() {
			f.str("msg", "isdbgrid")
		}
	}
	if d.wireAtLeast("4.4") {
		process, counter, _ := n.topologyVersion()
		f.doc("topologyVersion", topologyVersion(process, counter))
	}
	f.int32("maxBsonObjectSize", wire.DefaultMaxBSONObjectSize)
	f.int32("maxMessageSizeBytes", wire.DefaultMaxMessageSizeBytes)
	f.int32("maxWriteBatchSize", wire.DefaultMaxWriteBatchSize)
	f.date("localTime", d.config.now().UnixMilli())
	f.int32("logicalSessionTimeoutMinutes", sessionTimeoutMinutes)
	f.int64("connectionId", r.conn.id)
	f.int32("minWireVersion", 0)
	f.int32("maxWireVersion", d.config.wireVersion)
	f.boolean("readOnly", false)
	if err := r.handshake(f); err != nil {
		return nil, err
	}
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
	if r.flag("loadBalanced") {
		if r.d.config.kind != loadBalanced {
			return nil // a server that is not behind a load balancer ignores it; the driver misses the serviceId
		}
		r.conn.loadBalanced = true
		f.value("serviceId", r.node.service)
	}
	if name := r.text("saslSupportedMechs"); name != "" {
		if mechanisms := r.d.users.mechanismsOf(name); mechanisms != nil {
			f.strings("saslSupportedMechs", mechanisms)
		}
	}
	if speculative, ok := r.body.Lookup("speculativeAuthenticate").DocumentOK(); ok && r.d.wireAtLeast("4.4") {
		if reply := r.speculate(speculative); reply != nil {
			f.doc("speculativeAuthenticate", reply)
		}
	}
	return nil
}

func (r *request) negotiateCompression(f *fields) {
	offered, ok := r.body.Lookup("compression").ArrayOK()
	if !ok {
		return
	}
	var accepted []string
	for _, value := range offered.All() {
		name, _ := value.StringOK()
		if id, known := wire.CompressorByName(name); known && id != wire.CompressorNoop {
			accepted = append(accepted, name)
		}
	}
	if accepted != nil {
		f.strings("compression", accepted)
	}
}

// noteClient keeps the application's name, which fail points can be limited to.
func (r *request) noteClient() {
	name, ok := r.body.Lookup("client", "application", "name").StringOK()
	if !ok {
		return
	}
	r.conn.mu.Lock()
	defer r.conn.mu.Unlock()
	r.conn.appName = name
}

// awaitState holds an awaitable hello back until the node's state is newer than the one that the client knows.
func (r *request) awaitState() error {
	known, ok := r.body.Lookup("topologyVersion").DocumentOK()
	if !ok || !r.d.wireAtLeast("4.4") {
		return nil
	}
	wait, ok := r.body.Lookup("maxAwaitTimeMS").AsInt64OK()
	if !ok || wait < 0 {
		return status.Errorf(errcode.Code(51758), "A request with a 'topologyVersion' must include 'maxAwaitTimeMS'")
	}
	processOf, _ := known.Lookup("processId").ObjectIDOK()
	counterOf, _ := known.Lookup("counter").AsInt64OK()
	r.exhaust = r.exhaustAllowed
	process, counter, changed := r.node.topologyVersion()
	if process != processOf || counter > counterOf {
		return nil
	}
	if counter < counterOf {
		return status.Errorf(errcode.Code(51764), "Received a topology version with counter: %d which is greater than the server topology version counter: %d", counterOf, counter)
	}
	timer := time.NewTimer(time.Duration(wait) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case <-r.ctx.Done():
		return errDrop
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
