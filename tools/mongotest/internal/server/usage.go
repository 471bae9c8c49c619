// The command top: shows how often and for how long each collection was used.
//
// Left out: the time of locks is not separate from the time of the command.

package server

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
)

// latency returns how long the reads, writes and commands on a collection took on all nodes, for latencyStats.
// A server's histograms have finer buckets beyond 2,048 microseconds; here the bounds of all are powers of two.
func (k *Cluster) latency(namespace string, histograms bool) bson.D {
	stats := bson.D{}
	for _, group := range []struct {
		name  string
		kinds string
	}{{"reads", "queries getmore"}, {"writes", "insert update remove"}, {"commands", "commands"}} {
		var sum timeSpent
		var histogram [latencyBuckets]int64
		for _, n := range k.Nodes {
			one := n.usage.useOf(namespace)
			for i, kind := range usedKinds {
				if slices.Contains(strings.Fields(group.kinds), kind) {
					sum.count += one[i].count
					sum.micros += one[i].micros
					for bucket, n := range one[i].buckets {
						histogram[bucket] += int64(n)
					}
				}
			}
		}
		shown := bson.Doc("latency", sum.micros, "ops", sum.count)
		if histograms {
			shown = slices.Insert(shown, 0, bson.E{Key: "histogram", Value: shownHistogram(histogram)})
		}
		stats = append(stats, bson.E{Key: group.name, Value: shown})
	}
	none := bson.Doc("latency", int64(0), "ops", int64(0))
	if histograms {
		none = slices.Insert(none, 0, bson.E{Key: "histogram", Value: bson.A{}})
	}
	return append(stats, bson.E{Key: "transactions", Value: none})
}

// shownHistogram lists the buckets that are not empty, each by its lower bound in microseconds.
func shownHistogram(buckets [latencyBuckets]int64) bson.A {
	list := bson.A{}
	for i, n := range buckets {
		lower := int64(1) << i
		if i == 0 {
			lower = 0
		}
		if n > 0 {
			list = append(list, bson.Doc("micros", lower, "count", n))
		}
	}
	return list
}

// noteUsage counts the command if it is about a collection.
func (r *request) noteUsage(began time.Time) {
	if r.command == nil || r.command.access == anyMember && r.Name != "getMore" {
		return
	}
	name, ok := r.Value().StringOK()
	kind := "commands"
	switch r.Name {
	case "find":
		kind = "queries"
	case "insert", "update":
		kind = r.Name
	case "delete":
		kind = "remove"
	case "getMore":
		kind = "getmore"
		name, ok = r.Field("collection").StringOK()
	}
	if ok && name != "" {
		r.node.usage.note(r.DB+"."+name, kind, r.command.access == writes, time.Since(began))
	}
}

func top(_ context.Context, r *request) (bson.Raw, error) {
	totals := bson.Doc("note", "all times in microseconds")
	snapshot := r.cluster.store.Latest()
	for _, db := range snapshot.Databases() {
		for _, c := range snapshot.Collections(db) {
			one, shown := r.node.usage.useOf(c.Namespace()), bson.D{}
			for i, kind := range usedKinds {
				shown = append(shown, bson.E{Key: kind, Value: bson.Doc("time", one[i].micros, "count", one[i].count)})
			}
			totals = append(totals, bson.E{Key: c.Namespace(), Value: shown})
		}
	}
	return reply.New().Value("totals", totals).Done(), nil
}
