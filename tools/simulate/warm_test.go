package simulate

import (
	"context"
	"os"
	"runtime/debug"
	"testing"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// TestMain uses zstd once outside a bubble: its library makes its channels at the first use and keeps them for the next, and
// a channel of one bubble is of no use in another.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // worlds are small and short
	if err := warm(context.Background()); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func warm(ctx context.Context) error {
	d, err := mongotest.New(mongotest.InMemory())
	if err != nil {
		return err
	}
	defer d.Close()
	c, err := mongo.Connect(ctx, d.URI(), &options.Client{Dialer: d.Dialer(), Compressors: []string{"zstd"}})
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	return c.Ping(ctx, nil)
}
