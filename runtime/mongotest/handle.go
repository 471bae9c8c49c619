package mongotest

import (
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
)

// handle answers one command. An error means that the connection is dropped.
func (d *Deployment) handle(r *request) (bson.Raw, error) {
	d.recorder.add(r)
	if reply, ok, err := d.controls.intercept(r); ok {
		return reply, err
	}
	body, err := d.execute(r)
	if errors.Is(err, errDrop) {
		return nil, err
	}
	if err != nil {
		return d.errorReply(r, status.From(err)), nil
	}
	return d.finish(r, body), nil
}

// execute runs the checks that every command passes, in the order in which a server makes them, and then the command.
func (d *Deployment) execute(r *request) (bson.Raw, error) {
	command, known := commandTable()[r.name]
	if !known || d.config.wireVersion < command.since {
		return nil, status.Errorf(errcode.CommandNotFound, "no such command: '%s'", r.name)
	}
	if r.legacy && !command.any(beforeAuth) {
		return nil, status.Errorf(errcode.UnsupportedOpQueryCommand,
			"Unsupported OP_QUERY command: %s. The client driver may require an upgrade.", r.name)
	}
	if err := d.checkAPIVersion(r, command); err != nil {
		return nil, err
	}
	if err := d.checkAuthenticated(r, command); err != nil {
		return nil, err
	}
	d.data.hear(r)
	if err := d.openSession(r, command); err != nil {
		return nil, err
	}
	var after *failPoint
	if !command.any(neverFails) {
		var err error
		if after, err = r.node.failPoints.apply(r); err != nil {
			return nil, err
		}
	}
	if err := d.checkState(r, command); err != nil {
		return nil, err
	}
	body, err := d.runOnce(r, command)
	if err == nil && after != nil && len(after.writeConcernError) > 0 {
		body = d.withWriteConcernError(r, body, after)
	}
	return body, err
}

// finish adds what every successful reply ends with.
func (d *Deployment) finish(r *request, body bson.Raw) bson.Raw {
	dst := append(make([]byte, 0, len(body)+160), body[:len(body)-1]...)
	if body.Lookup("ok").IsZero() {
		dst = bson.AppendDoubleElement(dst, "ok", 1)
	}
	dst = d.appendTimes(dst, r)
	return bson.AppendDocumentEnd(dst, 0)
}

// errorReply is the document that says what went wrong.
func (d *Deployment) errorReply(r *request, e *status.Error) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendDoubleElement(dst, "ok", 0)
	dst = bson.AppendStringElement(dst, "errmsg", e.Message)
	dst = bson.AppendInt32Element(dst, "code", int32(e.Code))
	dst = bson.AppendStringElement(dst, "codeName", e.Code.String())
	for key, value := range e.Info.All() {
		dst = bson.AppendRawValueElement(dst, key, value)
	}
	if labels := d.labelsOf(r, e); len(labels) > 0 {
		dst = appendStrings(dst, "errorLabels", labels)
	}
	dst = d.appendTopologyVersion(dst, r, e.Code)
	dst = d.appendTimes(dst, r)
	return bson.AppendDocumentEnd(dst, start)
}

// labelsOf is the error labels of a reply: those that the error brought along, else those that a server adds by itself.
func (d *Deployment) labelsOf(r *request, e *status.Error) []string {
	if e.Labels != nil {
		return e.Labels
	}
	if r.session == nil || !d.wireAtLeast("4.4") {
		return nil
	}
	var labels []string
	code := errcode.Code(e.Code)
	if r.session.inTransaction {
		if r.name != "commitTransaction" && isTransient(code) {
			labels = append(labels, errcode.LabelTransientTransactionError)
		}
		if r.name != "commitTransaction" && r.name != "abortTransaction" {
			return labels
		}
	}
	if r.session.txnNumber != nil && code.IsRetryableWrite() {
		labels = append(labels, errcode.LabelRetryableWriteError)
	}
	return labels
}

// appendTimes adds the logical times that members of a replica set and routers gossip.
func (d *Deployment) appendTimes(dst []byte, r *request) []byte {
	if d.config.kind == standalone || r.legacy {
		return dst
	}
	now := d.data.clusterTime()
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

// appendTopologyVersion adds the node's topologyVersion to the reply that holds a state change error, so that a driver
// can tell whether it has heard of the change.
func (d *Deployment) appendTopologyVersion(dst []byte, r *request, code errcode.Code) []byte {
	if !code.IsStateChange() || !d.wireAtLeast("4.4") {
		return dst
	}
	process, counter, _ := r.node.topologyVersion()
	return bson.AppendDocumentElement(dst, "topologyVersion", topologyVersion(process, counter))
}

// isTransient reports whether a server calls an error in a transaction transient: the transaction may succeed when it is
// run again.
func isTransient(code errcode.Code) bool {
	switch code {
	case errcode.WriteConflict, errcode.NoSuchTransaction, errcode.LockTimeout, errcode.SnapshotUnavailable,
		errcode.PreparedTransactionInProgress:
		return true
	}
	return code.IsRetryableWrite()
}
