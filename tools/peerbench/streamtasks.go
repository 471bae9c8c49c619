package main

import (
	"context"
	"fmt"
	"io"
	"strconv"

	officialbson "go.mongodb.org/mongo-driver/v2/bson"
	official "go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
)

// streamTask is something long that both drivers do with a server of endless things: n units of it.
type streamTask struct {
	name           string
	unit           string
	goal           float64 // times the official driver's speed
	units, fewer   int     // as many as are measured, and a smaller number to compare the memory with
	size           float64 // of a unit, in what the speed is given in
	official, ours func(p *peers, units int) error
	bare           func(p *peers, units int) error // what no driver could avoid; nil where nothing is so simple
	reason         string                          // what limits the driver, if it misses the goal
}

func streamTasks() []streamTask {
	ctx := context.Background()
	const megabytes = float64(streamBatchSize) / 1e6
	return []streamTask{
		{name: "change stream, decoded into structs", unit: "thousand events", goal: 2, units: 200_000, fewer: 20_000, size: 1e-3,
			official: officialEvents, ours: onionEvents, reason: "decoding the events"},
		{name: "GridFS 1 GB up", unit: "MB", goal: 2, units: streamBatches, fewer: streamFewest, size: megabytes,
			official: func(p *peers, n int) error {
				return p.official.Database("bench").GridFSBucket().UploadFromStreamWithID(ctx, "up", "up", zeroBytes(n))
			},
			ours: func(p *peers, n int) error {
				return p.onion.Database("bench").GridFSBucket().UploadFromStreamWithID(ctx, "up", "up", zeroBytes(n))
			}, reason: "of 396 ms of processor time a GB, system calls take 184, the copy of the chunks into the message 93, and " +
				"the source, which clears memory, 81"},
		{name: "GridFS 1 GB down", unit: "MB", goal: 2, units: streamBatches, fewer: streamFewest, size: megabytes,
			official: func(p *peers, n int) error {
				got, err := p.official.Database("bench").GridFSBucket().DownloadToStream(ctx, strconv.Itoa(n), io.Discard)
				return checkComplete(got, n, err)
			},
			bare: bareDownload,
			reason: "of 280 ms of processor time a GB, system calls take 242, which copy the data out of the socket: 5.3 reads with data " +
				"for each batch of 4 MB, and 0.8 that find none yet",
			ours: func(p *peers, n int) error {
				got, err := p.onion.Database("bench").GridFSBucket().DownloadToStream(ctx, strconv.Itoa(n), io.Discard)
				return checkComplete(got, n, err)
			}},
		{name: "bulkWrite of a client, 100,000 models", unit: "thousand models", goal: 3, units: 100_000, size: 1e-3,
			official: officialClientBulk, ours: onionClientBulk, reason: "encoding the models, and making them on both sides"},
		{name: "bulkWrite of a collection, 100,000 models", unit: "thousand models", goal: 3, units: 100_000, size: 1e-3,
			official: officialBulk, ours: onionBulk, bare: bareBulk,
			reason: "of 74 ms of processor time, making the models takes 17, system calls 13 (a write and 1.05 reads for each of 1,000 " +
				"messages), encoding 11, memory 12 (half of it the map of _ids), the rest of the driver 14; the server has each " +
				"message for 13 us"},
	}
}

// checkComplete checks that a download has all its bytes.
func checkComplete(got int64, batches int, err error) error {
	if want := int64(batches) * streamBatchSize; err == nil && got != want {
		return fmt.Errorf("downloaded %d bytes, want %d", got, want)
	}
	return err
}

// zeroBytes returns a reader of as many zeros as that many batches of a file hold.
func zeroBytes(batches int) io.Reader {
	return io.LimitReader(zeroReader{}, int64(batches)*streamBatchSize)
}

type zeroReader struct{}

func (zeroReader) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// changeEvent is what the change stream's readers decode.
type changeEvent struct {
	Operation string    `bson:"operationType"`
	Document  benchUser `bson:"fullDocument"`
}

func officialEvents(p *peers, n int) error {
	ctx := context.Background()
	stream, err := p.officialCollection().Watch(ctx, official.Pipeline{})
	if err != nil {
		return err
	}
	defer stream.Close(ctx)
	for range n {
		var e changeEvent
		if !stream.Next(ctx) {
			return stream.Err()
		}
		if err := stream.Decode(&e); err != nil {
			return err
		}
	}
	return nil
}

func onionEvents(p *peers, n int) error {
	ctx := context.Background()
	stream, err := p.onionCollection().Watch(ctx, bson.A{})
	if err != nil {
		return err
	}
	defer stream.Close(ctx)
	for range n {
		var e changeEvent
		if !stream.Next(ctx) {
			return stream.Err()
		}
		if err := stream.Decode(&e); err != nil {
			return err
		}
	}
	return nil
}

func officialClientBulk(p *peers, n int) error {
	writes := make([]official.ClientBulkWrite, n)
	for i := range writes {
		writes[i] = official.ClientBulkWrite{
			Database: "bench", Collection: "users", Model: official.NewClientInsertOneModel().SetDocument(newUser{"Grace Hopper", 45}),
		}
	}
	_, err := p.official.BulkWrite(context.Background(), writes)
	return err
}

func onionClientBulk(p *peers, n int) error {
	writes := make([]mongo.ClientBulkWrite, n)
	for i := range writes {
		writes[i] = mongo.ClientBulkWrite{
			Database: "bench", Collection: "users", Model: &mongo.InsertOneModel{Document: newUser{"Grace Hopper", 45}},
		}
	}
	_, err := p.onion.BulkWrite(context.Background(), writes)
	return err
}

// A collection's models are inserts and updates in turn, in a thousand runs of a hundred.
const bulkRun = 100

func officialBulk(p *peers, n int) error {
	models := make([]official.WriteModel, n)
	for i := range models {
		if i/bulkRun%2 == 0 {
			models[i] = official.NewInsertOneModel().SetDocument(newUser{"Grace Hopper", 45})
			continue
		}
		models[i] = official.NewUpdateOneModel().SetFilter(officialbson.D{{Key: "_id", Value: int32(i)}}).
			SetUpdate(officialbson.D{{Key: "$set", Value: officialbson.D{{Key: "age", Value: int32(37)}}}})
	}
	_, err := p.officialCollection().BulkWrite(context.Background(), models)
	return err
}

func onionBulk(p *peers, n int) error {
	models := make([]mongo.WriteModel, n)
	for i := range models {
		if i/bulkRun%2 == 0 {
			models[i] = &mongo.InsertOneModel{Document: newUser{"Grace Hopper", 45}}
			continue
		}
		models[i] = &mongo.UpdateOneModel{Filter: bson.D{{Key: "_id", Value: int32(i)}},
			Update: bson.D{{Key: "$set", Value: bson.D{{Key: "age", Value: int32(37)}}}}}
	}
	_, err := p.onionCollection().BulkWrite(context.Background(), models)
	return err
}
