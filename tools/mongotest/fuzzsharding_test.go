package mongotest

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// shardingFields are the fields of the commands about sharding.
var shardingFields = []string{
	"key", "unique", "numInitialChunks", "collation", "timeseries", "primaryShard", "find", "bounds", "middle", "to", "toShard", "min",
	"max", "zone", "allowMigrations",
}

// shardingCommands are commands that only routers have, and others that depend on whether a collection is sharded.
var shardingCommands = []string{
	"shardCollection", "shardCollection", "enableSharding", "listShards", "getShardMap", "balancerStatus", "checkMetadataConsistency",
	"balancerStart", "balancerStop", "balancerCollectionStatus", "addShard", "removeShard", "addShardToZone", "removeShardFromZone",
	"updateZoneKeyRange", "split", "moveChunk", "moveRange", "moveCollection", "unshardCollection", "reshardCollection",
	"commitReshardCollection", "setAllowMigrations", "clearJumboFlag", "flushRouterConfig", "isdbgrid", "renameCollection",
}

// FuzzSharding shards, splits, moves and zones collections while they are used, dropped and renamed.
func FuzzSharding(f *testing.F) {
	fuzzTalks(f, []Option{Sharded(2)}, nil, func(x *talk) bson.Raw {
		switch x.n(5) {
		case 0:
			return x.command()
		case 1:
			name := pick(x.maker, []string{"drop", "collStats", "dropIndexes", "createIndexes", "convertToCapped", "dbStats", "dropDatabase"})
			return x.anyFields(name, text("c"), "db", []string{"index", "indexes"}, x.option)
		case 2:
			name := pick(x.maker, []string{"collections", "chunks", "databases", "tags", "shards", "version", "settings", "system.sessions"})
			return x.fields("find", text(name), "filter", x.maker.filter(), "$db", text("config"))
		}
		name := pick(x.maker, shardingCommands)
		return x.anyFields(name, x.shardingTarget(), "admin", shardingFields, x.shardingField)
	})
}

func (x *talk) shardingTarget() bson.RawValue {
	if x.n(12) == 11 {
		return x.value()
	}
	return text(pick(x.maker, []string{"db.c", "db.c", "db.c", "db.k", "db.v", "db.new", "db", "config.c", "shard0", "s/h:1", "", "."}))
}

func (x *talk) shardingField(name string) bson.RawValue {
	if x.n(12) == 11 {
		return x.value()
	}
	switch name {
	case "key":
		return x.document(func(dst []byte) []byte {
			for range 1 + x.n(2) {
				kind := pick(x.maker, []bson.RawValue{number(1), number(1), text("hashed"), number(-1), text("x")})
				dst = bson.AppendRawValueElement(dst, pick(x.maker, []string{"a", "_id", "b.c", "n"}), kind)
			}
			return dst
		})
	case "unique", "allowMigrations":
		return bson.RawValue{Type: bsontype.Boolean, Value: []byte{byte(x.n(2))}}
	case "find", "middle", "min", "max":
		return x.document(func(dst []byte) []byte {
			return bson.AppendRawValueElement(dst, pick(x.maker, []string{"a", "_id"}), x.value())
		})
	case "bounds":
		return x.array(2, x.anyDocument)
	case "to", "toShard", "primaryShard":
		return text(pick(x.maker, []string{"shard0", "shard0", "x", ""}))
	case "zone":
		return pick(x.maker, []bson.RawValue{text("z"), text("y"), {Type: bsontype.Null}})
	case "timeseries":
		return bson.RawValue{Type: bsontype.EmbeddedDocument, Value: x.fields("timeField", text("t"), "metaField", text(pick(x.maker, []string{"m", "a", "t"})))}
	}
	return x.value()
}
