package selection

import (
	"fmt"
	"time"

	"github.com/specdrivers/onion/generated/description"
)

// Decision shows how server selection narrows the servers of a topology down to those that an operation may use.
type Decision struct {
	Wants     string // what the operation needs, in words
	Topology  description.TopologyType
	Err       error // why no server of the topology can ever be selected; nil when one can
	Threshold time.Duration
	Shortest  time.Duration // the shortest known round trip of the suitable servers: the start of the latency window
	Verdicts  []Verdict     // one for each server, in the order of the topology
}

// Verdict is what a decision says about one server.
type Verdict struct {
	Server *description.Server // in the topology; it must not be changed
	Out    Stage               // the stage that excluded the server; InWindow when it may be chosen
	Reason string              // why the server was excluded; empty for InWindow
}

// Stage is a step of server selection. The stages are in the order of the steps.
type Stage uint8

// The stages.
const (
	ByType          Stage = iota // the kinds of server that the topology and the mode allow
	ByStaleness                  // maxStalenessSeconds
	ByTags                       // tag sets
	ByDeprioritized              // servers that failed the operation, as long as there are others
	ByCustom                     // the custom server selector
	ByLatency                    // the latency window
	InWindow                     // it may be chosen: two are drawn at random, and the one with fewer operations is used
)

// String returns the name of the stage.
func (s Stage) String() string {
	names := [...]string{"type", "staleness", "tag sets", "deprioritized", "custom", "latency", "window"}
	if int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("Stage(%d)", uint8(s))
}
