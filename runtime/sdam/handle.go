package sdam

import (
	"errors"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"

	"github.com/specdrivers/onion/generated/core/sdamtable"
)

// ApplicationError is an error that happened in an operation, or while a connection for an operation was established.
type ApplicationError struct {
	Address        string
	Generation     uint64          // the generation of the connection
	PoolGeneration uint64          // the current generation of the server's pool, or of the service's connections in it
	ServiceID      *bson.ObjectID  // the service behind the load balancer, if the connection knew it
	Phase          sdamtable.Phase // AfterHandshake for an established connection
	Err            error
}

// HandleError returns the topology description after an application error, and the effects. It changes nothing if the
// error comes from an older generation of the pool, or if its topologyVersion is not newer than the one in the current
// description.
//
// SDAM, "Application errors".
func (m *Model) HandleError(t description.Topology, e *ApplicationError) (description.Topology, Effects) {
	current, ok := t.Server(e.Address)
	if !ok || e.Generation < e.PoolGeneration || isBlameless(e.Err) {
		return t, Effects{}
	}
	cause, version := causeOf(e.Err)
	if current.TopologyVersion.Compare(version) >= 0 {
		return t, Effects{}
	}
	balanced := t.Type == description.LoadBalanced
	effects := sdamtable.Effects(e.Phase, cause, balanced)
	var fx Effects
	if effects&sdamtable.MarkUnknown != 0 {
		t, fx = m.Apply(t, description.Server{Address: e.Address, Err: e.Err, TopologyVersion: version})
	}
	if effects&sdamtable.ClearPool != 0 && (!balanced || e.ServiceID != nil) {
		clear := Clear{Address: e.Address, Cause: e.Err}
		if balanced {
			clear.ServiceID = e.ServiceID
		}
		fx.Clear = append(fx.Clear, clear)
	}
	if effects&sdamtable.RequestCheck != 0 {
		fx.Check = append(fx.Check, e.Address)
	}
	if effects&sdamtable.CancelCheck != 0 {
		fx.Cancel = append(fx.Cancel, e.Address)
	}
	return t, fx
}

// isBlameless reports whether an error says nothing about the server: the caller gave the operation up, or the operation
// did not get a connection from the pool.
func isBlameless(err error) bool {
	if err == nil || fault.IsCanceled(err) {
		return true
	}
	if _, ok := errors.AsType[fault.PoolClearedError](err); ok {
		return true // CMAP, "Checking Out a Connection": must not mark the server Unknown
	}
	if _, ok := errors.AsType[fault.PoolClosedError](err); ok {
		return true
	}
	_, ok := errors.AsType[fault.WaitQueueTimeoutError](err)
	return ok
}

// causeOf classifies an error with the error handling table. It also returns the topologyVersion of the error's reply.
func causeOf(err error) (sdamtable.Cause, *description.TopologyVersion) {
	if code, message, reply, ok := replyOf(err); ok {
		if cause, ok := stateChange(code, message); ok {
			return cause, topologyVersion(reply)
		}
	}
	switch {
	case fault.HasErrorLabel(err, fault.LabelSystemOverloadedError):
		return sdamtable.Overloaded, nil
	case !fault.IsNetworkError(err):
		return sdamtable.Command, nil
	case fault.IsTimeout(err):
		return sdamtable.NetworkTimeout, nil
	}
	return sdamtable.Network, nil
}

// replyOf returns the code and the message that decide how to handle a reply. They come from a command error or from a
// write concern error. Errors of single statements do not count.
//
// SDAM, "not writable primary and node is recovering".
func replyOf(err error) (code errcode.Code, message string, reply bson.Raw, ok bool) {
	if e, ok := errors.AsType[fault.CommandError](err); ok {
		return e.Code, e.Message, e.Raw, true
	}
	if e, ok := errors.AsType[fault.WriteException](err); ok && e.WriteConcernError != nil {
		return e.WriteConcernError.Code, e.WriteConcernError.Message, e.Raw, true
	}
	if e, ok := errors.AsType[fault.WriteConcernError](err); ok {
		return e.Code, e.Message, e.Raw, true
	}
	return 0, "", nil, false
}

// stateChange classifies "not writable primary" and "node is recovering" errors. It uses the message only if there is
// no code.
func stateChange(code errcode.Code, message string) (sdamtable.Cause, bool) {
	switch {
	case code.IsShutdown():
		return sdamtable.NodeShutdown, true
	case code.IsRecovering(), code == 0 && errcode.RecoveringMessage(message):
		return sdamtable.NodeRecovering, true
	case code.IsNotWritablePrimary(), code == 0 && errcode.NotWritablePrimaryMessage(message):
		return sdamtable.NotWritablePrimary, true
	}
	return 0, false
}
