package mongo_test

import (
	"context"
	"fmt"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

func ExampleClient_ExplainServerChoice() {
	ctx := context.Background()
	users, done := exampleUsers(ctx) // on a replica set with one member
	defer done()
	client := users.Database().Client()
	decision := client.ExplainServerChoice(mongo.ServerChoice{ReadPreference: &options.ReadPreference{Mode: options.Secondary}})
	for _, v := range decision.Verdicts {
		fmt.Println(v.Out, "-", v.Reason)
	}
	decision = client.ExplainServerChoice(mongo.ServerChoice{Write: true})
	fmt.Println(decision.Wants, "-", decision.Verdicts[0].Out)
	// Output:
	// type - RSPrimary does not serve mode secondary
	// writable server - window
}
