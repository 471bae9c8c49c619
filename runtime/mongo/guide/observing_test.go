package guide_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/runtime/mongodebug"
	"github.com/specdrivers/onion/runtime/selection"
	"github.com/specdrivers/onion/tools/mongotest"
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

// With the variable set, the environment decides although the program has a default.
func Example_logEnvironment() {
	os.Setenv("MONGODB_LOG_COMMAND", "debug")
	defer os.Unsetenv("MONGODB_LOG_COMMAND")
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.MessageKey || a.Key == "commandName" {
				return a
			}
			return slog.Attr{} // these attributes differ from run to run
		},
	}))

	levels := &options.LogLevels{Command: new(slog.LevelWarn)}
	if os.Getenv("MONGODB_LOG_COMMAND") != "" {
		levels.Command = nil
	}
	ctx, client := connect(&options.Client{Logger: logger, LogLevels: levels})
	client.Ping(ctx, nil)
	client.Close(ctx)
	// Output:
	// msg="Command started" commandName=ping
	// msg="Command succeeded" commandName=ping
	// msg="Command started" commandName=endSessions
	// msg="Command succeeded" commandName=endSessions
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

func Example_page() {
	server, err := mongotest.New()
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	ctx, uri := context.Background(), server.URI()

	var page mongodebug.Page
	client, err := page.Connect(ctx, uri, &options.Client{AppName: new("shop")}) // in place of mongo.Connect
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close(ctx)
	http.Handle("/debug/mongo/", &page)

	fmt.Println(client.Ping(ctx, nil))
	// Output: <nil>
}

func Example_serverChoice() {
	ctx, client := connect()
	defer client.Close(ctx)
	if err := client.Ping(ctx, nil); err != nil {
		return
	}

	decision := client.ExplainServerChoice(mongo.ServerChoice{Write: true})
	for _, verdict := range decision.Verdicts {
		if verdict.Out != selection.InWindow {
			fmt.Fprintln(logs, verdict.Server.Address, "may not be used:", verdict.Reason)
		}
	}
	fmt.Println(decision.Wants)
	// Output: writable server
}
