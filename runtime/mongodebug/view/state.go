package view

import "time"

// State is what a page shows at one moment. Times are milliseconds since 1970, durations milliseconds.
type State struct {
	About    About       `json:"about"`
	Topology Topology    `json:"topology"`
	Counts   []Count     `json:"counts"`
	Activity Activity    `json:"activity"`
	Running  []Operation `json:"running"`
	Slowest  []Operation `json:"slowest"`
	Problems []Problem   `json:"problems"`
	Changes  []Change    `json:"changes"`
	Clients  []Client    `json:"clients,omitempty"` // of a deployment
}

// About says what is shown.
type About struct {
	Kind   string `json:"kind"` // "client" or "deployment"
	Title  string `json:"title"`
	Detail string `json:"detail"` // a few more words
	Since  int64  `json:"since"`  // when the watching began
	Closed bool   `json:"closed"`
	Values bool   `json:"values"` // values of documents are shown
}

// Topology is the deployment.
type Topology struct {
	Type    string   `json:"type"`
	SetName string   `json:"setName,omitempty"`
	Since   int64    `json:"since,omitempty"`
	Servers []Server `json:"servers"`
}

// Server is one server of the deployment.
type Server struct {
	Address     string            `json:"address"`
	Type        string            `json:"type"`
	Since       int64             `json:"since,omitempty"`
	RTT         float64           `json:"rtt,omitempty"`
	MinRTT      float64           `json:"minRtt,omitempty"`
	LastCheck   int64             `json:"lastCheck,omitempty"`
	Error       string            `json:"error,omitempty"`     // why it may not answer
	LastError   string            `json:"lastError,omitempty"` // also after it has recovered
	LastErrorAt int64             `json:"lastErrorAt,omitempty"`
	Operations  int64             `json:"operations"`
	Tags        map[string]string `json:"tags,omitempty"`
	Pool        *Pool             `json:"pool,omitempty"`
	Faults      []string          `json:"faults,omitempty"` // what was done to it
	Stopped     bool              `json:"stopped,omitempty"`
}

// Pool is the connections to one server.
type Pool struct {
	InUse           int     `json:"inUse"`
	Idle            int     `json:"idle"`
	Establishing    int     `json:"establishing"`
	Waiting         int     `json:"waiting"`
	OldestWait      float64 `json:"oldestWait,omitempty"`
	ForCursors      int     `json:"forCursors,omitempty"`
	ForTransactions int     `json:"forTransactions,omitempty"`
	Max             int     `json:"max,omitempty"` // 0 when there is no limit
	Generation      uint64  `json:"generation"`
	Ready           bool    `json:"ready"`
}

// Count is a figure with a name.
type Count struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
	Kind  string `json:"kind,omitempty"` // "bad" when any but 0 deserves attention, "total" when it only grows
	Hint  string `json:"hint,omitempty"`
}

// Activity counts the commands of the last minutes by second. The last second is not over.
type Activity struct {
	Last    int64     `json:"last"`    // the second of the last entry, since 1970
	Done    []int64   `json:"done"`    // commands that ended
	Failed  []int64   `json:"failed"`  // how many of them failed
	Longest []float64 `json:"longest"` // the time of the slowest
}

// Operation is a command, or an operation that may send several.
type Operation struct {
	ID        int64   `json:"id"`
	Name      string  `json:"name"`
	Namespace string  `json:"namespace,omitempty"`
	Server    string  `json:"server,omitempty"`
	At        int64   `json:"at"`  // when it began
	For       float64 `json:"for"` // how long it took, or has taken so far
	Try       int     `json:"try,omitempty"`
	From      string  `json:"from,omitempty"`    // who sent it, to a deployment
	Outcome   string  `json:"outcome,omitempty"` // empty for a success
	Shape     string  `json:"shape,omitempty"`   // the command, with ? in place of values unless they are shown
	Why       bool    `json:"why,omitempty"`     // the choice of its server can be explained
}

// Problem is something that went wrong.
type Problem struct {
	Operation
	Kind   string   `json:"kind"` // "server", "network", "timeout", "write", "check-out"
	Labels []string `json:"labels,omitempty"`
	Text   string   `json:"text,omitempty"`
	Then   string   `json:"then,omitempty"` // what became of the operation
}

// Change is something that happened to the topology or a pool.
type Change struct {
	At      int64  `json:"at"`
	Subject string `json:"subject"` // an address, or "topology"
	From    string `json:"from,omitempty"`
	To      string `json:"to,omitempty"`
	Note    string `json:"note,omitempty"`
}

// Client is a client of a deployment.
type Client struct {
	Name        string `json:"name"`
	Driver      string `json:"driver"`
	Connections []int  `json:"connections"` // to each server
	Running     int    `json:"running"`
}

// Question asks why a server is chosen.
type Question struct {
	ID        int64 // an operation of the page; 0 asks what would be chosen now
	Write     bool
	Mode      string
	Tags      string // "dc=ny,rack=1; dc=ny": tag sets with semicolons between them
	Staleness string // a duration, or empty
}

// Decision says which servers could be chosen, and why the others could not.
type Decision struct {
	Wants     string    `json:"wants"`
	Topology  string    `json:"topology"`
	Error     string    `json:"error,omitempty"`
	Threshold float64   `json:"threshold"`
	Shortest  float64   `json:"shortest"`
	Verdicts  []Verdict `json:"verdicts"`
	Chosen    string    `json:"chosen,omitempty"` // of an operation that has run
	At        int64     `json:"at,omitempty"`
}

// Verdict is one server in a decision.
type Verdict struct {
	Address    string            `json:"address"`
	Type       string            `json:"type"`
	RTT        float64           `json:"rtt"`
	Operations *int64            `json:"operations,omitempty"` // nil when it is not known
	Tags       map[string]string `json:"tags,omitempty"`
	Out        string            `json:"out"` // the stage in which it dropped out, or "window"
	Reason     string            `json:"reason,omitempty"`
}

// Milliseconds converts a duration to the form that pages use.
func Milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
