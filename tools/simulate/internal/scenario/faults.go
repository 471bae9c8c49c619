package scenario

import (
	"math/rand/v2"
	"slices"
	"time"
)

// The kinds of faults. For is how long one lasts.
const (
	Kill        = "kill"        // stops the node and starts it again
	StepDown    = "stepDown"    // of the primary
	Isolate     = "isolate"     // the node is cut off from everybody
	Lag         = "lag"         // the node lacks the last N writes
	RollBack    = "rollBack"    // replication stops, then the primary is cut off for Wait: writes that it alone has are lost
	OldNews     = "oldNews"     // the primary's replies are held, and it steps down after Wait: clients learn of the old election last
	SlowNode    = "slowNode"    // it waits for Wait before each reply
	Drop        = "drop"        // the node's connections are closed
	Reconfigure = "reconfigure" // the node is removed from the replica set, and added again
	Skew        = "skew"        // the node's clock is wrong by Wait

	BlockBoth = "blockBoth" // nothing passes between the client and the node
	BlockUp   = "blockUp"   // requests do not arrive
	BlockDown = "blockDown" // replies do not
	SlowPath  = "slowPath"  // bytes take longer, by Wait
	HalfOpen  = "halfOpen"  // connections are gone, but the client does not know
	Reset     = "reset"     // connections are reset
	MidFrame  = "midFrame"  // a reply is cut after N bytes and its connection reset
	Stall     = "stall"     // a reply stops after N bytes; the rest comes later, by Wait
	Refuse    = "refuse"    // new connections are refused

	FailCode       = "failCode"       // the next N commands fail with a code that Wait chooses
	FailClose      = "failClose"      // they lose their connection before they run
	FailSlow       = "failSlow"       // they wait for Wait first
	FailConcern    = "failConcern"    // they run, and the reply has a write concern error
	FailCommits    = "failCommits"    // every node does so with the next N commits
	Overload       = "overload"       // they fail because the server is overloaded
	OverloadMost   = "overloadMost"   // they fail so on every node but one
	Reauthenticate = "reauthenticate" // they fail because the credentials have expired

	LoseName    = "loseName"    // DNS has no answer
	FewerNames  = "fewerNames"  // DNS answers without the node
	NewToken    = "newToken"    // the old token is revoked
	Crowd       = "crowd"       // N operations at once want connections of the client
	CloseClient = "closeClient" // the client is closed in the middle of its work and opened again
)

// Kinds lists every kind of fault.
var Kinds = []string{Kill, StepDown, Isolate, Lag, RollBack, OldNews, SlowNode, Drop, Reconfigure, Skew, BlockBoth, BlockUp,
	BlockDown, SlowPath,
	HalfOpen, Reset, MidFrame, Stall, Refuse, FailCode, FailClose, FailSlow, FailConcern, FailCommits, Overload, OverloadMost,
	Reauthenticate, LoseName, FewerNames, NewToken, Crowd, CloseClient}

// concerns says what a fault hits: a node, one client or all of them, or neither.
func (f *Fault) concerns() (node, client bool) {
	switch f.Kind {
	case BlockBoth, BlockUp, BlockDown, SlowPath, HalfOpen, Reset, MidFrame, Stall, Refuse:
		return true, true
	case Crowd, CloseClient:
		return false, true
	case StepDown, RollBack, OldNews, FailCommits, LoseName, NewToken:
		return false, false
	}
	return true, false
}

// faultKinds returns the faults that a world can have, with how often each is chosen.
func (w *World) faultKinds() []string {
	kinds := []string{Kill, Kill, SlowNode, Drop, BlockBoth, BlockUp, BlockDown, BlockDown, SlowPath, HalfOpen, Reset, MidFrame, MidFrame,
		Stall, Refuse, FailCode, FailCode, FailCode, FailClose, FailClose, FailSlow, FailConcern, FailConcern, FailCommits, Overload,
		CloseClient, Crowd}
	if w.Shape == ReplicaSet {
		kinds = append(kinds, StepDown, StepDown, StepDown, Isolate, Isolate, Kill, Lag, Lag, Lag, Reconfigure, Skew, OldNews)
	}
	if w.Shape == Sharded {
		kinds = append(kinds, OverloadMost, OverloadMost, OverloadMost)
	}
	if w.Lose {
		kinds = append(kinds, RollBack, RollBack)
	}
	if w.SRV {
		kinds = append(kinds, LoseName, FewerNames, FewerNames)
	}
	if w.Auth == "oidc" {
		kinds = append(kinds, NewToken, Reauthenticate, Reauthenticate)
	}
	return kinds
}

