package pool_test

import (
	"context"
	"fmt"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/pool"
)

// A pool works with any kind of connection: here with one that does nothing.
func Example() {
	p := pool.New(pool.Config[*fakeConn]{
		Address: "localhost:27017",
		Options: event.PoolOptions{MaxPoolSize: new(10)},
		Connect: func(context.Context, int64) (*fakeConn, error) { return &fakeConn{}, nil },
	})
	defer p.Close()
	p.Ready() // the server answers

	c, err := p.CheckOut(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("connection", c.ID(), "of", p.Stats().Total)
	if err := p.CheckIn(c); err != nil {
		fmt.Println(err)
	}
	// Output: connection 1 of 1
}
