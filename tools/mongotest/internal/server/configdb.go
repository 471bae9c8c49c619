package server

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// provideConfig provides the config database on routers.
func (k *Cluster) provideConfig() {
	for name, documents := range map[string]func() []bson.D{
		"version":     func() []bson.D { return []bson.D{bson.Doc("_id", int32(1), "clusterId", k.catalog.clusterID)} },
		"shards":      func() []bson.D { return []bson.D{k.shard()} },
		"databases":   k.catalog.describeDatabases,
		"collections": k.catalog.describeCollections,
		"chunks":      k.catalog.describeChunks,
		"mongos":      k.describeRouters,
		"tags":        k.catalog.describeTags,
	} {
		k.store.Provide(store.Provided{DB: "config", Name: name, Documents: func(store.Timestamp) []bson.Raw {
			var list []bson.Raw
			for _, d := range documents() {
				f := reply.New()
				for _, e := range d {
					f.Value(e.Key, e.Value)
				}
				list = append(list, f.Done())
			}
			return list
		}})
	}
}

func (k *Cluster) describeRouters() (list []bson.D) {
	for _, n := range k.Nodes {
		list = append(list, bson.Doc("_id", n.Address(), "mongoVersion", k.fullVersion(), "ping",
			bson.NewDateTimeFromTime(k.Now()), "waiting", true))
	}
	return list
}

// shard describes the only shard. Nothing listens on its members' addresses: clients of a router never connect to them.
func (k *Cluster) shard() bson.D {
	d := bson.Doc("_id", shardName, "host", shardHosts, "state", int32(1),
		"topologyTime", bson.Timestamp{T: uint32(k.clock.StartTime().Unix()), I: 1})
	k.catalog.mu.Lock()
	defer k.catalog.mu.Unlock()
	if len(k.catalog.zones) > 0 {
		tags := bson.A{}
		for _, zone := range k.catalog.zones {
			tags = append(tags, zone)
		}
		d = append(d, bson.E{Key: "tags", Value: tags})
	}
	return d
}

// describeChunks lists the chunks of each collection, from the smallest key to the largest.
func (c *catalog) describeChunks() (list []bson.D) {
	c.lock()
	defer c.mu.Unlock()
	for _, s := range c.list() {
		first, last := bson.D{}, bson.D{}
		for field := range s.key.All() {
			first = append(first, bson.E{Key: field, Value: bson.RawValue{Type: bsontype.MinKey}})
			last = append(last, bson.E{Key: field, Value: bson.RawValue{Type: bsontype.MaxKey}})
		}
		low := any(first)
		for i := range len(s.splits) + 1 {
			high, id := any(last), s.epoch
			if i < len(s.splits) {
				high = s.splits[i]
			}
			id[11] += byte(i)
			list = append(list, bson.Doc("_id", id, "uuid", s.uuid, "min", low, "max", high, "shard", shardName, "lastmod", version,
				"history", bson.A{bson.Doc("validAfter", version, "shard", shardName)}))
			low = high
		}
	}
	return list
}

// describeTags returns the documents of config.tags.
func (c *catalog) describeTags() (list []bson.D) {
	c.lock()
	defer c.mu.Unlock()
	for _, z := range c.ranges {
		list = append(list, bson.Doc("_id", bson.Doc("ns", z.namespace, "min", z.low), "ns", z.namespace, "min", z.low, "max", z.high,
			"tag", z.zone))
	}
	return list
}
