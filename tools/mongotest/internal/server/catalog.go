package server

import (
	"maps"
	"slices"
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// catalog is the content of a sharded cluster's config database.
type catalog struct {
	mu          sync.Mutex
	clusterID   bson.ObjectID
	latest      func() *store.Snapshot // what the shard stores
	databases   map[string]*knownDatabase
	collections map[string]*shardedCollection
	zones       []string // of the one shard
	ranges      []zoneRange
	stopped     bool // the balancer is off

	settling sync.Mutex // held while clients change settings of collections; it comes before mu
}

// knownDatabase is a database of the cluster.
type knownDatabase struct {
	uuid   bson.UUID
	stored bool // it has had collections, so dropping the last one removes it
}

// shardedCollection is a collection that shardCollection has sharded.
type shardedCollection struct {
	db, name string
	key      bson.Raw
	unique   bool
	uuid     bson.UUID
	epoch    bson.ObjectID
	splits   []bson.Raw // the keys at which one chunk ends and the next begins
	settings bson.D     // what clients may change of it
}

func (s *shardedCollection) namespace() string { return s.db + "." + s.name }

func newCatalog(latest func() *store.Snapshot) *catalog {
	return &catalog{
		clusterID: bson.NewObjectID(), latest: latest,
		databases: map[string]*knownDatabase{}, collections: map[string]*shardedCollection{},
	}
}

// lock locks the catalog and updates it to the collections that exist now.
func (c *catalog) lock() {
	c.mu.Lock()
	if len(c.collections) == 0 {
		return
	}
	latest := c.latest()
	current := map[string]*shardedCollection{}
	moved := map[string]string{} // the new namespaces by the old ones; empty for what was dropped
	for name, s := range c.collections {
		if have := latest.Collection(s.db, s.name); have == nil || have.UUID != s.uuid {
			if have = findByUUID(latest, s.uuid); have == nil {
				moved[name] = ""
				continue
			}
			renamed := *s
			renamed.db, renamed.name = have.DB, have.Name
			s, moved[name] = &renamed, have.Namespace()
		}
		current[s.namespace()] = s
	}
	c.collections = current
	c.moveRanges(moved)
}

// moveRanges keeps the zones of renamed collections and drops the zones of dropped ones; c.mu is held.
func (c *catalog) moveRanges(moved map[string]string) {
	var ranges []zoneRange
	for _, z := range c.ranges {
		to, gone := moved[z.namespace]
		if gone && to == "" {
			continue
		}
		if gone {
			z.namespace = to
		}
		ranges = append(ranges, z)
	}
	c.ranges = ranges
}

// followDatabases notes which databases clients have created and dropped. c.mu is held.
func (c *catalog) followDatabases() {
	stored := clientDatabases(c.latest())
	for name, db := range maps.Clone(c.databases) {
		if db.stored && !slices.Contains(stored, name) {
			delete(c.databases, name)
		}
	}
	for _, name := range stored {
		if c.databases[name] == nil {
			c.databases[name] = &knownDatabase{uuid: bson.NewUUID()}
		}
		c.databases[name].stored = true
	}
}

// clientDatabases returns the databases that are not the server's own.
func clientDatabases(now *store.Snapshot) []string {
	own := func(name string) bool { return name == "admin" || name == "config" || name == "local" }
	return slices.DeleteFunc(now.Databases(), own)
}

// findByUUID finds the collection with a UUID.
func findByUUID(now *store.Snapshot, uuid bson.UUID) *store.Collection {
	for _, db := range clientDatabases(now) {
		for _, c := range now.Collections(db) {
			if c.UUID == uuid {
				return c
			}
		}
	}
	return nil
}

// find returns the sharded collection of that name, or nil.
func (c *catalog) find(namespace string) *shardedCollection {
	c.lock()
	defer c.mu.Unlock()
	return c.collections[namespace]
}

// chunks counts the chunks of a collection; it is sharded if ok.
func (c *catalog) chunks(namespace string) (n int, ok bool) {
	c.lock()
	defer c.mu.Unlock()
	s, ok := c.collections[namespace]
	if !ok {
		return 0, false
	}
	return len(s.splits) + 1, true
}

func (c *catalog) addDatabase(name string) {
	c.lock()
	defer c.mu.Unlock()
	c.followDatabases()
	if c.databases[name] == nil {
		c.databases[name] = &knownDatabase{uuid: bson.NewUUID()}
	}
}

// isKnown reports whether a collection is already sharded in the same way. Another shard key or option is an error.
func (c *catalog) isKnown(s *shardedCollection) (bool, error) {
	c.lock()
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
	c.lock()
	defer c.mu.Unlock()
	s.epoch = bson.NewObjectID()
	c.collections[s.namespace()] = s
}

func (c *catalog) describeDatabases() (list []bson.D) {
	c.lock()
	defer c.mu.Unlock()
	c.followDatabases()
	for _, name := range slices.Sorted(maps.Keys(c.databases)) {
		list = append(list, bson.Doc("_id", name, "primary", shardName, "partitioned", true,
			"version", bson.Doc("uuid", c.databases[name].uuid, "lastMod", int32(1))))
	}
	return list
}

// version is the version of the only chunk.
var version = bson.Timestamp{T: 1, I: 0}

func (c *catalog) describeCollections() (list []bson.D) {
	c.lock()
	defer c.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(c.collections)) {
		s := c.collections[name]
		list = append(list, append(bson.Doc("_id", name, "lastmodEpoch", s.epoch,
			"lastmod", bson.NewDateTimeFromTime(s.epoch.Timestamp()), "timestamp", version, "uuid", s.uuid, "key", s.key,
			"unique", s.unique), s.settings...))
	}
	return list
}

// list returns the sharded collections in order of name; c.mu is held.
func (c *catalog) list() (list []*shardedCollection) {
	for _, name := range slices.Sorted(maps.Keys(c.collections)) {
		list = append(list, c.collections[name])
	}
	return list
}

// shardName is the id of the one shard behind the routers.
const shardName = "shard0"

const firstShardMember = "shard0-0.mongotest.invalid:27018"

const shardHosts = shardName + "/" + firstShardMember + ",shard0-1.mongotest.invalid:27018,shard0-2.mongotest.invalid:27018"

// zoneRange is a range of a collection's shard key that belongs to a zone.
type zoneRange struct {
	namespace, zone string
	low, high       bson.Raw
}
