package guide_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
)

var logs = io.Discard // or os.Stderr, or a file

func Example_log() {
	logger := slog.New(slog.NewTextHandler(logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	ctx, client := connect(&options.Client{
		Logger:    logger,
		LogLevels: &options.LogLevels{Topology: new(slog.LevelInfo), Command: new(slog.LevelDebug)},
	})
	defer client.Close(ctx)

	fmt.Println(client.Ping(ctx, nil))
	// Output: <nil>
}

func Example_slowCommands() {
	slow := func(_ context.Context, e *event.CommandSucceeded) {
		if e.Duration > 100*time.Millisecond {
			slog.Warn("slow command", "name", e.CommandName, "database", e.DatabaseName, "took", e.Duration)
		}
	}
	ctx, client := connect(&options.Client{CommandMonitor: &event.CommandMonitor{Succeeded: slow}})
	defer client.Close(ctx)

	fmt.Println(client.Ping(ctx, nil))
	// Output: <nil>
}

func Example_stats() {
	ctx, client := connect()
	defer client.Close(ctx)
	if err := client.Database("shop").Collection("users").FindOne(ctx, bson.D{}).Err(); err == nil {
		return
	}

	stats := client.Stats()
	fmt.Println(stats.Topology.Type, len(stats.Topology.Servers), stats.Operations.InFlight)
	for _, server := range stats.Topology.Servers {
		if server.Pool.Waiting > 0 {
			fmt.Println(server.Address, "is short of connections")
		}
	}
	// Output: ReplicaSetWithPrimary 3 0
}
