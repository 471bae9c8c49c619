package sdam_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/sdam"

	"github.com/specdrivers/onion/generated/core/sdamtable"
)

// SDAM, "not writable primary and node is recovering": the code decides, and the message only without one. Errors of
// write concerns count, those of single statements do not. A topologyVersion that is not newer makes an error old.
func TestWhichRepliesSayThatTheStateChanged(t *testing.T) {
	version := func(counter int64) bson.Raw {
		return replyWith(t, "topologyVersion", bson.Doc("processId", bson.ObjectID{1}, "counter", counter))
	}
	concern := fault.WriteConcernError{Code: 11600}
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"code", fault.CommandError{Code: 10107}, "unknown check"},
		{"message", fault.CommandError{Message: "x not master x"}, "unknown check"},
		{"message of recovery", fault.CommandError{Message: "x node is recovering x"}, "unknown check"},
		{"message of both", fault.CommandError{Message: "not master or secondary"}, "unknown check"},
		{"message beside a code", fault.CommandError{Code: 1, Message: "not master"}, ""},
		{"message of recovery beside a code", fault.CommandError{Code: 1, Message: "node is recovering"}, ""},
		{"another message", fault.CommandError{Message: "x"}, ""},
		{"write concern", concern, "unknown clear check"},
		{"write concern in a write exception", fault.WriteException{WriteConcernError: &concern}, "unknown clear check"},
		{"statement", fault.WriteException{WriteErrors: []fault.WriteError{{Code: errcode.NotWritablePrimary}}}, ""},
		{"newer", fault.CommandError{Code: 10107, Raw: version(6)}, "unknown check"},
		{"the same", fault.CommandError{Code: 10107, Raw: version(5)}, ""},
		{"older", fault.CommandError{Code: 10107, Raw: version(4)}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeployment(&sdam.Model{Seeds: []string{"a:1"}, SetName: "rs"})
			s := member("a:1", description.RSPrimary, "a:1")
			s.TopologyVersion = &description.TopologyVersion{ProcessID: bson.ObjectID{1}, Counter: 5}
			d.apply(s)
			d.now, d.fx = d.HandleError(d.now, &sdam.ApplicationError{Address: "a:1", Phase: sdamtable.AfterHandshake, Err: tt.err})
			if got := effectNames(d); got != tt.want {
				t.Errorf("effects %q, want %q", got, tt.want)
			}
		})
	}
}

// SDAM, "updateRSWithPrimaryFromMember": without a primary, the topology notes the server that a member names as the
// primary.
func TestAMemberNamesThePossiblePrimary(t *testing.T) {
	for _, tt := range []struct{ names, want string }{
		{"b:1", "ReplicaSetNoPrimary a:1=RSSecondary b:1=PossiblePrimary"},
		{"", "ReplicaSetNoPrimary a:1=RSSecondary b:1=Unknown"},
		{"x:1", "ReplicaSetNoPrimary a:1=RSSecondary b:1=Unknown"},
		{"a:1", "ReplicaSetNoPrimary a:1=RSSecondary b:1=Unknown"}, // it is known not to be
	} {
		d := newDeployment(&sdam.Model{Seeds: []string{"a:1"}, SetName: "rs"})
		d.apply(primary("a:1", 1, "a:1", "b:1"))
		s := member("a:1", description.RSSecondary, "a:1", "b:1")
		s.Primary = tt.names
		if d.apply(s); d.types() != tt.want {
			t.Errorf("%q: %s, want %s", tt.names, d.types(), tt.want)
		}
	}
}

// SDAM, "updateRSWithoutPrimary".
func TestTheFirstMemberNamesThePossiblePrimary(t *testing.T) {
	d := newDeployment(&sdam.Model{Seeds: []string{"a:1"}, SetName: "rs"})
	s := member("a:1", description.RSSecondary, "a:1", "b:1")
	s.Primary = "b:1"
	if d.apply(s); d.types() != "ReplicaSetNoPrimary a:1=RSSecondary b:1=PossiblePrimary" {
		t.Error(d.types())
	}
}
