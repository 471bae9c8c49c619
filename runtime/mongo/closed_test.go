package mongo_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

func TestAnOperationThatCloseCutsOffIsErrClientClosed(t *testing.T) {
	for _, command := range []struct {
		name string
		run  func(ctx context.Context, c *mongo.Collection) error
	}{
		{"find", func(ctx context.Context, c *mongo.Collection) error { return c.FindOne(ctx, bson.D{}).Err() }},
		{"insert", func(ctx context.Context, c *mongo.Collection) error {
			_, err := c.InsertOne(ctx, bson.Doc("a", 1))
			return err
		}},
	} {
		t.Run(command.name, func(t *testing.T) {
			t.Parallel()
			d := mongotest.Start(t, mongotest.Standalone())
			sent := make(chan struct{}, 9)
			client := connect(t, d, &options.Client{CommandMonitor: &event.CommandMonitor{
				Started: func(_ context.Context, e *event.CommandStarted) {
					if e.CommandName == command.name {
						sent <- struct{}{}
					}
				},
			}})
			fail := bson.Doc("configureFailPoint", "failCommand", "mode", "alwaysOn", "data", bson.Doc(
				"failCommands", bson.A{command.name}, "blockConnection", true, "blockTimeMS", 60_000))
			if err := client.Database("admin").RunCommand(t.Context(), fail).Err(); err != nil {
				t.Fatal(err)
			}
			failed := make(chan error, 1)
			go func() { failed <- command.run(t.Context(), client.Database("shop").Collection("users")) }()
			<-sent
			closing, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
			defer cancel()
			client.Close(closing)
			err := <-failed
			if !errors.Is(err, mongo.ErrClientClosed) || !errors.Is(err, mongo.ErrClientDisconnected) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// An operation that a server answers while Close waits fails with the server's error.
func TestAnAnswerDuringCloseIsReported(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client := s.connect("")
		closed := make(chan error, 1)
		s.d.Intercept(mongotest.Named("insert"), 1, func(mongotest.Command) mongotest.Answer {
			go func() { closed <- client.Close(context.Background()) }()
			time.Sleep(time.Second) // until Close waits
			return mongotest.Answer{Reply: encodeReply(t, "ok", 0, "code", 59, "errmsg", "told to")}
		})
		if _, err := client.Database("d").Collection("c").InsertOne(t.Context(), bson.D{}); !mongo.HasErrorCode(err, 59) || errors.Is(err, mongo.ErrClientClosed) {
			t.Errorf("got %v", err)
		}
		if err := <-closed; err != nil {
			t.Error(err)
		}
	})
}
