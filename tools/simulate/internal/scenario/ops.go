package scenario

import (
	"math/rand/v2"
	"slices"
	"time"
)

// makeOps chooses the operations of a worker: some at any time, most of them around a fault.
func (s *Scenario) makeOps(r *rand.Rand, w Worker) {
	var times []time.Duration
	count := opCounts[w.Workload]
	for range count {
		at := randomTime(r, time.Second, s.World.Length)
		if r.IntN(3) > 0 && len(s.Faults) > 0 {
			f := s.Faults[r.IntN(len(s.Faults))]
			at = f.At + randomTime(r, -200*time.Millisecond, 500*time.Millisecond)
			if r.IntN(3) == 0 {
				at = f.At + f.For + randomTime(r, -100*time.Millisecond, time.Second)
			}
		}
		times = append(times, min(at, s.World.Length))
	}
	slices.Sort(times)
	for i, at := range times {
		longest := pick(r, 2*time.Second, 10*time.Second, 20*time.Second)
		o := Op{At: at, Worker: w.Number, Timeout: randomTime(r, 300*time.Millisecond, longest)}
		if r.IntN(12) == 0 { // less than two round trips
			o.Timeout = randomTime(r, s.World.Latency, 4*(s.World.Latency+s.World.Jitter))
		}
		o.choose(r, w.Workload, i)
		s.Ops = append(s.Ops, o)
	}
}

// opCounts are how many operations a worker of each workload has.
var opCounts = map[string]int{
	Register: 130, Ledger: 130, Bank: 50, Lists: 90, Causal: 110, Watch: 60, Cursor: 25, GridFS: 15, Bulk: 40, Vault: 40,
}

// OpKinds lists the operations of each workload. One that is listed twice is chosen twice as often.
var OpKinds = map[string][]string{
	Register: {"write", "read", "read", "swap", "cas"},
	Ledger:   {"insert", "insertMany", "count", "count", "push", "delete", "take"},
	Bank:     {"transfer", "transfer", "audit", "snapshot"},
	Lists:    {"transaction", "transaction", "with", "snapshot"},
	Causal:   {"write", "read", "read", "pass", "pass", "receive", "receive", "receive"},
	Watch:    {"insert", "insert", "update", "pause", "burst"},
	Cursor:   {"find", "find", "aggregate", "leave"},
	GridFS:   {"upload", "upload", "download", "delete", "huge"},
	Vault:    {"store", "look", "read", "change"},
	Bulk:     {"ordered", "unordered", "client", "many"},
}

func (o *Op) choose(r *rand.Rand, workload string, i int) {
	minute := int(o.At / time.Minute)
	o.Kind = pick(r, OpKinds[workload]...)
	switch workload {
	case Register:
		o.Key = minute*3 + r.IntN(3)
	case Ledger:
		o.Key = r.IntN(4)
	case Bank:
		o.Key, o.To, o.N = r.IntN(5), r.IntN(4), 1+r.IntN(20)
		if o.To >= o.Key {
			o.To++
		}
	case Lists:
		o.N = r.IntN(8) // 0 aborts
		for j := range 1 + r.IntN(4) {
			st := Step{Key: minute*4 + r.IntN(4), Append: o.Kind != "snapshot" && r.IntN(2) == 0}
			if st.Append {
				st.Value = o.Worker*1_000_000 + i*10 + j
			}
			o.Steps = append(o.Steps, st)
		}
	case Causal:
		o.Key = r.IntN(3)
	case Watch:
		o.Key = r.IntN(10)
		if o.Kind == "burst" && r.IntN(150) == 0 {
			o.Kind = "large"
		}
	case Cursor:
		o.N = pick(r, 1, 7, 20, 101)
	case GridFS:
		o.Key, o.N = r.IntN(6), r.IntN(60_000)
	case Vault:
		o.Key = r.IntN(40)
	case Bulk:
		o.N = 2 + r.IntN(12)
	}
}
