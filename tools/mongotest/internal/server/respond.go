package server

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/failpoint"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// finish adds the fields that end every successful reply.
func (r *request) finish(body bson.Raw) bson.Raw {
	dst := body[:len(body)-1]
	if !r.ownsReply {
		dst = append(make([]byte, 0, len(body)+160), dst...)
	}
	if body.Lookup("ok").IsZero() {
		dst = bson.AppendDoubleElement(dst, "ok", 1)
	}
	if r.cluster.IsRouter() && r.session.IsActive() {
		// With this a router where the transaction did not begin can ask the shard for its outcome.
		dst = bson.AppendDocumentElement(dst, "recoveryToken", r.session.RecoveryToken(shardName))
	}
	dst = r.appendTimes(dst)
	return bson.AppendDocumentEnd(dst, 0)
}

// errorReply returns the document that describes an error.
func (r *request) errorReply(e *status.Error) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	if !r.IsCommand {
		dst = bson.AppendStringElement(dst, "$err", e.Message)
	}
	dst = bson.AppendDoubleElement(dst, "ok", 0)
	dst = bson.AppendStringElement(dst, "errmsg", e.Message)
	dst = bson.AppendInt32Element(dst, "code", int32(e.Code))
	dst = bson.AppendStringElement(dst, "codeName", codeName(e.Code, r.Wire))
	dst = e.AppendInfo(dst)
	if labels := r.labelsOf(e); len(labels) > 0 {
		dst = reply.AppendStrings(dst, "errorLabels", labels)
	}
	dst = r.appendTopologyVersion(dst, e.Code)
	dst = r.appendTimes(dst)
	return bson.AppendDocumentEnd(dst, start)
}

// codeName returns a code's name in a server version. Before 5.0 a primary was called master.
func codeName(code errcode.Code, version int32) string {
	if former := code.FormerName(); former != "" && code.IsStateChange() && version < wire.Server50 {
		return former
	}
	return code.String()
}

// writeConcernCodeName returns a code's name in the writeConcernError of a server version.
func writeConcernCodeName(code errcode.Code, version int32) string {
	if code == errcode.UnsatisfiableWriteConcern && version < wire.Server44 ||
		code == errcode.WriteConcernTimeout && version < wire.Server80 {
		return code.FormerName()
	}
	return codeName(code, version)
}

// labelsOf returns the error labels of a reply: the error's own, or those that a server adds.
func (r *request) labelsOf(e *status.Error) []string {
	switch {
	case e.Labels != nil:
		return e.Labels
	case e.Code == errcode.ChangeStreamFatalError || e.Code == errcode.ChangeStreamHistoryLost:
		return []string{errcode.LabelNonResumableChangeStreamError} // of any command: a server looks at the code alone
	case r.session == nil:
		return nil
	}
	var labels []string
	ends := r.command != nil && r.command.endsTransaction
	if r.session.IsActive() {
		if isTransient(e.Code) || !ends && e.Code.IsRetryableWrite() {
			labels = append(labels, errcode.LabelTransientTransactionError)
		}
		if !ends {
			return labels
		}
	}
	if r.session.TxnNumber != nil && e.Code.IsRetryableWrite() && wire.RetryableWriteLabel.In(r.Wire) {
		labels = append(labels, errcode.LabelRetryableWriteError)
	}
	return labels
}

// isTransient reports whether a server calls a transaction's error transient for any command: the transaction may
// succeed when it runs again.
func isTransient(code errcode.Code) bool {
	switch code {
	case errcode.WriteConflict, errcode.NoSuchTransaction, errcode.LockTimeout, errcode.SnapshotUnavailable,
		errcode.PreparedTransactionInProgress:
		return true
	}
	return false
}

// appendTimes adds the times that replica set members and routers gossip.
func (r *request) appendTimes(dst []byte) []byte {
	if r.cluster.Shape == Standalone {
		return dst
	}
	now := r.node.operationTime()
	dst = bson.AppendTimestampElement(dst, "operationTime", now.T, now.I)
	dst, outer := bson.AppendDocumentElementStart(dst, "$clusterTime")
	gossiped := r.cluster.clock.GossipedTime()
	dst = bson.AppendTimestampElement(dst, "clusterTime", gossiped.T, gossiped.I)
	dst, signature := bson.AppendDocumentElementStart(dst, "signature")
	dst = bson.AppendBinaryElement(dst, "hash", 0, make([]byte, 20))
	dst = bson.AppendInt64Element(dst, "keyId", 0)
	dst = bson.AppendDocumentEnd(dst, signature)
	return bson.AppendDocumentEnd(dst, outer)
}

// appendTopologyVersion adds a member's topologyVersion to a "not primary" error. It lets a driver tell whether it
// already knows of the change. Shutdown errors omit it, because the state has not changed yet.
func (r *request) appendTopologyVersion(dst []byte, code errcode.Code) []byte {
	if r.cluster.Set == nil || !code.IsStateChange() || code.IsShutdown() || !wire.StreamingHello.In(r.Wire) {
		return dst
	}
	id, counter, _ := r.node.TopologyVersion()
	return bson.AppendDocumentElement(dst, "topologyVersion", topologyVersion(id, counter))
}

// appendWriteConcernError adds a write concern error and its labels to a reply.
func (r *request) appendWriteConcernError(dst []byte, e *status.Error) []byte {
	dst, start := bson.AppendDocumentElementStart(dst, "writeConcernError")
	dst = bson.AppendInt32Element(dst, "code", int32(e.Code))
	dst = bson.AppendStringElement(dst, "codeName", writeConcernCodeName(e.Code, r.Wire))
	dst = bson.AppendStringElement(dst, "errmsg", e.Message)
	timedOut := e.Code == errcode.WriteConcernTimeout
	if timedOut || r.Wire >= wire.Server44 {
		var info int
		dst, info = bson.AppendDocumentElementStart(dst, "errInfo")
		if timedOut {
			dst = bson.AppendBooleanElement(dst, "wtimeout", true)
		}
		if r.Wire >= wire.Server44 {
			dst = bson.AppendDocumentElement(dst, "writeConcern", r.write.Document())
		}
		dst = bson.AppendDocumentEnd(dst, info)
	}
	dst = bson.AppendDocumentEnd(dst, start)
	if labels := r.labelsOf(e); len(labels) > 0 {
		dst = reply.AppendStrings(dst, "errorLabels", labels)
	}
	return r.appendTopologyVersion(dst, e.Code)
}

// addWriteConcernError adds a fail point's write concern error to a reply.
func (r *request) addWriteConcernError(body bson.Raw, point *failpoint.Point) bson.Raw {
	doc, named := point.WriteConcernError()
	dst := append([]byte(nil), body[:len(body)-1]...)
	dst = bson.AppendDocumentElement(dst, "writeConcernError", doc)
	n, _ := doc.Lookup("code").AsInt64OK()
	code := errcode.Code(n)
	e := &status.Error{Code: code, Labels: named}
	if named == nil && r.session.IsActive() && !r.command.endsTransaction {
		e.Labels = []string{} // the statement took effect, so the transaction can go on
	}
	if labels := r.labelsOf(e); len(labels) > 0 {
		dst = reply.AppendStrings(dst, "errorLabels", labels)
	}
	dst = r.appendTopologyVersion(dst, code)
	return bson.AppendDocumentEnd(dst, 0)
}
