package mutant

// All are the planted bugs.
var All = []Mutant{
	{"a retry has another txnNumber", []Edit{
		{"runtime/internal/exec/encode.go", "if t.txnNumber == 0 {",
			"if true {"},
	}},
	{"writes ask for one member only", []Edit{
		{"runtime/internal/exec/encode.go", `return command.AppendWriteConcern(dst, "writeConcern", t.op.WriteConcern, t.op.csot)`,
			`return command.AppendWriteConcern(dst, "writeConcern", &options.WriteConcern{W: 1}, t.op.csot)`},
	}},
	{"reads lose their read concern", []Edit{
		{"runtime/internal/exec/encode.go", "\trc := t.op.ReadConcern\n",
			"\trc := (*options.ReadConcern)(nil)\n"},
	}},
	{"the cluster time is not gossiped", []Edit{
		{"runtime/internal/exec/encode.go", "if now := t.clusterTime(); now != nil {",
			"if now := t.clusterTime(); now == nil && len(dst) == 0 {"},
	}},
	{"a causal session forgets what it has seen", []Edit{
		{"runtime/internal/session/client.go", "\tif c.causal {",
			"\tif c.causal && c.snapshot {"},
	}},
	{"a snapshot session reads from a new snapshot each time", []Edit{
		{"runtime/internal/session/client.go", "\tif c.snapshotTime == (bson.Timestamp{}) {",
			"\tif c.snapshotTime == (bson.Timestamp{}) && c.implicit {"},
	}},
	{"two sessions get one server session", []Edit{
		{"runtime/internal/session/server.go", "\t\tp.free[n-1] = nil\n\t\tp.free = p.free[:n-1]\n\t\tif !s",
			"\t\tif !s"},
	}},
	{"a session is returned dirty", []Edit{
		{"runtime/internal/session/server.go", "if s.dirty || s.lastUse",
			"if s.lastUse"},
	}},
	{"a transaction has the number of the one before", []Edit{
		{"runtime/internal/session/transaction.go", "\tc.server.NextTxnNumber()\n",
			""},
	}},
	{"every command starts the transaction", []Edit{
		{"runtime/internal/exec/execution.go", "e.inTxn, e.first = true, t.State == txn.Starting",
			"e.inTxn, e.first = true, true"},
	}},
	{"a clear does not begin a generation", []Edit{
		{"runtime/pool/clear.go", "\tp.generation++\n\tif wasReady",
			"\tif wasReady"},
	}},
	{"maxConnecting is not kept", []Edit{
		{"runtime/pool/pool.go", "p.pending < p.lim.maxConnecting &&",
			"p.pending < p.lim.maxConnecting+5 &&"},
	}},
	{"maxPoolSize is not kept", []Edit{
		{"runtime/pool/pool.go", "p.total < p.lim.maxPoolSize)",
			"p.total < p.lim.maxPoolSize+1)"},
	}},
	{"a check-out waits longer than its context", []Edit{
		{"runtime/pool/checkout.go", "\tcase <-ctx.Done():\n\t\treturn p.giveUp(w, ctx.Err())\n",
			"\tcase <-context.WithoutCancel(ctx).Done():\n\t\treturn p.giveUp(w, ctx.Err())\n"},
	}},
	{"a late reply goes to the next operation", []Edit{
		{"runtime/internal/conn/conn.go", "\tc.broken.Store(true)\n\treturn fault.NetworkError{Address: c.addr, Doing: doing, Err: err}",
			"\treturn fault.NetworkError{Address: c.addr, Doing: doing, Err: err}"},
		{"runtime/internal/conn/late.go", "if h.responseTo != c.awaited {",
			"if h.responseTo > c.lastID {"},
	}},
	{"a stale primary is accepted", []Edit{
		{"runtime/sdam/actions.go", "u.next.MaxElectionID, u.next.MaxSetVersion) < 0 {",
			"u.next.MaxElectionID, u.next.MaxSetVersion) < -1 {"},
	}},
	{"the monitor's connection is not closed", []Edit{
		{"runtime/internal/topology/monitor.go", "\tif m.conn != nil {\n\t\tm.conn.Close()",
			"\tif m.conn != nil && m.ctx.Err() == nil {\n\t\tm.conn.Close()"},
	}},
	{"checks do not keep their distance", []Edit{
		{"runtime/internal/topology/monitor.go", "slept < selecttable.MinHeartbeatFrequency {",
			"slept < 0 {"},
	}},
	{"a failed command has no event", []Edit{
		{"runtime/internal/exec/publish.go", "p.Events.Failed(ctx, n.exchange, elapsed, err, redacted)",
			"_, _ = elapsed, redacted"},
	}},
	{"a change stream resumes from an older event", []Edit{
		{"runtime/mongo/changestream.go", "\ts.token = id\n",
			"\tif s.token == nil || len(id) == 0 {\n\t\ts.token = id\n\t}\n"},
	}},
	{"a change stream resumes behind events that it has not returned", []Edit{
		{"runtime/mongo/changestream.go", "if s.cursor.token != nil && !s.cursor.batch.more() {\n\t\ts.token",
			"if s.cursor.token != nil {\n\t\ts.token"},
	}},
	{"a cursor ends with its second batch", []Edit{
		{"runtime/mongo/cursor.go", "\tc.id = reply.ID\n\tc.token",
			"\tc.id = 0\n\tc.token"},
	}},
	{"an upload counts its chunks from 1", []Edit{
		{"runtime/mongo/gridfschunks.go", `"n", int32(n))`,
			`"n", int32(n+1))`},
	}},
	{"a bulk write counts the last batch alone", []Edit{
		{"runtime/mongo/bulkrun.go", "b.result.ModifiedCount += reply.NModified",
			"b.result.ModifiedCount = reply.NModified/2"},
	}},
	{"an abort waits for ever", []Edit{
		{"runtime/mongo/session.go", "\tif timeout == nil {\n\t\tvar cancel",
			"\tif timeout != nil {\n\t\tvar cancel"},
	}},
	{"the commit is not sent", []Edit{
		{"runtime/mongo/transaction.go", "\tif t.Empty {\n",
			"\tif t.Empty || t.CommitTried == false {\n"},
	}},
	{"deployment: a majority is not remembered", []Edit{
		{"tools/mongotest/internal/replica/acknowledge.go", "\t\ts.Clock.Acknowledge(at)\n",
			"\t\ts.Clock.Acknowledge(0)\n"},
	}},
	{"deployment: a repeated write is done again", []Edit{
		{"tools/mongotest/internal/session/run.go", "\tif number > one.txnNumber {\n\t\ts.abort",
			"\tif number >= one.txnNumber {\n\t\ts.abort"},
	}},
	{"deployment: a secondary does not wait for afterClusterTime", []Edit{
		{"tools/mongotest/internal/server/concerns.go", "newest.Time() >= max(r.read.After, r.read.At)",
			"newest.Time() >= max(0, r.read.At)"},
	}},
	{"deployment: write conflicts are not noticed", []Edit{
		{"tools/mongotest/internal/store/multi.go", "\tif !same(tx.store.latest.Load()) {\n\t\treturn conflict()",
			"\tif !same(tx.store.latest.Load()) && tx.multi.done {\n\t\treturn conflict()"},
	}},
	{"deployment: change streams show what no majority has", []Edit{
		{"tools/mongotest/internal/engine/follow.go", "horizon := s.engine.majority().Time()",
			"horizon := s.engine.store.Latest().Time()"},
	}},
	{"deployment: a stream's position is ahead of its batch", []Edit{
		{"tools/mongotest/internal/engine/follow.go", "\t\treturn s.before\n",
			"\t\treturn s.at\n"},
	}},
}
