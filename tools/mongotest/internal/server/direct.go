package server

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// Run runs an engine command on the newest state, without a connection and its checks.
func (k *Cluster) Run(ctx context.Context, db string, command bson.D) (bson.Raw, error) {
	body, err := bson.Marshal(command)
	if err != nil {
		return nil, err
	}
	name := command[0].Key
	handler, ok := engine.Commands()[name]
	if !ok {
		return nil, status.UnknownCommand(name)
	}
	dst, start := bson.AppendDocumentStart(nil)
	dst, err = handler(k.engine, ctx, &engine.Request{Name: name, DB: db, Body: body, WireVersion: k.Wire}, dst)
	if err != nil {
		return nil, err
	}
	reply := bson.Raw(bson.AppendDocumentEnd(dst, start))
	if failed := reply.Lookup("writeErrors", "0"); !failed.IsZero() {
		doc, _ := failed.DocumentOK()
		text, _ := doc.Lookup("errmsg").StringOK()
		code, _ := doc.Lookup("code").AsInt64OK()
		return nil, status.Errorf(errcode.Code(code), "%s", text)
	}
	return reply, nil
}

// Namespaces returns the collections and views that clients have made.
func (k *Cluster) Namespaces() (list []string) {
	snapshot := k.store.Latest()
	for _, db := range snapshot.Databases() {
		if db == "local" || db == "config" {
			continue
		}
		for _, c := range snapshot.Collections(db) {
			if !c.IsProvided() {
				list = append(list, c.Namespace())
			}
		}
	}
	return list
}

// Expire does the periodic work now: it ends old sessions and transactions, expired documents and idle cursors.
func (k *Cluster) Expire() {
	k.sessions.EndOld()
	k.sessions.AbortOld()
	k.engine.Expire()
	limit := k.parameters.duration("cursorTimeoutMillis", time.Millisecond)
	for _, n := range k.Nodes {
		n.engine.Cursors().KillIdle(k.Now().Add(-limit))
	}
}
