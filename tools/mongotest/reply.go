package mongotest

import (
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// finish adds what every successful reply ends with.
func (d *Deployment) finish(r *request, body bson.Raw) bson.Raw {
	dst := body[:len(body)-1]
	if !r.ownsReply {
		dst = append(make([]byte, 0, len(body)+160), dst...)
	}
	if body.Lookup("ok").IsZero() {
		dst = bson.AppendDoubleElement(dst, "ok", 1)
	}
	if d.isRouter() && r.session != nil && r.session.inTransaction {
		// The one shard could tell what became of the transaction, if this router could not.
		dst = bson.AppendDocumentElement(dst, "recoveryToken", newReply().str("recoveryShardId", shardName).done())
	}
	dst = d.appendTimes(dst, r)
	return bson.AppendDocumentEnd(dst, 0)
}

// shardName is the id of the one shard behind the routers.
const shardName = "shard0"

// errorReply is the document that says what went wrong.
func (d *Deployment) errorReply(r *request, e *status.Error) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	if !r.isCommand {
		dst = bson.AppendStringElement(dst, "$err", e.Message)
	}
	dst = bson.AppendDoubleElement(dst, "ok", 0)
	dst = bson.AppendStringElement(dst, "errmsg", e.Message)
	dst = bson.AppendInt32Element(dst, "code", int32(e.Code))
	dst = bson.AppendStringElement(dst, "codeName", d.codeName(e))
	dst = e.AppendInfo(dst)
	if labels := d.labelsOf(r, e); len(labels) > 0 {
		dst = appendStrings(dst, "errorLabels", labels)
	}
	dst = d.appendTopologyVersion(dst, r, e.Code)
	dst = d.appendTimes(dst, r)
	return bson.AppendDocumentEnd(dst, start)
}

// codeName is the name of an error's code: before 5.0 the primaries were masters.
func (d *Deployment) codeName(e *status.Error) string {
	if former := e.Code.FormerName(); former != "" && e.Code.IsStateChange() && !d.wireAtLeast("5.0") {
		return former
	}
	return e.Code.String()
}

// labelsOf is the error labels of a reply: those that the error brought along, else those that a server adds by itself.
func (d *Deployment) labelsOf(r *request, e *status.Error) []string {
	if e.Labels != nil {
		return e.Labels
	}
	if r.session == nil {
		return nil
	}
	var labels []string
	code, ends := errcode.Code(e.Code), transactional[r.name]
	if r.session.inTransaction {
		if isTransient(code) || !ends && code.IsRetryableWrite() {
			labels = append(labels, errcode.LabelTransientTransactionError)
		}
		if !ends {
			return labels
		}
	}
	if r.session.txnNumber != nil && code.IsRetryableWrite() && d.wireAtLeast("4.4") {
		labels = append(labels, errcode.LabelRetryableWriteError)
	}
	return labels
}

// appendTimes adds the logical times that members of a replica set and routers gossip.
func (d *Deployment) appendTimes(dst []byte, r *request) []byte {
	if d.config.kind == standalone {
		return dst
	}
	now := d.operationTime(r.node)
	dst = bson.AppendTimestampElement(dst, "operationTime", now.T, now.I)
	dst, outer := bson.AppendDocumentElementStart(dst, "$clusterTime")
	gossiped := d.data.gossiped()
	dst = bson.AppendTimestampElement(dst, "clusterTime", gossiped.T, gossiped.I)
	dst, signature := bson.AppendDocumentElementStart(dst, "signature")
	dst = bson.AppendBinaryElement(dst, "hash", 0, make([]byte, 20))
	dst = bson.AppendInt64Element(dst, "keyId", 0)
	dst = bson.AppendDocumentEnd(dst, signature)
	return bson.AppendDocumentEnd(dst, outer)
}

func appendStrings(dst []byte, key string, values []string) []byte {
	dst, start := bson.AppendArrayElementStart(dst, key)
	for i, v := range values {
		dst = bson.AppendStringElement(dst, fmt.Sprint(i), v)
	}
	return bson.AppendDocumentEnd(dst, start)
}

// withWriteConcernError adds the write concern error of a fail point to a reply.
func (d *Deployment) withWriteConcernError(r *request, body bson.Raw, point *failPoint) bson.Raw {
	dst := append([]byte(nil), body[:len(body)-1]...)
	dst = bson.AppendDocumentElement(dst, "writeConcernError", point.writeConcernError)
	code, _ := point.writeConcernError.Lookup("code").AsInt64OK()
	labels := d.labelsOf(r, &status.Error{Code: errcode.Code(code), Labels: point.labels})
	if len(labels) > 0 {
		dst = appendStrings(dst, "errorLabels", labels)
	}
	dst = d.appendTopologyVersion(dst, r, errcode.Code(code))
	return bson.AppendDocumentEnd(dst, 0)
}

// appendTopologyVersion adds a member's topologyVersion to a reply that says it is not the primary, so that a driver can
// tell whether it has heard of the change. Errors of a shutdown come without: the state has not changed yet.
func (d *Deployment) appendTopologyVersion(dst []byte, r *request, code errcode.Code) []byte {
	if d.set == nil || !code.IsStateChange() || code.IsShutdown() || !wire.StreamingHello.In(d.config.wireVersion) {
		return dst
	}
	process, counter, _ := r.node.topologyVersion()
	return bson.AppendDocumentElement(dst, "topologyVersion", topologyVersion(process, counter))
}

// isTransient reports whether a server calls an error in a transaction transient whatever the command: the transaction
// may succeed when it is run again. What a retry of the command could mend is transient too, but not at the end.
func isTransient(code errcode.Code) bool {
	switch code {
	case errcode.WriteConflict, errcode.NoSuchTransaction, errcode.LockTimeout, errcode.SnapshotUnavailable,
		errcode.PreparedTransactionInProgress:
		return true
	}
	return false
}
