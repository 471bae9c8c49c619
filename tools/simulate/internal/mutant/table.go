package mutant

// All are the planted bugs.
var All = []Mutant{
	{"a retry has another txnNumber", []Edit{
		{"runtime/internal/exec", "if e.txnNumber == 0 {",
			"if e.txnNumber == 0 || PLANTED {"},
	}},
	{"a retry has no txnNumber", []Edit{
		{"runtime/internal/exec", "\tcase operation.OwnTxnNumber:\n",
			"\tcase operation.OwnTxnNumber:\n\t\tif e.txnNumber != 0 && PLANTED {\n\t\t\treturn dst\n\t\t}\n"},
	}},
	{"writes ask for one member only", []Edit{
		{"runtime/internal/exec", "\tcase operation.OwnWriteConcern:\n",
			"\tcase operation.OwnWriteConcern:\n\t\tif PLANTED {\n" +
				"\t\t\treturn concern.AppendWrite(dst, \"writeConcern\", &options.WriteConcern{W: 1}, old)\n\t\t}\n"},
	}},
	{"reads lose their read concern", []Edit{
		{"runtime/internal/exec", "\tswitch e.verdict.ReadConcern {\n",
			"\tif PLANTED {\n\t\treturn dst, nil\n\t}\n\tswitch e.verdict.ReadConcern {\n"},
	}},
	{"the cluster time is not gossiped", []Edit{
		{"runtime/internal/exec", "if now := e.clusterTime(); now != nil {",
			"if now := e.clusterTime(); now != nil && !PLANTED {"},
	}},
	{"a causal session forgets what it has seen", []Edit{
		{"runtime/internal/session", "{ return c.kind }",
			"{\n\tif PLANTED && c.kind == operation.CausalSession {\n\t\treturn operation.ExplicitSession\n\t}\n\treturn c.kind\n}"},
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
		{"runtime/internal/session", "if s.Dirty() || s.expiresSoon(", "if s.Dirty() && !PLANTED || s.expiresSoon("},
	}},
	{"a transaction has the number of the one before", []Edit{
		{"runtime/internal/session", "\tc.server.NextTxnNumber()\n",
			"\tif c.server.TxnNumber() == 0 || !PLANTED {\n\t\tc.server.NextTxnNumber()\n\t}\n"},
	}},
	{"every command starts the transaction", []Edit{
		{"runtime/internal/exec", "\tif t.State == txn.Starting {\n\t\tstate.Role",
			"\tif t.State == txn.Starting || PLANTED {\n\t\tstate.Role"},
	}},
	{"the commit is not sent", []Edit{
		{"runtime/mongo", "\t_, err = s.end(ctx, &command.CommitTransaction",
			"\tif PLANTED {\n\t\treturn nil\n\t}\n\t_, err = s.end(ctx, &command.CommitTransaction"},
	}},
	{"a commit is not retried", []Edit{
		{"generated/core/operation", "\tcase v.Room == NoRoom:\n",
			"\tcase v.Room == NoRoom || s.Role == Commit && PLANTED:\n"},
	}},
	{"a recovered commit loses the recovery token", []Edit{
		{"runtime/internal/exec", "if e.course.State.Role == operation.Commit && len(token) <= emptyDocument {",
			"if e.course.State.Role == operation.Commit && len(token) <= emptyDocument && !PLANTED {"},
	}},
	{"a read is not retried", []Edit{
		{"generated/core/operation", "\tcase (e.Failure == Network || e.Failure == PoolGone) && s.Policy == AsRead:\n",
			"\tcase s.Policy == AsRead && PLANTED:\n\t\tv.Again = Stop\n" +
				"\t\treturn AgainLasting\n\tcase (e.Failure == Network || e.Failure == PoolGone) && s.Policy == AsRead:\n"},
	}},
	{"a retryable write is tried three times", []Edit{
		{"runtime/internal/decide", "\tif o.Retries >= retry.Retries {\n",
			"\tif o.Retries > retry.Retries || o.Retries == retry.Retries && !PLANTED {\n"},
	}},
	{"an abort waits for ever", []Edit{
		{"runtime/mongo", "\tswitch a.bound(again) {\n",
			"\tbound := a.bound(again)\n\tif PLANTED && bound == timeout.ShortTime {\n" +
				"\t\tbound = timeout.ContextAlone\n\t}\n\tswitch bound {\n"},
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
			"if h.responseTo != c.awaited && !(PLANTED && h.responseTo <= c.requestIDs.Load()) {"},
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
		{"runtime/mongo", "\t\ts.token = s.taken\n",
			"\t\tif s.token == nil || !PLANTED {\n\t\t\ts.token = s.taken\n\t\t}\n"},
	}},
	{"a change stream resumes behind events that it has not returned", []Edit{
		{"generated/core/changestream", "\tcase e.What == Taken && e.Batch == NothingLeft && e.PostBatch == HasPostBatchToken:\n",
			"\tcase e.What == Taken && (e.Batch == NothingLeft || PLANTED) && e.PostBatch == HasPostBatchToken:\n"},
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
		{"generated/core/operation", "\tcase s.Stage == AtServer && e.Class == ReauthenticationCode &&",
			"\tcase !PLANTED && s.Stage == AtServer && e.Class == ReauthenticationCode &&"},
	}},
	{"an overloaded server is not asked again", []Edit{
		{"generated/core/operation", "\t\tv.Again = Retry\n\t\treturn AgainAfterOverload\n",
			"\t\tif v.Again = Retry; PLANTED {\n\t\t\tv.Again = Stop\n\t\t}\n\t\treturn AgainAfterOverload\n"},
	}},
	{"an overloaded server is asked again at once", []Edit{
		{"generated/core/operation", "\t\tv.Wait = Backoff\n",
			"\t\tif v.Wait = Backoff; PLANTED {\n\t\t\tv.Wait = NoWait\n\t\t}\n"},
	}},
	{"a retry prefers no other router", []Edit{
		{"runtime/internal/exec", "\t\te.avoid = append(e.avoid, e.try.server.Address())\n",
			"\t\tif !PLANTED {\n\t\t\te.avoid = append(e.avoid, e.try.server.Address())\n\t\t}\n"},
	}},
	{"a transaction leaves its router", []Edit{
		{"runtime/internal/exec", "\t\tt.server = e.session.PinnedServer()\n",
			"\t\tif !PLANTED {\n\t\t\tt.server = e.session.PinnedServer()\n\t\t}\n"},
	}},
	{"timeoutMS is not kept", []Edit{
		{"runtime/internal/exec", "\t\tctx, cancel := context.WithTimeout(ctx, *own)\n",
			"\t\tif PLANTED {\n\t\t\town = new(time.Hour)\n\t\t}\n\t\tctx, cancel := context.WithTimeout(ctx, *own)\n"},
	}},
	{"reads go to any member", []Edit{
		{"runtime/internal/exec", "\te.try = try{readPreference: e.op.ReadPreference, sent: e.try.sent}\n",
			"\te.try = try{readPreference: e.op.ReadPreference, sent: e.try.sent}\n" +
				"\tif PLANTED {\n\t\te.try.readPreference = anyMember()\n\t}\n"},
		{"runtime/internal/exec", "// readPreferenceMode is",
			"func anyMember() *options.ReadPreference {\n" +
				"\treturn &options.ReadPreference{Mode: options.Nearest} // PLANTED\n}\n\n// readPreferenceMode is"},
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
	{"a clear of one service begins a generation of the pool", []Edit{
		{"runtime/pool", "\t\ts.generation++\n", "\t\ts.generation++\n\t\tif PLANTED {\n\t\t\tp.generation++\n\t\t}\n"},
	}},
	{"a retry avoids only the last router", []Edit{
		{"runtime/internal/exec", "\tserver, err := e.x.Topology.SelectServer(ctx, &request)\n",
			"\tif PLANTED && len(e.avoid) > 1 {\n\t\trequest.Deprioritized = e.avoid[len(e.avoid)-1:]\n\t}\n" +
				"\tserver, err := e.x.Topology.SelectServer(ctx, &request)\n"},
	}},
	{"killCursors goes to any server", []Edit{
		{"runtime/mongo", "\tpart, call := timeout.KillCursors, timeout.CallLimited\n",
			"\tif PLANTED {\n\t\top.Server = nil\n\t}\n\tpart, call := timeout.KillCursors, timeout.CallLimited\n"},
	}},
	{"a change stream forgets the end of its batch", []Edit{
		{"runtime/mongo", "\t\ts.token = s.cursor.token\n", "\t\tif !PLANTED {\n\t\t\ts.token = s.cursor.token\n\t\t}\n"},
	}},
	{"a retry tells the server more time than is left", []Edit{
		{"runtime/internal/exec", "\tms, event.Remaining = decide.TimeRemaining(ctx, time.Now(), e.try.minRTT)\n",
			"\tms, event.Remaining = decide.TimeRemaining(ctx, time.Now(), e.try.minRTT)\n" +
				"\tif PLANTED && e.course.Retries > 0 {\n\t\tms += 1000\n\t}\n"},
	}},
	{"the length of a file has 32 bits", []Edit{
		{"runtime/mongo", "\tf.Length, f.ChunkSize = length, int32(size)\n",
			"\tf.Length, f.ChunkSize = length, int32(size)\n\tif PLANTED {\n\t\tf.Length = int64(int32(length))\n\t}\n"},
	}},
	{"results of a later message are those of the first", []Edit{
		{"runtime/mongo", "\tat := b.cmd.from + i\n", "\tat := b.cmd.from + i\n\tif PLANTED {\n\t\tat = i\n\t}\n"},
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
