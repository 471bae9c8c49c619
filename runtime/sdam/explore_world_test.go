package sdam

import (
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"

	"github.com/specdrivers/onion/generated/core/sdamtable"
)

const maxServers = 4

var names = []string{"a:1", "b:1", "c:1", "d:1"}

// world is the space of an exploration: a model, the servers that may exist, and everything that can happen to them.
type world struct {
	model     *Model
	n         int
	alphabet  []input
	renamings [][]int // every permutation of the servers; the first is the identity

	distinguishAll bool // states that differ in any fact are different
}

// input is one event: a new server description, or an application error.
type input struct {
	name    string
	server  description.Server
	failure *ApplicationError
}

func newWorld(n int, m Model) world {
	w := world{model: &m, n: n, renamings: permutations(n)}
	for at := range n {
		w.addChecks(at)
		w.addMembers(at)
		w.addErrors(at)
	}
	return w
}

func (w *world) add(name string, s description.Server) {
	if s.MaxWireVersion == 0 && s.Err == nil {
		s.MaxWireVersion = 21
	}
	w.alphabet = append(w.alphabet, input{name: s.Address + " " + name, server: s})
}

// addChecks adds every result that a check of a server can have.
func (w *world) addChecks(at int) {
	address := names[at]
	w.add("cannot be reached", description.Server{Address: address, Err: fault.NetworkError{Err: errors.New("reset")}})
	for _, typ := range []description.ServerType{description.Standalone, description.Mongos, description.RSGhost} {
		w.add("is "+typ.String(), description.Server{Address: address, Type: typ})
	}
	tooOld := description.Server{Address: address, Type: description.Mongos, MaxWireVersion: 6}
	w.add("is too old", tooOld)
}

// addMembers adds the states of a member of a replica set.
func (w *world) addMembers(at int) {
	address, all := names[at], names[:w.n]
	member := func(typ description.ServerType, hosts ...string) description.Server {
		return description.Server{Address: address, Type: typ, SetName: "rs", Hosts: hosts, SetVersion: version(1)}
	}
	hostLists := [][]string{all, {address}}
	for other := range w.n {
		if other != at && w.n > 2 {
			hostLists = append(hostLists, []string{address, names[other]})
		}
	}
	for _, hosts := range hostLists {
		for election := byte(1); election <= 2; election++ {
			s := member(description.RSPrimary, hosts...)
			s.ElectionID = &bson.ObjectID{11: election}
			w.add(fmt.Sprintf("is primary of %q, election %d", hosts, election), s)
		}
	}
	old := member(description.RSPrimary, all...)
	old.MaxWireVersion = 9
	old.ElectionID, old.SetVersion = &bson.ObjectID{11: 1}, version(2)
	w.add("is primary before 6.0 with the newer setVersion", old)
	for counter := int64(1); counter <= 2; counter++ {
		s := member(description.RSPrimary, all...)
		s.ElectionID, s.TopologyVersion = &bson.ObjectID{11: 1}, topologyVersionOf(counter)
		w.add(fmt.Sprintf("is primary at topologyVersion %d", counter), s)
		s = member(description.RSSecondary, all...)
		s.TopologyVersion = topologyVersionOf(counter)
		w.add(fmt.Sprintf("is secondary at topologyVersion %d", counter), s)
	}
	for _, typ := range []description.ServerType{description.RSSecondary, description.RSArbiter, description.RSOther} {
		w.add("is "+typ.String(), member(typ, all...))
	}
	w.add("is secondary alone", member(description.RSSecondary, address))
	for other := range w.n {
		if other != at {
			s := member(description.RSSecondary, all...)
			s.Primary = names[other]
			w.add("is secondary of "+names[other], s)
			s.Primary, s.Me = "", names[other]
			w.add("is secondary and calls itself "+names[other], s)
		}
	}
	for _, typ := range []description.ServerType{description.RSPrimary, description.RSSecondary} {
		s := member(typ, all...)
		s.SetName = "other"
		w.add("is "+typ.String()+" of another set", s)
	}
}

// addErrors adds the application errors.
func (w *world) addErrors(at int) {
	add := func(name string, generation uint64, err error) {
		w.alphabet = append(w.alphabet, input{name: names[at] + " " + name, failure: &ApplicationError{
			Address: names[at], Generation: generation, PoolGeneration: 1, Phase: sdamtable.AfterHandshake, Err: err,
		}})
	}
	add("breaks a connection", 1, fault.NetworkError{Err: errors.New("reset")})
	add("had broken a stale connection", 0, fault.NetworkError{Err: errors.New("reset")})
	add("shuts down", 1, fault.CommandError{Code: errcode.ShutdownInProgress})
	for counter := int64(1); counter <= 2; counter++ {
		add(fmt.Sprintf("is not primary at topologyVersion %d", counter), 1, fault.CommandError{
			Code: errcode.NotWritablePrimary, Raw: replyAt(counter),
		})
	}
}

func version(n int64) *int64 { return &n }

func topologyVersionOf(counter int64) *description.TopologyVersion {
	return &description.TopologyVersion{ProcessID: bson.ObjectID{1}, Counter: counter}
}

func replyAt(counter int64) bson.Raw {
	raw, start := bson.AppendDocumentStart(nil)
	raw, inner := bson.AppendDocumentElementStart(raw, "topologyVersion")
	raw = bson.AppendObjectIDElement(raw, "processId", bson.ObjectID{1})
	raw = bson.AppendInt64Element(raw, "counter", counter)
	raw = bson.AppendDocumentEnd(raw, inner)
	return bson.AppendDocumentEnd(raw, start)
}

// permutations returns every order of 0..n-1, the identity first.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var out [][]int
	for _, shorter := range permutations(n - 1) {
		for at := n - 1; at >= 0; at-- {
			longer := append([]int{}, shorter[:at]...)
			longer = append(append(longer, n-1), shorter[at:]...)
			out = append(out, longer)
		}
	}
	return out
}
