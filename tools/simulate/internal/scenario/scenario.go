package scenario

import "time"

// Scenario is everything that is decided before a world starts.
type Scenario struct {
	World   World
	Clients []Client
	Workers []Worker
	Faults  []Fault
	Ops     []Op
}

// The shapes of deployments.
const (
	ReplicaSet   = "replicaSet"
	Sharded      = "sharded"
	LoadBalanced = "loadBalanced"
)

// World is the deployment and its network.
type World struct {
	Seed     uint64
	Shape    string
	Nodes    int
	Version  string
	Auth     string        // scram, oidc or nothing
	SRV      bool          // clients find the deployment by DNS
	Lose     bool          // a forced failover loses what no majority has
	Election time.Duration // how long it takes
	Latency  time.Duration
	Jitter   time.Duration
	Length   time.Duration // how long there are faults
	Batch    int           // maxWriteBatchSize; 0 is the number that servers have
}

// Client is one client and its options; 0 leaves an option out.
type Client struct {
	Number        int
	MaxPool       int
	MinPool       int
	MaxConnecting int
	Heartbeat     time.Duration
	Connect       time.Duration // connectTimeoutMS
	Selection     time.Duration // serverSelectionTimeoutMS
	Timeout       time.Duration // timeoutMS
	Idle          time.Duration // maxIdleTimeMS
	Mode          string        // serverMonitoringMode
	Compressor    string
	Logs          bool // its log is compared with its events
	Encrypted     bool // it encrypts what the schema of the vault says
}

// Worker carries out operations of one workload, one after the other.
type Worker struct {
	Number   int
	Client   int
	Workload string
}

// Fault is something that goes wrong. The constant of its kind says what its fields mean.
type Fault struct {
	At     time.Duration
	For    time.Duration
	Kind   string
	Node   int
	Client int // -1 for all
	N      int
	Wait   time.Duration
}

// Op is one operation of a worker. What it means is up to the workload.
type Op struct {
	At      time.Duration
	Worker  int
	Kind    string
	Key     int
	To      int
	N       int
	Timeout time.Duration
	Steps   []Step
}

// Step is one part of a transaction: it appends a value to the list of a key, or reads the list.
type Step struct {
	Append bool
	Key    int
	Value  int
}

// End returns the time of the last operation or fault.
func (s *Scenario) End() time.Duration {
	end := s.World.Length
	for _, o := range s.Ops {
		end = max(end, o.At)
	}
	return end
}
