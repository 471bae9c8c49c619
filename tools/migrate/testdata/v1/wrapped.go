package shop

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/primitive"
	"go.mongodb.org/mongo-driver/event"
	"go.mongodb.org/mongo-driver/mongo"
	"go.mongodb.org/mongo-driver/mongo/description"
	"go.mongodb.org/mongo-driver/mongo/options"
)

// databases has methods that wrappedDatabase gets from the type that it embeds.
type databases interface {
	Drop(ctx context.Context) error
	Name() string
	Handle(name string) collections
	RunCommandCursor(ctx context.Context, command any, opts ...*options.RunCmdOptions) (*mongo.Cursor, error)
}

type wrappedDatabase struct{ *mongo.Database }

func (d wrappedDatabase) Handle(name string) collections { return d.Collection(name) }

var _ databases = &wrappedDatabase{}

func decimalParts(d primitive.Decimal128) (uint64, uint64) { return d.GetBytes() }

func droppedByKeys(ctx context.Context, c *mongo.Collection) error {
	_, err := c.Indexes().DropOneWithKey(ctx, bson.D{{Key: "a", Value: 1}})
	return err
}

func appendedValue(dst []byte, v any) ([]byte, error) {
	_, out, err := bson.MarshalValueAppend(dst, v)
	return out, err
}

type proxied struct{ name string }

func (p proxied) ProxyBSON() (any, error) { return p.name, nil }

func serverEvents(found map[string]int64) *event.ServerMonitor {
	return &event.ServerMonitor{
		ServerDescriptionChanged: func(e *event.ServerDescriptionChangedEvent) {
			d := e.NewDescription
			if d.Kind == description.RSPrimary && d.CanonicalAddr != "" {
				found[string(d.Addr)] = int64(d.MaxBatchCount)
			}
		},
		TopologyDescriptionChanged: func(e *event.TopologyDescriptionChangedEvent) {
			if e.NewDescription.Kind == description.ReplicaSetWithPrimary {
				found["members"] = int64(len(e.NewDescription.Servers))
			}
		},
		ServerHeartbeatSucceeded: func(e *event.ServerHeartbeatSucceededEvent) { found["heartbeat"] = e.DurationNanos },
	}
}

func checked(opts *options.ClientOptions) error {
	if err := opts.Validate(); err != nil {
		return err
	}
	return nil
}

func slowCursor(c *mongo.Cursor) { c.SetMaxTime(time.Second) }
