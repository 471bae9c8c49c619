package main

import (
	"context"
	"fmt"
	"io"
	"strconv"

	officialbson "go.mongodb.org/mongo-driver/v2/bson"
	officialoptions "go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// delayTask is something that both drivers do over a slow link.
type delayTask struct {
	name           string
	server         string
	parameters     string // of the URI
	official, ours func(*peers) error
	exhaust        func(*peers) error // Onion's, with an exhaust cursor; nil where there is none
}

// delayBatch is how many documents a batch has where it is set: small ones do not fill the link.
const delayBatch = 1000

// delayChunks is how many batches of chunks the files have: 67 MB.
const delayChunks = 16

func delayTasks() []delayTask {
	ctx := context.Background()
	many, manyAny := make([]newUser, collectionDocuments), make([]any, collectionDocuments)
	for i := range many {
		many[i] = newUser{"Grace Hopper", 45}
		manyAny[i] = many[i]
	}
	read := func(collection string, size int32, exhaust bool) func(*peers) error {
		return func(p *peers) error { return onionReading(p, collection, size, exhaust) }
	}
	return []delayTask{
		{name: "read 100,000 documents, 1,000 a batch", server: "collection", ours: read("users", delayBatch, false),
			exhaust:  read("users", delayBatch, true),
			official: func(p *peers) error { return officialReading(p, "users", delayBatch) }},
		{name: "read 100,000 documents of 1 KB, batches of the server's size", server: "collection", ours: read("large", 0, false),
			exhaust:  read("large", 0, true),
			official: func(p *peers) error { return officialReading(p, "large", 0) }},
		{name: "insertMany of 100,000", server: "streams", ours: func(p *peers) error {
			_, err := p.onionCollection().InsertMany(ctx, many)
			return err
		}, official: func(p *peers) error {
			_, err := p.officialCollection().InsertMany(ctx, manyAny)
			return err
		}},
		{name: "bulkWrite of a collection, 10,000 models in runs of 100", server: "streams",
			ours:     func(p *peers) error { return onionBulk(p, 10_000) },
			official: func(p *peers) error { return officialBulk(p, 10_000) }},
		{name: "bulkWrite of a client, 10,000 models", server: "streams",
			ours:     func(p *peers) error { return onionClientBulk(p, 10_000) },
			official: func(p *peers) error { return officialClientBulk(p, 10_000) }},
		{name: "GridFS 67 MB up", server: "streams", ours: func(p *peers) error {
			return p.onion.Database("bench").GridFSBucket().UploadFromStreamWithID(ctx, "up", "up", zeroBytes(delayChunks))
		}, official: func(p *peers) error {
			return p.official.Database("bench").GridFSBucket().UploadFromStreamWithID(ctx, "up", "up", zeroBytes(delayChunks))
		}},
		{name: "GridFS 67 MB down", server: "streams", ours: func(p *peers) error {
			n, err := p.onion.Database("bench").GridFSBucket().DownloadToStream(ctx, strconv.Itoa(delayChunks), io.Discard)
			return checkComplete(n, delayChunks, err)
		}, official: func(p *peers) error {
			n, err := p.official.Database("bench").GridFSBucket().DownloadToStream(ctx, strconv.Itoa(delayChunks), io.Discard)
			return checkComplete(n, delayChunks, err)
		}},
		{name: "first operation of a client with TLS and SCRAM-SHA-256", server: "secure", parameters: secureParameters,
			ours: connectAndPing("onion"), official: connectAndPing("official")},
	}
}

func onionReading(p *peers, collection string, size int32, exhaust bool) error {
	ctx := context.Background()
	o := &options.Find{}
	if size > 0 {
		o.BatchSize = &size
	}
	if exhaust {
		o.Exhaust = &exhaust
	}
	cursor, err := p.onion.Database("bench").Collection(collection).Find(ctx, bson.D{}, o)
	if err != nil {
		return err
	}
	n := 0
	for _, err := range mongo.Each[benchUser](ctx, cursor) {
		if err != nil {
			return err
		}
		n++
	}
	return checkAllRead(n)
}

func officialReading(p *peers, collection string, size int32) error {
	ctx := context.Background()
	o := officialoptions.Find()
	if size > 0 {
		o.SetBatchSize(size)
	}
	cursor, err := p.official.Database("bench").Collection(collection).Find(ctx, officialbson.D{}, o)
	if err != nil {
		return err
	}
	n := 0
	for ; cursor.Next(ctx); n++ {
		var u benchUser
		if err := cursor.Decode(&u); err != nil {
			return err
		}
	}
	if err := cursor.Err(); err != nil {
		return err
	}
	return checkAllRead(n)
}

func checkAllRead(n int) error {
	if n != collectionDocuments {
		return fmt.Errorf("read %d documents, want %d", n, collectionDocuments)
	}
	return nil
}

// connectAndPing connects a new client and pings. Closing it is no part of that.
func connectAndPing(driver string) func(*peers) error {
	return func(p *peers) error {
		c, err := openOne(driver, withUser(p.server.uri(p.parameters)), nil)
		if err != nil {
			return err
		}
		p.opened = append(p.opened, c)
		return c.ping(context.Background())
	}
}
