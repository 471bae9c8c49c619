// The commands fsync and fsyncUnlock. There is no disk, so without a lock fsync does nothing. With a lock, writes wait
// until there have been as many unlocks as locks.

package server

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

func fsync(_ context.Context, r *request) (bson.Raw, error) {
	if !r.Flag("lock") {
		return reply.New().Int32("numFiles", 1).Done(), nil
	}
	if r.cluster.IsRouter() && r.Wire < wire.Server71 {
		return nil, status.Errorf(errcode.CommandNotSupported, "can't do lock through mongos")
	}
	l := &r.cluster.writeLock
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held++; l.free == nil {
		l.free = make(chan struct{})
	}
	return reply.New().String("info", "now locked against writes, use db.fsyncUnlock() to unlock").Int64("lockCount", l.held).
		String("seeAlso", "http://dochub.mongodb.org/core/fsynccommand").Done(), nil
}

func fsyncUnlock(_ context.Context, r *request) (bson.Raw, error) {
	l := &r.cluster.writeLock
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == 0 {
		return nil, status.Errorf(errcode.IllegalOperation, "fsyncUnlock called when not locked")
	}
	if l.held--; l.held == 0 {
		close(l.free)
		l.free = nil
	}
	return reply.New().String("info", "fsyncUnlock completed").Int64("lockCount", l.held).Done(), nil
}
