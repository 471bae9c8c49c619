package main

import (
	"fmt"
	"net"
	"strings"

	"github.com/specdrivers/onion/bson"
)

// bareTurns is how often a bound is measured; the least counts.
const bareTurns = 20

// bareBound measures the messages of a driver task over bare sockets, one for each goroutine: what no driver could avoid.
// ok is false if the task has no such bound.
func bareBound(name string) (elapsed, cpu float64, ok bool) {
	op, rest, _ := strings.Cut(name, ", ")
	var goroutines int
	if _, err := fmt.Sscanf(rest, "%d goroutines, canned", &goroutines); err != nil || bareMessage(op) == nil {
		return 0, 0, false
	}
	elapsed, cpu, err := measureBare(bareMessage(op), goroutines)
	return elapsed, cpu, err == nil
}

// bareMessage returns the command of an operation without the fields that drivers add, nil for an operation without a bound.
func bareMessage(op string) []byte {
	user := newUser{"Grace Hopper", 45}
	one := bson.D{{Key: "_id", Value: int32(7)}}
	database := bson.E{Key: "$db", Value: "bench"}
	switch op {
	case "findOne":
		return encodeMessage(bson.D{{Key: "find", Value: "users"}, {Key: "filter", Value: one}, {Key: "limit", Value: 1}, database})
	case "insertOne", "insertMany 1000":
		docs := make([]newUser, 1)
		if op != "insertOne" {
			docs = make([]newUser, manyDocuments)
		}
		for i := range docs {
			docs[i] = user
		}
		return encodeMessage(bson.D{{Key: "insert", Value: "many"}, {Key: "documents", Value: docs}, database})
	case "updateOne":
		set := bson.D{{Key: "$set", Value: bson.D{{Key: "age", Value: int32(37)}}}}
		update := bson.D{{Key: "q", Value: one}, {Key: "u", Value: set}}
		return encodeMessage(bson.D{{Key: "update", Value: "users"}, {Key: "updates", Value: bson.A{update}}, database})
	case "read 1000 documents":
		pipeline := bson.E{Key: "pipeline", Value: bson.A{}}
		return encodeMessage(bson.D{{Key: "aggregate", Value: "users"}, pipeline, {Key: "cursor", Value: bson.D{}}, database})
	}
	return nil
}

func measureBare(request []byte, goroutines int) (elapsed, cpu float64, err error) {
	s, err := startServer("canned")
	if err != nil {
		return 0, 0, err
	}
	defer s.input.Close()
	free := make(chan *bareSocket, goroutines)
	for range goroutines {
		nc, err := net.Dial("tcp", s.address)
		if err != nil {
			return 0, 0, err
		}
		defer nc.Close()
		free <- &bareSocket{nc, make([]byte, 128<<10)}
	}
	use := side{run: func(n int) {
		share(n, goroutines, func() error {
			b := <-free
			defer func() { free <- b }()
			return exchange(b.nc, request, b.reply)
		})
	}}
	n := iterations(task{least: goroutines, sides: []side{use}}, 4*longTurn/bareTurns)
	for i := range bareTurns {
		took, used := measureTime(use, n, false)
		if took, used = took/float64(n), used/float64(n); i == 0 {
			elapsed, cpu = took, used
		}
		elapsed, cpu = min(elapsed, took), min(cpu, used)
	}
	return elapsed, cpu, nil
}
