package selection_test

import (
	"fmt"
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/selection"
)

func ExampleSelector_AppendSuitable() {
	topology := &description.Topology{Type: description.ReplicaSetWithPrimary, Servers: []description.Server{
		{Address: "a:27017", Type: description.RSPrimary, RTT: 40 * time.Millisecond},
		{Address: "b:27017", Type: description.RSSecondary, RTT: 5 * time.Millisecond},
		{Address: "c:27017", Type: description.RSSecondary, RTT: 10 * time.Millisecond},
	}}
	s := &selection.Selector{ReadPreference: &options.ReadPreference{Mode: options.Nearest}}
	suitable := s.AppendSuitable(topology, nil)
	for _, server := range selection.Window(suitable, 15*time.Millisecond) {
		fmt.Println(server.Address)
	}
	// Output:
	// b:27017
	// c:27017
}
