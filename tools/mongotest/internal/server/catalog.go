package server

import (
	"maps"
	"slices"
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// catalog is the content of a sharded cluster's config database.
type catalog struct {
	mu          sync.Mutex
	clusterID   bson.ObjectID
	databases   map[string]bson.UUID
	collections map[string]*shardedCollection
	zones       []string // of the one shard
	ranges      []zoneRange
	stopped     bool // the balancer is off
}

// shardedCollection is a collection that shardCollection has sharded.
type shardedCollection struct {
	db, name string
	key      bson.Raw
	unique   bool
	uuid     bson.UUID
	epoch    bson.ObjectID
	splits   []bson.Raw // the keys at which one chunk ends and the next begins
}

func (s *shardedCollection) namespace() string { return s.db + "." + s.name }

func newCatalog() *catalog {
	return &catalog{clusterID: bson.NewObjectID(), databases: map[string]bson.UUID{}, collections: map[string]*shardedCollection{}}
}

func (c *catalog) addDatabase(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.databases[name]; !known {
		c.databases[name] = bson.NewUUID()
	}
}

// known reports whether a collection is already sharded in the same way. Another shard key or option is an error.
func (c *catalog) known(s *shardedCollection) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.collections[s.namespace()]
	if old == nil {
		return false, nil
	}
	if string(old.key) != string(s.key) || old.unique != s.unique {
		return false, status.Errorf(errcode.AlreadyInitialized,
			"sharding already enabled for collection %s with options { _id: \"%s\", key: %s, unique: %t }",
			s.namespace(), s.namespace(), status.Text(old.key), old.unique)
	}
	return true, nil
}

func (c *catalog) add(s *shardedCollection) {
	c.addDatabase(s.db)
	c.mu.Lock()
	defer c.mu.Unlock()
	s.epoch = bson.NewObjectID()
	c.collections[s.namespace()] = s
}

func (c *catalog) describeDatabases() (list []bson.D) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(c.databases)) {
		list = append(list, bson.Doc("_id", name, "primary", shardName, "partitioned", true,
			"version", bson.Doc("uuid", c.databases[name], "lastMod", int32(1))))
	}
	return list
}

// version is the version of the only chunk.
var version = bson.Timestamp{T: 1, I: 0}

func (c *catalog) describeCollections() (list []bson.D) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(c.collections)) {
		s := c.collections[name]
		list = append(list, bson.Doc("_id", name, "lastmodEpoch", s.epoch,
			"lastmod", bson.NewDateTimeFromTime(s.epoch.Timestamp()), "timestamp", version, "uuid", s.uuid, "key", s.key,
			"unique", s.unique, "noBalance", false))
	}
	return list
}

// sorted are the sharded collections in order of name; c.mu is held.
func (c *catalog) sorted() (list []*shardedCollection) {
	for _, name := range slices.Sorted(maps.Keys(c.collections)) {
		list = append(list, c.collections[name])
	}
	return list
}

// shardName is the id of the one shard behind the routers.
const shardName = "shard0"

const shardHosts = shardName + "/shard0-0.mongotest.invalid:27018,shard0-1.mongotest.invalid:27018,shard0-2.mongotest.invalid:27018"

// zoneRange is a range of a collection's shard key that belongs to a zone.
type zoneRange struct {
	namespace, zone string
	low, high       bson.Raw
}
