// The commands hello, isMaster and ismaster: describe the node, the versions that it speaks, and the members that it
// knows.
//
// Left out: internal clients and split horizons.

package server

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// hello answers hello, isMaster and ismaster. With a topologyVersion it waits until the state changes or maxAwaitTimeMS
// has passed. With the exhaustAllowed flag it goes on answering. It negotiates compression and starts a speculative
// authentication. Servers of version 4.2 have only the old names, as real ones did until 4.2.10.
func hello(ctx context.Context, r *request) (bson.Raw, error) {
	if err := r.noteClient(); err != nil {
		return nil, err
	}
	if err := r.awaitState(ctx); err != nil {
		return nil, err
	}
	k, n := r.cluster, r.node
	// Read this first, so a later change is announced again rather than missed.
	id, counter, _ := n.TopologyVersion()
	f := reply.New()
	if known, ok := r.Body.Lookup("helloOk").AsBoolOK(); ok && wire.StreamingHello.In(r.Wire) {
		r.conn.helloOK = known
		f.Bool("helloOk", true)
	}
	if wire.StreamingHello.In(r.Wire) {
		f.Doc("topologyVersion", topologyVersion(id, counter))
	}
	if k.Set != nil {
		k.Set.DescribeHello(f, n.Index, primaryField(r.Name))
	} else {
		f.Bool(primaryField(r.Name), true)
	}
	f.Int32("maxBsonObjectSize", wire.DefaultMaxBSONObjectSize)
	f.Int32("maxMessageSizeBytes", wire.DefaultMaxMessageSizeBytes)
	f.Int32("maxWriteBatchSize", cmp.Or(int32(k.WriteBatch), wire.DefaultMaxWriteBatchSize))
	f.Date("localTime", k.Now().Add(time.Duration(n.Skew.Load())).UnixMilli())
	f.Int32("logicalSessionTimeoutMinutes", int32(k.sessions.TimeoutMinutes))
	f.Int32("connectionId", int32(r.conn.id)) // servers use the smallest type that fits
	f.Int32("minWireVersion", 0)
	f.Int32("maxWireVersion", r.Wire)
	if k.IsRouter() {
		f.String("msg", "isdbgrid")
	} else {
		f.Bool("readOnly", false)
	}
	if err := r.handshake(f); err != nil {
		return nil, err
	}
	r.conn.greeted = true
	return f.Done(), nil
}

// primaryField returns the field that says whether a node takes writes. The legacy commands use another name for it.
func primaryField(command string) string {
	if command == "hello" {
		return "isWritablePrimary"
	}
	return "ismaster"
}

// handshake appends the fields that only the first hello of a connection gets.
func (r *request) handshake(f *reply.Fields) error {
	r.negotiateCompression(f)
	if r.cluster.Shape == LoadBalanced && !r.conn.greeted {
		// Any other server ignores the field, and the driver notices that the serviceId is missing.
		if !r.Flag("loadBalanced") {
			r.hangUp = true
			return status.Errorf(errcode.LoadBalancerSupportMismatch,
				"The server is being accessed through a load balancer, but this driver does not have load balancing enabled")
		}
		f.Value("serviceId", r.node.ServiceID())
	}
	if name := r.Text("saslSupportedMechs"); name != "" {
		if !strings.Contains(name, ".") {
			return status.Errorf(errcode.BadValue, "UserName must contain a '.' separated database.user pair")
		}
		if mechanisms := r.cluster.Users.MechanismsOf(name); mechanisms != nil {
			f.Strings("saslSupportedMechs", mechanisms)
		}
	}
	if r.Has("speculativeAuthenticate") && r.Wire >= wire.Server44 {
		return r.cluster.Users.Speculate(f, r.Call, &r.conn.login)
	}
	return nil
}

// negotiateCompression answers with the client's compressors that the server has too. If the client offers none, it
// repeats the earlier agreement.
func (r *request) negotiateCompression(f *reply.Fields) {
	if offered, ok := r.Body.Lookup("compression").ArrayOK(); ok {
		r.conn.compressed = nil
		for _, value := range offered.All() {
			name, _ := value.StringOK()
			if id, known := wire.CompressorByName(name); known && id != wire.CompressorNoop {
				r.conn.compressed = append(r.conn.compressed, name)
			}
		}
	}
	if r.conn.compressed != nil {
		f.Strings("compression", r.conn.compressed)
	}
}

// awaitCodes are the error codes of a malformed awaitable hello. Each kind of server has its own.
type awaitCodes struct{ pair, counter, wait, ahead, exhaust errcode.Code }

func (k *Cluster) awaitCodes() awaitCodes {
	switch {
	case k.IsRouter():
		return awaitCodes{errcode.Location51760, errcode.Location51758, errcode.Location51759, errcode.Location51761, errcode.Location51763}
	case k.Set == nil:
		return awaitCodes{errcode.Location31368, errcode.Location31372, errcode.Location31373, errcode.Location51764, errcode.Location51756}
	}
	return awaitCodes{errcode.Location31368, errcode.Location31372, errcode.Location31373, errcode.Location31382, errcode.Location51756}
}

// awaitState delays an awaitable hello until the node's state is newer than the client's.
func (r *request) awaitState(ctx context.Context) error {
	if !wire.StreamingHello.In(r.Wire) {
		return nil
	}
	version, await := r.Body.Lookup("topologyVersion"), r.Body.Lookup("maxAwaitTimeMS")
	codes := r.cluster.awaitCodes()
	switch {
	case version.IsZero() && await.IsZero() && r.ExhaustAllowed:
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
		return status.WrongType("hello.topologyVersion", version, "object")
	}
	wait, ok := await.AsInt64OK()
	if !ok {
		return status.WrongType("hello.maxAwaitTimeMS", await, "[int, decimal, long, double]")
	}
	processOf, _ := known.Lookup("processId").ObjectIDOK()
	counterOf, _ := known.Lookup("counter").AsInt64OK()
	switch {
	case counterOf < 0:
		return status.Errorf(codes.counter, "topologyVersion must have a non-negative counter")
	case wait < 0:
		return status.Errorf(codes.wait, "maxAwaitTimeMS must be a non-negative integer")
	}
	return r.awaitNewer(ctx, processOf, counterOf, time.Duration(wait)*time.Millisecond, codes.ahead)
}

// awaitNewer waits until the node has a new topologyVersion.
func (r *request) awaitNewer(ctx context.Context, processOf bson.ObjectID, counterOf int64, wait time.Duration, ahead errcode.Code) error {
	id, counter, changed := r.node.TopologyVersion()
	if id != processOf || counter > counterOf {
		return nil
	}
	if counter < counterOf {
		return status.Errorf(ahead,
			"Received a topology version with counter: %d which is greater than the server topology version counter: %d",
			counterOf, counter)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case <-ctx.Done():
		return r.endedError(ctx)
	}
	return nil
}

func topologyVersion(id bson.ObjectID, counter int64) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendObjectIDElement(dst, "processId", id)
	dst = bson.AppendInt64Element(dst, "counter", counter)
	return bson.AppendDocumentEnd(dst, start)
}