// makeFaults chooses the faults of a world.
func (s *Scenario) makeFaults(r *rand.Rand) {
	kinds := s.World.faultKinds()
	for range 15 + r.IntN(35) {
		f := Fault{
			At: randomTime(r, 2*time.Second, s.World.Length), Kind: kinds[r.IntN(len(kinds))], Node: r.IntN(s.World.Nodes),
			Client: r.IntN(len(s.Clients)+1) - 1,
		}
		pair := f.Client
		s.chooseSize(r, &f)
		s.Faults = append(s.Faults, f)
		if r.IntN(5) == 0 { // trouble comes in pairs
			g := Fault{
				At:     f.At + randomTime(r, 0, time.Second),
				Kind:   kinds[r.IntN(len(kinds))],
				Node:   r.IntN(s.World.Nodes),
				Client: pair,
			}
			s.chooseSize(r, &g)
			s.Faults = append(s.Faults, g)
		}
	}
	slices.SortStableFunc(s.Faults, func(a, b Fault) int { return int(a.At - b.At) })
}

// chooseSize chooses how long and how bad a fault is, and drops the node or client that it does not hit.
func (s *Scenario) chooseSize(r *rand.Rand, f *Fault) {
	node, client := f.concerns()
	if !node {
		f.Node = -1
	}
	if !client {
		f.Client = -1
	} else if !node {
		f.Client = max(f.Client, 0)
	}
	switch f.Kind {
	case Kill, Isolate, BlockBoth, BlockUp, BlockDown, Refuse, SlowPath, SlowNode, Lag, Reconfigure, Skew:
		f.For = randomTime(r, 20*time.Millisecond, []time.Duration{time.Second, 5 * time.Second, 30 * time.Second}[r.IntN(3)])
	case FailCode, FailClose, FailSlow, FailConcern, FailCommits, Overload, OverloadMost, Reauthenticate, LoseName, FewerNames, CloseClient,
		Crowd, RollBack:
		f.For = randomTime(r, time.Second, 20*time.Second)
	}
	if f.Kind == FewerNames || f.Kind == LoseName {
		f.For = randomTime(r, time.Minute, 3*time.Minute) // records are read once a minute
	}
	switch f.Kind {
	case Lag:
		f.N = 1 + r.IntN(pick(r, 4, 4, 40))
	case FailCode, FailClose, FailSlow, FailConcern, FailCommits, Overload, OverloadMost, Reauthenticate:
		f.N = 1 + r.IntN(4)
	case MidFrame, Stall:
		f.N = r.IntN(120)
	case Crowd:
		f.N = 20 + r.IntN(200)
	}
	switch f.Kind {
	case SlowNode, SlowPath, FailSlow, Stall:
		f.Wait = randomTime(r, 10*time.Millisecond, []time.Duration{200 * time.Millisecond, 3 * time.Second}[r.IntN(2)])
	case RollBack:
		f.For, f.Wait = randomTime(r, 100*time.Millisecond, 3*time.Second), randomTime(r, time.Second, 15*time.Second)
	case OldNews:
		f.For, f.Wait = randomTime(r, 500*time.Millisecond, 8*time.Second), randomTime(r, 0, 8*time.Second)
	case Skew:
		f.Wait = randomTime(r, -time.Hour, time.Hour)
	case FailCode, FailConcern, FailCommits:
		f.Wait = time.Duration(r.IntN(8)) * time.Millisecond
	}
}

// randomTime returns a time from one to the other, in whole microseconds.
func randomTime(r *rand.Rand, from, to time.Duration) time.Duration {
	return from + time.Duration(r.Int64N(int64((to-from)/time.Microsecond)+1))*time.Microsecond
}
