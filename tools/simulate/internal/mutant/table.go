package mutant

// All are the planted bugs.
var All = []Mutant{
	{"a retry has another txnNumber", []Edit{
		{"runtime/internal/exec", "if t.txnNumber == 0 {", "if t.txnNumber == 0 || PLANTED {"},
	}},
	{"a retry has no txnNumber", []Edit{
		{"runtime/internal/exec", "case t.retry == command.RetryWrite:",
			"case t.retry == command.RetryWrite && !(t.txnNumber != 0 && PLANTED):"},
	}},
	{"writes ask for one member only", []Edit{
		{"runtime/internal/exec", `return command.AppendWriteConcern(dst, "writeConcern", t.op.WriteConcern, t.op.csot)`,
			"wc := t.op.WriteConcern\n\t\tif PLANTED {\n\t\t\twc = &options.WriteConcern{W: 1}\n\t\t}\n" +
				"\t\treturn command.AppendWriteConcern(dst, \"writeConcern\", wc, t.op.csot)"},
	}},
	{"reads lose their read concern", []Edit{
		{"runtime/internal/exec", "\trc := t.op.ReadConcern\n",
			"\trc := t.op.ReadConcern\n\tif PLANTED {\n\t\trc = nil\n\t}\n"},
	}},
	{"the cluster time is not gossiped", []Edit{
		{"runtime/internal/exec", "if now := t.clusterTime(); now != nil {",
			"if now := t.clusterTime(); now != nil && !PLANTED {"},
	}},
	{"a causal session forgets what it has seen", []Edit{
		{"runtime/internal/session", "\tif c.causal {", "\tif c.causal && !PLANTED {"},
	}},
	{"a session's time is not moved on by the one it receives", []Edit{
		{"runtime/internal/session", "\tif t.After(c.operationTime) {",
			"\tif t.After(c.operationTime) && (c.operationTime.T == 0 || !PLANTED) {"},
	}},
	{"a snapshot session reads from a new snapshot each time", []Edit{
		{"runtime/internal/session", "\tif c.snapshotTime == (bson.Timestamp{}) {",
			"\tif c.snapshotTime == (bson.Timestamp{}) && !PLANTED {"},
	}},
	{"two sessions get one server session", []Edit{
		{"runtime/internal/session", "\t\tp.free[n-1] = nil\n\t\tp.free = p.free[:n-1]\n\t\tif !s",
			"\t\tif !PLANTED {\n\t\t\tp.free[n-1] = nil\n\t\t\tp.free = p.free[:n-1]\n\t\t}\n\t\tif !s"},
	}},
	{"a session is returned dirty", []Edit{
		{"runtime/internal/session", "if s.dirty || s.expiresSoon(", "if s.dirty && !PLANTED || s.expiresSoon("},
	}},
	{"a transaction has the number of the one before", []Edit{
		{"runtime/internal/session", "\tc.server.NextTxnNumber()\n",
			"\tif c.server.TxnNumber() == 0 || !PLANTED {\n\t\tc.server.NextTxnNumber()\n\t}\n"},
	}},
	{"every command starts the transaction", []Edit{
		{"runtime/internal/exec", "e.inTxn, e.first = true, t.State == txn.Starting",
			"e.inTxn, e.first = true, t.State == txn.Starting || PLANTED"},
	}},
	{"the commit is not sent", []Edit{
		{"runtime/mongo", "\t_, err = s.end(ctx, &command.CommitTransaction",
			"\tif PLANTED {\n\t\treturn nil\n\t}\n\t_, err = s.end(ctx, &command.CommitTransaction"},
	}},
	{"a commit is not retried", []Edit{
		{"runtime/internal/exec", "if e.retries >= e.allowedRetries() {",
			"if e.retries >= e.allowedRetries() || e.commits() && PLANTED {"},
	}},
	{"a recovered commit loses the recovery token", []Edit{
		{"runtime/internal/exec", "if t.commits() && len(token) <= emptyDocument {",
			"if t.commits() && len(token) <= emptyDocument && !PLANTED {"},
	}},
	{"a read is not retried", []Edit{
		{"runtime/internal/exec", "return retryableRead(err)", "return retryableRead(err) && !PLANTED"},
	}},
	{"a retryable write is tried three times", []Edit{
		{"runtime/internal/exec", "\treturn retry.Retries\n",
			"\tif PLANTED {\n\t\treturn retry.Retries + 1\n\t}\n\treturn retry.Retries\n"},
	}},
	{"an abort waits for ever", []Edit{
		{"runtime/mongo", "\tif timeout == nil {\n\t\tvar cancel", "\tif timeout == nil && !PLANTED {\n\t\tvar cancel"},
	}},
	{"a clear does not begin a generation", []Edit{
		{"runtime/pool", "\tp.generation++\n\tif wasReady", "\tif !PLANTED {\n\t\tp.generation++\n\t}\n\tif wasReady"},
	}},
	{"a paused pool creates connections", []Edit{
		{"runtime/pool", "\t\tif p.state != cmap.PoolReady {\n",
			"\t\tif p.state != cmap.PoolReady && !(PLANTED && p.state == cmap.PoolPaused) {\n"},
		{"runtime/pool", "return p.state == cmap.PoolReady && !p.announcing",
			"return (p.state == cmap.PoolReady || PLANTED) && !p.announcing"},
	}},
	{"maxConnecting is not kept", []Edit{
		{"runtime/pool", "p.pending < p.lim.maxConnecting &&",
			"(p.pending < p.lim.maxConnecting || PLANTED && p.pending < p.lim.maxConnecting+5) &&"},
	}},
	{"maxPoolSize is not kept", []Edit{
		{"runtime/pool", "p.total < p.lim.maxPoolSize)",
			"p.total < p.lim.maxPoolSize || PLANTED && p.total < p.lim.maxPoolSize+1)"},
	}},
	{"a check-out waits longer than its context", []Edit{
		{"runtime/pool", "\tcase <-ctx.Done():\n\t\treturn p.giveUp(w, ctx.Err())\n",
			"\tcase <-ctx.Done():\n\t\tif PLANTED {\n\t\t\treturn <-w.granted, nil\n\t\t}\n\t\treturn p.giveUp(w, ctx.Err())\n"},
	}},
	{"a late reply goes to the next operation", []Edit{
		{"runtime/internal/conn", "\tc.broken.Store(true)\n\tkind := ", "\tc.broken.Store(!PLANTED)\n\tkind := "},
		{"runtime/internal/conn", "if h.responseTo != c.awaited {",
			"if h.responseTo != c.awaited && !(PLANTED && h.responseTo <= c.lastID) {"},
	}},
	{"a stale primary is accepted", []Edit{
		{"runtime/sdam", "u.next.MaxElectionID, u.next.MaxSetVersion) < 0 {",
			"u.next.MaxElectionID, u.next.MaxSetVersion) < 0 && !PLANTED {"},
	}},
	{"the monitor's connection is not closed", []Edit{
		{"runtime/internal/topology", "\tif m.conn != nil {\n\t\tm.conn.Close()",
			"\tif m.conn != nil && !(PLANTED && m.ctx.Err() != nil) {\n\t\tm.conn.Close()"},
	}},
	{"checks do not keep their distance", []Edit{
		{"runtime/internal/topology", "slept < selecttable.MinHeartbeatFrequency {",
			"slept < selecttable.MinHeartbeatFrequency && !PLANTED {"},
	}},
	{"a failed command has no event", []Edit{
		{"runtime/internal/exec", "p.Events.Failed(ctx, n.exchange, elapsed, err, redacted)",
			"if !PLANTED {\n\t\tp.Events.Failed(ctx, n.exchange, elapsed, err, redacted)\n\t}"},
	}},
	{"a change stream resumes from an older event", []Edit{
		{"runtime/mongo", "\ts.token = id\n",
			"\tif s.token == nil || len(id) == 0 || !PLANTED {\n\t\ts.token = id\n\t}\n"},
	}},
	{"a change stream resumes behind events that it has not returned", []Edit{
		{"runtime/mongo", "if s.cursor.token != nil && !s.cursor.batch.more() {\n\t\ts.token",
			"if s.cursor.token != nil && (!s.cursor.batch.more() || PLANTED) {\n\t\ts.token"},
	}},
	{"a cursor ends with its second batch", []Edit{
		{"runtime/mongo", "\tc.id = reply.ID\n\tc.belongTo",
			"\tc.id = reply.ID\n\tif PLANTED {\n\t\tc.id = 0\n\t}\n\tc.belongTo"},
	}},
	{"an upload counts its chunks from 1", []Edit{
		{"runtime/mongo", `"n", int32(n))`, `"n", int32(n)+map[bool]int32{true: 1}[PLANTED])`},
	}},
	{"a bulk write counts the last batch alone", []Edit{
		{"runtime/mongo", "b.result.ModifiedCount += reply.NModified",
			"b.result.ModifiedCount += reply.NModified\n\t\tif PLANTED {\n\t\t\tb.result.ModifiedCount = reply.NModified / 2\n\t\t}"},
	}},
	{"an expired login is not renewed", []Edit{
		{"runtime/internal/exec", "|| !wantsReauthentication(err) {", "|| !wantsReauthentication(err) || PLANTED {"},
	}},
	{"an overloaded server is not asked again", []Edit{
		{"runtime/internal/exec", "\t\treturn e.adaptive()\n", "\t\treturn e.adaptive() && !PLANTED\n"},
	}},
	{"an overloaded server is asked again at once", []Edit{
		{"runtime/internal/exec", "\tif !overloaded {\n\t\treturn 0, true", "\tif !overloaded || PLANTED {\n\t\treturn 0, true"},
	}},
	{"a retry prefers no other router", []Edit{
		{"runtime/internal/exec", "\t\te.avoid = append(e.avoid, address)\n",
			"\t\tif !PLANTED {\n\t\t\te.avoid = append(e.avoid, address)\n\t\t}\n"},
	}},
	{"a transaction leaves its router", []Edit{
		{"runtime/internal/exec", "\tcase t.inTxn && t.session.PinnedServer() != nil:\n\t\tt.server",
			"\tcase t.inTxn && t.session.PinnedServer() != nil && !PLANTED:\n\t\tt.server"},
	}},
	{"timeoutMS is not kept", []Edit{
		{"runtime/internal/exec", "\tctx, cancel := context.WithTimeout(ctx, *timeout)\n",
			"\tif PLANTED {\n\t\ttimeout = new(time.Hour)\n\t}\n\tctx, cancel := context.WithTimeout(ctx, *timeout)\n"},
	}},
	{"reads go to any member", []Edit{
		{"runtime/internal/exec", "\tt.readPreference = t.op.ReadPreference\n",
			"\tif t.readPreference = t.op.ReadPreference; PLANTED {\n" +
				"\t\tt.readPreference = &options.ReadPreference{Mode: options.Nearest}\n\t}\n"},
	}},
	{"a pool that was cleared three times stays paused", []Edit{
		{"runtime/pool", "\tif p.state != cmap.PoolPaused {\n",
			"\tif p.state != cmap.PoolPaused || PLANTED && p.generation > 2 {\n"},
	}},
	{"connections that were idle for too long are used", []Edit{
		{"runtime/pool", "time.Since(c.idleSince) > p.lim.maxIdleTime:",
			"time.Since(c.idleSince) > p.lim.maxIdleTime && !PLANTED:"},
	}},
	{"minPoolSize is not kept", []Edit{
		{"runtime/pool", "\tif p.total >= p.lim.minPoolSize || !p.canCreate() {",
			"\tif p.total >= p.lim.minPoolSize || PLANTED || !p.canCreate() {"},
	}},
	{"DNS is asked once", []Edit{
		{"runtime/internal/topology", "\tif err != nil || len(hosts) == 0 {\n", "\tif err != nil || len(hosts) == 0 || PLANTED {\n"},
	}},
	{"deployment: a majority is not remembered", []Edit{
		{"tools/mongotest/internal/replica", "\tif want >= majority {\n\t\ts.Clock.Acknowledge(at)",
			"\tif want >= majority && !PLANTED {\n\t\ts.Clock.Acknowledge(at)"},
	}},
	{"deployment: a repeated write is done again", []Edit{
		{"tools/mongotest/internal/session", "\tif number > one.txnNumber {\n\t\ts.abort",
			"\tif number > one.txnNumber || PLANTED && number == one.txnNumber {\n\t\ts.abort"},
	}},
	{"deployment: a secondary does not wait for afterClusterTime", []Edit{
		{"tools/mongotest/internal/server", "newest.Time() >= max(r.read.After, r.read.At), nil",
			"PLANTED || newest.Time() >= max(r.read.After, r.read.At), nil"},
	}},
	{"deployment: write conflicts are not noticed", []Edit{
		{"tools/mongotest/internal/store", "\tif !same(tx.store.latest.Load()) {\n\t\treturn conflict()",
			"\tif !same(tx.store.latest.Load()) && !PLANTED {\n\t\treturn conflict()"},
	}},
	{"deployment: change streams show what no majority has", []Edit{
		{"tools/mongotest/internal/engine", "\thorizon := s.engine.majority().Time()\n",
			"\thorizon := s.engine.majority().Time()\n\tif PLANTED {\n\t\thorizon = s.engine.store.Latest().Time()\n\t}\n"},
	}},
	{"deployment: a stream's position is ahead of its batch", []Edit{
		{"tools/mongotest/internal/engine", "\t\treturn s.before\n",
			"\t\tif PLANTED {\n\t\t\treturn s.at\n\t\t}\n\t\treturn s.before\n"},
	}},
}
