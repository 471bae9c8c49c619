package mongodebug

import (
	"time"

	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/runtime/mongodebug/record"
	"github.com/specdrivers/onion/runtime/mongodebug/view"
)

// State returns what the page shows now.
func (r *recorder) State() *view.State {
	now := time.Now()
	s := &view.State{
		About: view.About{
			Kind: "client", Title: r.title, Since: r.began.UnixMilli(), Closed: r.isClosed.Load(), Values: r.values,
		},
		Topology: view.Topology{Servers: []view.Server{}}, Counts: []view.Count{}, Running: []view.Operation{},
		Activity: r.activity.View(now), Slowest: r.slowOperations(now), Problems: r.problems.view(), Changes: r.history.All(),
	}
	client := r.client.Load()
	if client == nil {
		s.About.Detail = "Connect has not been called"
		return s
	}
	stats := client.Stats()
	s.Topology = r.describeTopology(stats.Topology, client)
	s.Counts = countsOf(&stats)
	for _, op := range stats.Operations.Running {
		s.Running = append(s.Running, describeRunning(op, now))
	}
	if o := &stats.Operations; int(o.InFlight) == len(o.Running) {
		r.problems.markGivenUp(o.Running)
		s.Problems = r.problems.view()
	}
	return s
}

// slowOperations holds the slowest commands of the last minutes.
func (r *recorder) slowOperations(now time.Time) []view.Operation {
	list := r.slowest.All(now)
	out := make([]view.Operation, 0, record.PerMinute)
	for _, m := range list[:min(len(list), record.PerMinute)] {
		out = append(out, m.Operation)
	}
	return out
}

func describeRunning(op mongo.RunningOperation, now time.Time) view.Operation {
	ns := op.Database
	if op.Collection != "" {
		ns += "." + op.Collection
	}
	return view.Operation{
		ID: op.ID, Name: op.Operation, Namespace: ns, Server: op.Server, At: now.Add(-op.Age).UnixMilli(),
		For: view.Milliseconds(op.Age), Try: op.Try,
	}
}

func (r *recorder) describeTopology(t mongo.TopologyStats, client *mongo.Client) view.Topology {
	out := view.Topology{Type: t.Type.String(), SetName: t.SetName, Since: unixMillis(t.Since), Servers: []view.Server{}}
	known := client.TopologyDescription()
	for _, s := range t.Servers {
		v := view.Server{
			Address: s.Address, Type: s.Type.String(), Since: unixMillis(s.Since), RTT: view.Milliseconds(s.RTT),
			MinRTT:    view.Milliseconds(s.MinRTT),
			LastCheck: unixMillis(s.LastUpdate), Error: s.Error, LastError: s.LastError, LastErrorAt: unixMillis(s.LastErrorAt),
			Operations: s.Operations,
			Pool: &view.Pool{
				InUse: s.Pool.InUse, Idle: s.Pool.Idle, Establishing: s.Pool.Establishing, Waiting: s.Pool.Waiting,
				OldestWait: view.Milliseconds(s.Pool.OldestWait), ForCursors: s.Pool.ForCursors, ForTransactions: s.Pool.ForTransactions,
				Generation: s.Pool.Generation, Ready: s.Pool.Ready, Max: r.pools.maxOf(s.Address),
			},
		}
		if d, ok := known.Server(s.Address); ok {
			v.Tags = d.Tags
		}
		out.Servers = append(out.Servers, v)
	}
	return out
}

// maxOf returns the pool's maximal number of connections.
func (p *pools) maxOf(address string) int {
	record := p.peek(address)
	record.mu.Lock()
	defer record.mu.Unlock()
	return record.max
}

func countsOf(s *mongo.Stats) []view.Count {
	o := &s.Operations
	t := o.Timeouts
	waiting, used, open := 0, 0, 0
	for _, server := range s.Topology.Servers {
		waiting += server.Pool.Waiting
		used += server.Pool.InUse
		open += server.Pool.InUse + server.Pool.Idle
	}
	return []view.Count{
		{Name: "in flight", Value: o.InFlight, Hint: "operations that have begun and not ended"},
		{Name: "finished", Value: o.Finished, Kind: "total", Hint: "operations that have ended, failed ones included"},
		{Name: "failed", Value: o.Failed, Kind: "bad", Hint: "those with writes that failed included"},
		{Name: "duplicate keys", Value: o.Failures.DuplicateKey, Kind: "bad", Hint: "operations with a write error of that kind"},
		{Name: "write errors", Value: o.Failures.Write + o.Failures.WriteConcern, Kind: "bad",
			Hint: "operations with other write errors, or whose write concern was not satisfied"},
		{Name: "retries", Value: o.Retries, Kind: "bad", Hint: "tries after the first one"},
		{Name: "timeouts", Value: t.Selection + t.CheckOut + t.Network + t.Server + t.Other, Kind: "bad",
			Hint: "operations whose time ran out"},
		{Name: "cleaning", Value: o.Cleaning, Hint: "killCursors, aborts and deletions that go on after calls whose context has ended"},
		{Name: "in use", Value: int64(used), Hint: "connections that are checked out"},
		{Name: "open", Value: int64(open), Hint: "connections, idle ones included"},
		{Name: "waiting", Value: int64(waiting), Kind: "bad now", Hint: "operations that wait for a connection"},
		{Name: "cursors", Value: int64(s.Cursors), Hint: "open on a server, those of change streams included"},
		{Name: "change streams", Value: int64(s.ChangeStreams)},
		{Name: "sessions", Value: int64(s.Sessions.InProgress), Hint: "started by the program and not ended"},
	}
}

// unixMillis converts a time for the page. It is 0 if there is none.
func unixMillis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
