package sdam_test

import (
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/runtime/sdam"
)

// A seed turns out to be the primary of a replica set with one more member.
func ExampleModel_Apply() {
	m := sdam.NewModel([]string{"a:27017"}, nil, bson.ObjectID{})
	topology, _ := m.Initial()

	topology, effects := m.Apply(topology, description.Server{
		Address: "a:27017", Type: description.RSPrimary, SetName: "rs",
		Hosts: []string{"a:27017", "b:27017"}, MaxWireVersion: 25,
	})
	fmt.Println(sdam.Format(&topology))
	fmt.Println("to monitor:", effects.Opened, "pools to mark ready:", effects.Ready)
	// Output:
	// ReplicaSetWithPrimary rs, 2 servers
	//   a:27017 RSPrimary, wire version 25
	//   b:27017 Unknown
	// to monitor: [b:27017] pools to mark ready: [a:27017]
}
