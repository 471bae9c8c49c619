// What a router adds to commands on data: checks before a command on a sharded collection, the shard's part of a reply,
// and counts of the shards that a command went to.

package server

import (
	"context"
	"slices"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// shardChecks are what a router checks before the shard runs a command on a sharded collection.
var shardChecks = map[string]func(*request, *shardedCollection) error{
	"createIndexes": checkUniqueIndexes, "dropIndexes": checkDroppedIndexes, "convertToCapped": refuseSharded,
}

// shardParts append a shard's part to the reply of a command.
var shardParts = map[string]func(*request, bson.Raw) bson.Raw{
	"aggregate": aggregateByShard, "collStats": collStatsByShard, "dbStats": dbStatsByShard, "explain": explainByShard,
	"listDatabases": databasesByShard,
}

// runOverShards runs a command as a router does.
func runOverShards(name string, run handler) handler {
	check, part := shardChecks[name], shardParts[name]
	return func(ctx context.Context, r *request) (bson.Raw, error) {
		if r.cluster.catalog == nil {
			return run(ctx, r)
		}
		r.countTargets()
		if check != nil {
			collection, _ := r.Value().StringOK()
			if s := r.cluster.catalog.find(r.DB + "." + collection); s != nil {
				if err := check(r, s); err != nil {
					return nil, err
				}
			}
		}
		answer, err := run(ctx, r)
		if err != nil || part == nil {
			return answer, err
		}
		return part(r, answer), nil
	}
}

// checkUniqueIndexes refuses a unique index that a shard cannot enforce alone.
func checkUniqueIndexes(r *request, s *shardedCollection) error {
	for _, spec := range call.Documents(r.Field("indexes")) {
		key, _ := spec.Lookup("key").DocumentOK()
		if unique, _ := spec.Lookup("unique").AsBoolOK(); unique && !startsWith(key, s.key) {
			return status.Errorf(errcode.CannotCreateIndex, "cannot create unique index over %s with shard key pattern %s",
				status.Text(key), status.Text(s.key))
		}
	}
	return nil
}

// checkDroppedIndexes refuses to drop the last index that begins with the shard key.
func checkDroppedIndexes(r *request, s *shardedCollection) error {
	c := r.cluster.store.Latest().Collection(s.db, s.name)
	if c == nil || r.Wire < wire.Server60 {
		return nil
	}
	dropped := func(name string, key bson.Raw) bool {
		switch v := r.Field("index"); v.Type {
		case bsontype.String:
			text, _ := v.StringOK()
			return text == name
		case bsontype.EmbeddedDocument:
			d, _ := v.DocumentOK()
			return string(d) == string(key)
		case bsontype.Array:
			list, _ := v.ArrayOK()
			for _, e := range list.All() {
				if text, _ := e.StringOK(); text == name {
					return true
				}
			}
		}
		return false
	}
	before, after := 0, 0
	for _, x := range c.Indexes() {
		if !startsWith(x.KeyPattern(), s.key) {
			continue
		}
		before++
		if !dropped(x.Name, x.KeyPattern()) {
			after++
		}
	}
	if before > 0 && after == 0 {
		return status.Errorf(errcode.CannotDropShardKeyIndex, "Cannot drop the only compatible index for this collection's shard key")
	}
	return nil
}

func refuseSharded(*request, *shardedCollection) error {
	return status.Errorf(errcode.IllegalOperation, "You can't convertToCapped a sharded collection")
}

// collStatsByShard says whether the collection is sharded, and shows the numbers of its shard.
func collStatsByShard(r *request, answer bson.Raw) bson.Raw {
	collection, _ := r.Value().StringOK()
	chunks, sharded := r.cluster.catalog.chunks(r.DB + "." + collection)
	dst := slices.Clone(answer[:len(answer)-1])
	dst = bson.AppendBooleanElement(dst, "sharded", sharded)
	if sharded {
		dst = bson.AppendInt32Element(dst, "nchunks", int32(chunks))
	} else {
		dst = bson.AppendStringElement(dst, "primary", shardName)
	}
	return bson.AppendDocumentEnd(appendPart(dst, "shards", shardName, answer), 0)
}

// databasesByShard says how much of each database a shard holds. The database admin lies on the config servers.
func databasesByShard(_ *request, answer bson.Raw) bson.Raw {
	databases, ok := answer.Lookup("databases").ArrayOK()
	if !ok {
		return answer
	}
	dst, start := bson.AppendDocumentStart(nil)
	dst, list := bson.AppendArrayElementStart(dst, "databases")
	for i, v := range databases.All() {
		one, _ := v.DocumentOK()
		dst = bson.AppendDocumentElement(dst, strconv.Itoa(i), addShardSizes(one))
	}
	dst = bson.AppendDocumentEnd(dst, list)
	for key, v := range answer.All() {
		if key != "databases" {
			dst = bson.AppendRawValueElement(dst, key, v)
		}
	}
	return bson.AppendDocumentEnd(dst, start)
}

// addShardSizes adds the sizes on shards to a database, if it has a size.
func addShardSizes(database bson.Raw) bson.Raw {
	size := database.Lookup("sizeOnDisk")
	if size.IsZero() {
		return database
	}
	shard := shardName
	if name, _ := database.Lookup("name").StringOK(); name == "admin" {
		shard = "config"
	}
	dst, shards := bson.AppendDocumentElementStart(slices.Clone(database[:len(database)-1]), "shards")
	dst = bson.AppendDocumentEnd(bson.AppendRawValueElement(dst, shard, size), shards)
	return bson.AppendDocumentEnd(dst, 0)
}

// dbStatsByShard shows the numbers of the shard under the address of its members.
func dbStatsByShard(_ *request, answer bson.Raw) bson.Raw {
	return bson.AppendDocumentEnd(appendPart(slices.Clone(answer[:len(answer)-1]), "raw", shardHosts, answer), 0)
}

func appendPart(dst []byte, field, shard string, part bson.Raw) []byte {
	dst, start := bson.AppendDocumentElementStart(dst, field)
	return bson.AppendDocumentEnd(bson.AppendDocumentElement(dst, shard, part), start)
}
