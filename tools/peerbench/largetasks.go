package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	officialbson "go.mongodb.org/mongo-driver/v2/bson"
	officialoptions "go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
)

// largeGoal is how many times the official driver's speed this one must have with documents of a megabyte.
const largeGoal = 1.5

// largeTasks send documents of a megabyte up and down: as they are, compressed, and with TLS.
func largeTasks() (tasks []task) {
	type way struct{ name, server, parameters string }
	ways := []way{{"plain", "large", ""}, {"TLS", "large tls", "tls=true&tlsInsecure=true"}}
	for _, compressor := range []string{"snappy", "zlib", "zstd"} {
		ways = append(ways, way{compressor, "large", "compressors=" + compressor})
	}
	lines := largeLines()
	for _, w := range ways {
		connected := sync.OnceValue(func() *peers {
			p, err := connectWith(w.server, w.parameters)
			if err != nil {
				panic(err)
			}
			return p
		})
		for _, op := range largeOperations(lines) {
			tasks = append(tasks, task{
				name: fmt.Sprintf("1 MB %s, %s", op.name, w.name), family: "large", goal: largeGoal,
				sides: []side{
					{name: "official", run: func(n int) { p := connected(); share(n, 1, func() error { return op.official(p) }) }},
					{name: "onion", run: func(n int) { p := connected(); share(n, 1, func() error { return op.onion(p) }) }},
				},
			})
		}
	}
	return tasks
}

// largeLines returns a megabyte of words in any order, which compresses as text does.
func largeLines() []string {
	words := []string{"onion ", "tear ", "layer ", "kitchen ", "knife ", "soup ", "garden ", "market ", "winter ", "bulb "}
	random := rand.New(rand.NewPCG(1, 2))
	lines := make([]string, 10_000)
	for i := range lines {
		for len(lines[i]) < 90 {
			lines[i] += words[random.IntN(len(words))]
		}
	}
	return lines
}

func largeOperations(lines []string) []operation {
	ctx := context.Background()
	type large struct {
		ID    int32    `bson:"_id"`
		Lines []string `bson:"lines"`
	}
	theirs, ours := officialbson.D{{Key: "_id", Value: int32(1)}}, bson.D{{Key: "_id", Value: int32(1)}}
	doc := large{1, lines}
	up := operation{"up", func(p *peers) error {
		_, err := p.official.Database("bench").Collection("large").ReplaceOne(ctx, theirs, doc, officialoptions.Replace().SetUpsert(true))
		return err
	}, func(p *peers) error {
		_, err := p.onion.Database("bench").Collection("large").ReplaceOne(ctx, ours, doc, &options.ReplaceOne{Upsert: new(true)})
		return err
	}}
	return []operation{up, {"down", func(p *peers) error {
		var d large
		return p.official.Database("bench").Collection("large").FindOne(ctx, theirs).Decode(&d)
	}, func(p *peers) error {
		var d large
		return p.onion.Database("bench").Collection("large").FindOne(ctx, ours).Decode(&d)
	}}}
}
