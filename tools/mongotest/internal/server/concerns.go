package server

import (
	"cmp"
	"context"
	"slices"

	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/concern"
	"github.com/specdrivers/onion/tools/mongotest/internal/replica"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// checkWriteConcern reads the write concern of a command and refuses one that the command or the topology does not
// allow.
func (r *request) checkWriteConcern() (err error) {
	v := r.Field("writeConcern")
	switch takes := r.command.access == writes || r.command.writeConcern; {
	case !takes && v.IsZero():
		return nil
	case r.session.IsActive() && !r.command.endsTransaction:
		if sent, ok := v.DocumentOK(); v.IsZero() || ok && len(sent) <= 5 {
			return nil
		}
		return status.Errorf(errcode.InvalidOptions, "writeConcern is not allowed within a multi-statement transaction")
	case !takes:
		return status.Errorf(errcode.InvalidOptions, "Command does not support writeConcern")
	}
	if r.write, err = concern.ReadWrite(v, r.Wire, r.cluster.defaults.writeConcern(), r.cluster.majorityByDefault()); err != nil {
		return err
	}
	if r.cluster.Shape == Standalone {
		return r.write.CheckStandalone()
	}
	return nil
}

// awaitWriteConcern waits until the members that the write concern names have the write, or returns why they do not.
func (r *request) awaitWriteConcern(ctx context.Context, at store.Timestamp) error {
	switch {
	case r.cluster.Set != nil:
		return r.cluster.Set.AwaitWrite(ctx, &r.write, r.term, at)
	case r.cluster.IsRouter():
		return r.write.CheckShard()
	}
	return nil
}

// checkReadConcern reads the read concern of a command and refuses one that the command, the version or the topology
// does not allow.
func (r *request) checkReadConcern() (err error) {
	if r.read, err = concern.ReadRead(r.Field("readConcern"), r.Wire); err != nil {
		return err
	}
	if r.read.Sent == nil {
		if r.command.readConcern != localOnly && !r.session.IsActive() {
			r.read.Level = cmp.Or(r.cluster.defaults.readLevel(), r.read.Level)
		}
		return nil
	}
	if r.session.IsActive() {
		err = r.checkTransactionReadConcern()
	} else {
		err = r.checkLevel()
	}
	if err != nil {
		return err
	}
	return r.checkReplicated()
}

// checkTransactionReadConcern refuses a read concern after the first statement, and levels that a transaction cannot
// have.
func (r *request) checkTransactionReadConcern() error {
	switch {
	case !r.session.StartsTxn && len(r.read.Sent) > 5:
		return status.Errorf(errcode.InvalidOptions, "Only the first command in a transaction may specify a readConcern")
	case !slices.Contains([]string{concern.Local, concern.Majority, concern.Snapshot}, r.read.Level):
		return status.Errorf(errcode.InvalidOptions,
			"The readConcern level must be either 'local' (default), 'majority' or 'snapshot' in order to run in a transaction")
	}
	return nil
}

// checkLevel checks the level against the command. Outside transactions servers have snapshot from version 5.0 on.
func (r *request) checkLevel() error {
	level := r.read.Level
	switch takes := r.command.readConcern; {
	case takes == localOnly && level != concern.Local:
		return r.read.UnsupportedError(r.Name, "read concern not supported", r.Wire)
	case takes != localOnly && level == concern.Snapshot && r.Wire < wire.Server50:
		return status.Errorf(errcode.InvalidOptions, "readConcern level snapshot is only valid in multi-statement transactions")
	case takes == noSnapshot && level == concern.Snapshot:
		return r.read.UnsupportedError(r.Name, "read concern snapshot not supported", r.Wire)
	}
	return nil
}

// checkReplicated refuses what a standalone server cannot do, and times that the deployment has not reached.
func (r *request) checkReplicated() error {
	if r.cluster.Shape == Standalone {
		return r.read.CheckStandalone()
	}
	at, name := r.read.Time()
	if known := r.cluster.clock.GossipedTime(); at > store.MakeTimestamp(known.T, known.I) {
		return r.read.TooLateError(known)
	}
	if at > r.cluster.store.Latest().Time() {
		// The deployment knows the time only from gossip. A no-op entry makes the members reach it.
		r.cluster.store.Noop("noop write for " + name + " read concern")
	}
	return nil
}

// readState returns the state that a read sees, nil for the latest.
func (r *request) readState(ctx context.Context) (*store.Snapshot, error) {
	if r.read.Level == concern.Linearizable {
		if r.cluster.Set == nil {
			return nil, nil
		}
		return r.cluster.Set.AwaitLinearizable(ctx, r.node.Index, r.term)
	}
	var snapshot *store.Snapshot
	err := replica.Await(ctx, func() (bool, error) {
		snapshot = r.visibleSnapshot()
		newest := r.cluster.store.Latest()
		if snapshot != nil {
			newest = snapshot
		}
		return newest.Time() >= max(r.read.After, r.read.At), nil
	})
	if err == nil && r.read.At > 0 {
		return r.cluster.store.At(r.read.At)
	}
	return snapshot, err
}

// visibleSnapshot returns the newest state that the node may show at the read concern's level, nil for the latest.
func (r *request) visibleSnapshot() *store.Snapshot {
	switch {
	case r.cluster.Set != nil:
		return r.cluster.Set.VisibleSnapshot(r.node.Index, r.read.Level)
	case r.read.Level == concern.Snapshot:
		return r.cluster.store.Latest()
	}
	return nil
}
