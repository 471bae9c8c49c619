package scenario

import (
	"math/rand/v2"
	"slices"
	"time"
)

// Generate makes the scenario of a seed.
func Generate(seed uint64) *Scenario {
	r := rand.New(rand.NewPCG(seed, 0))
	s := &Scenario{World: makeWorld(r, seed)}
	for i := range 1 + r.IntN(4) {
		s.Clients = append(s.Clients, makeClient(r, i))
	}
	s.makeWorkers(r)
	s.makeFaults(rand.New(rand.NewPCG(seed, 1)))
	for _, w := range s.Workers {
		s.makeOps(rand.New(rand.NewPCG(seed, 100+uint64(w.Number))), w)
	}
	slices.SortStableFunc(s.Ops, func(a, b Op) int { return int(a.At - b.At) })
	return s
}

func makeWorld(r *rand.Rand, seed uint64) World {
	w := World{
		Seed: seed, Version: pick(r, "5.0", "6.0", "7.0", "8.0", "8.0", "8.0"), Length: 10 * time.Minute,
		Election: randomTime(r, 10*time.Millisecond, pick(r, 50*time.Millisecond, 3*time.Second, 12*time.Second)),
		Latency:  randomTime(r, 50*time.Microsecond, pick(r, time.Millisecond, 5*time.Millisecond, 30*time.Millisecond)),
		Auth:     pick(r, "", "", "", "scram", "oidc"),
	}
	w.Jitter = randomTime(r, 20*time.Microsecond, 2*w.Latency+50*time.Microsecond)
	switch r.IntN(10) {
	case 0, 1, 2:
		w.Shape, w.Nodes = Sharded, 2+r.IntN(3)
	case 3:
		w.Shape, w.Nodes = LoadBalanced, 3
	default:
		w.Shape, w.Nodes, w.Lose = ReplicaSet, 3+r.IntN(3), r.IntN(4) > 0
	}
	w.SRV = w.Shape == Sharded && r.IntN(2) == 0
	w.Batch = pick(r, 0, 3, 5)
	return w
}

func makeClient(r *rand.Rand, number int) Client {
	c := Client{
		Number: number, MaxPool: pick(r, 0, 0, 2, 3, 10), MaxConnecting: pick(r, 0, 0, 1, 3),
		Heartbeat: pick(r, 500*time.Millisecond, 2*time.Second, 10*time.Second, 10*time.Second),
		Connect:   pick(r, time.Second, 5*time.Second, 10*time.Second), Selection: pick(r, 2*time.Second, 10*time.Second, 30*time.Second),
		Timeout: pick(r, 0, 0, 3*time.Second, 15*time.Second), Idle: pick(r, 0, 0, 5*time.Second),
		Mode: pick(r, "", "", "poll", "stream"), Compressor: pick(r, "", "", "", "", "", "", "snappy", "zlib", "zstd"),
		Logs: r.IntN(5) == 0,
	}
	if c.MaxPool != 2 {
		c.MinPool = pick(r, 0, 0, 0, 1, 2)
	}
	return c
}

// Workloads lists the names of all workloads.
var Workloads = []string{Register, Ledger, Bank, Lists, Causal, Watch, Cursor, GridFS, Bulk, Vault}

// The workloads.
const (
	Register = "register" // write, read, swap and cas of one document
	Ledger   = "ledger"   // inserts, counters, deletes
	Bank     = "bank"     // transfers in transactions, and audits
	Lists    = "lists"    // transactions that append to lists and read them
	Causal   = "causal"   // causally consistent sessions
	Watch    = "watch"    // change streams
	Cursor   = "cursor"   // reads of a collection that does not change
	GridFS   = "gridfs"   // files
	Bulk     = "bulk"     // bulk writes
	Vault    = "vault"    // documents that the client encrypts
)

// makeWorkers gives each world most of the workloads, and each of these some workers.
func (s *Scenario) makeWorkers(r *rand.Rand) {
	for _, name := range Workloads {
		n := pick(r, 0, 1, 2, 3)
		if name == Register || name == Lists || name == Causal || name == Ledger {
			n = pick(r, 2, 3, 4)
		}
		if name == Vault {
			n = pick(r, 0, 0, 0, 2)
		}
		for range n {
			k := Worker{Number: len(s.Workers), Client: r.IntN(len(s.Clients)), Workload: name}
			s.Workers = append(s.Workers, k)
			s.Clients[k.Client].Encrypted = s.Clients[k.Client].Encrypted || name == Vault
		}
	}
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }
