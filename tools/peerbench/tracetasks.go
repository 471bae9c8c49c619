package main

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// traceTasks compare an operation without tracing with the same one while tracing is off and with a tracer attached. The
// spans of that tracer cost nothing, so what remains is the driver's own work.
//
// All clients use one server: with one each, clients without tracing differed by up to a sixth from each other.
func traceTasks() []task {
	started := sync.OnceValue(func() *server {
		s, err := startServer("canned")
		if err != nil {
			panic(err)
		}
		return s
	})
	plain := newTracedSide("plain", started, nil)
	off := &options.Tracing{Tracer: freeSpans{}, Enabled: new(false)}
	return []task{
		{
			name: "findOne, tracing off, canned", family: "driver", least: 1,
			sides: []side{plain, newTracedSide("onion", started, off)},
		},
		{
			name: "findOne, a tracer attached, canned", family: "driver", least: 1,
			sides: []side{plain, newTracedSide("onion", started, &options.Tracing{Tracer: freeSpans{}})},
		},
	}
}

// newTracedSide finds one document with a client that has these settings.
func newTracedSide(name string, started func() *server, tracing *options.Tracing) side {
	users := sync.OnceValue(func() *mongo.Collection {
		client, err := mongo.Connect(context.Background(), started().uri(""), &options.Client{Tracing: tracing})
		if err != nil {
			panic(err)
		}
		return client.Database("bench").Collection("users")
	})
	return side{name: name, run: func(n int) {
		c := users()
		defer runtime.KeepAlive(started())
		for range n {
			var u benchUser
			if err := c.FindOne(context.Background(), bson.Doc("_id", 5)).Decode(&u); err != nil {
				panic(err)
			}
		}
	}}
}

// freeSpans is a tracer and every one of its spans.
type freeSpans struct{}

func (freeSpans) Start(context.Context, string, time.Time, []options.SpanAttribute) options.Span {
	return freeSpans{}
}
func (freeSpans) Context(ctx context.Context) context.Context { return ctx }
func (freeSpans) Traceparent() string                         { return "" }
func (freeSpans) SetAttributes([]options.SpanAttribute)       {}
func (freeSpans) End(error)                                   {}
