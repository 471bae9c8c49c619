package mongotest

import (
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
)

// handle answers one command. An error means that the connection is dropped.
func (d *Deployment) handle(r *request) (bson.Raw, error) {
	r.begin()
	defer r.end()
	d.recorder.add(r)
	return d.next(r)
}

// next answers a command, or goes on with a stream of answers: a test can intercept each.
func (d *Deployment) next(r *request) (bson.Raw, error) {
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
	r.exhaust = r.exhaustAllowed && d.streams(r, body)
	return d.finish(r, body), nil
}

// streams reports whether a command that allows it is answered once more.
func (d *Deployment) streams(r *request, reply bson.Raw) bool {
	switch r.name {
	case "hello", "isMaster", "ismaster":
		return wire.StreamingHello.In(d.config.wireVersion)
	case "getMore":
		id, _ := reply.Lookup("cursor", "id").AsInt64OK()
		return id != 0 && (!d.isRouter() || wire.MongosExhaust.In(d.config.wireVersion))
	}
	return false
}

// execute runs the checks that every command passes, in the order in which a server makes them, and then the command.
func (d *Deployment) execute(r *request) (bson.Raw, error) {
	if err := d.checkMessage(r); err != nil {
		return nil, err
	}
	command, known := commandTable()[r.name]
	if !known || d.config.wireVersion < command.since || testCommands[r.name] && !d.config.enabled("enableTestCommands") {
		return nil, status.Errorf(errcode.CommandNotFound, "no such command: '%s'", r.name)
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
	if err := r.checkReadPreference(); err != nil {
		return nil, err
	}
	fails := !command.any(neverFails)
	if fails {
		if err := r.node.failPoints.apply(r); err != nil {
			return nil, err
		}
	}
	if err := d.checkState(r, command); err != nil {
		return nil, err
	}
	if err := r.checkReadConcern(); err != nil {
		return nil, err
	}
	if err := r.checkWriteConcern(command); err != nil {
		return nil, err
	}
	body, err := d.runOnce(r, command)
	if err != nil || !fails {
		return body, err
	}
	if after := r.node.failPoints.applyAfter(r); after != nil {
		body = d.withWriteConcernError(r, body, after)
	}
	return body, nil
}

// testCommands are the commands that a server has only for tests.
var testCommands = map[string]bool{"configureFailPoint": true, "testVersion2": true, "testDeprecationInVersion2": true}

// checkMessage refuses what only newer messages, or only older ones, may carry.
func (d *Deployment) checkMessage(r *request) error {
	if !r.legacy {
		if r.body.Lookup("$db").Type != bsontype.String {
			return status.Errorf(errcode.Location40571, "OP_MSG requests require a $db argument")
		}
		return nil
	}
	name := r.name
	if !r.isCommand {
		name = "find"
	}
	if r.isCommand && (!d.wireAtLeast("5.1") || legacyCommands[name]) {
		return nil
	}
	return status.Errorf(errcode.UnsupportedOpQueryCommand,
		"Unsupported OP_QUERY command: %s. The client driver may require an upgrade. "+
			"For more details see https://dochub.mongodb.org/core/legacy-opcode-removal", name)
}

// legacyCommands are the commands that servers from 5.1 on still take in an OP_QUERY. Left out: queries of collections,
// which older servers answer.
var legacyCommands = map[string]bool{
	"hello": true, "isMaster": true, "ismaster": true, "buildInfo": true, "buildinfo": true, "authenticate": true,
	"saslStart": true, "saslContinue": true,
}

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
	return e.CodeName()
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
