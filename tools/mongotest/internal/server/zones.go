// The commands of a router that move and split chunks, name zones, and change how a collection is sharded: addShard,
// removeShard, addShardToZone, removeShardFromZone, updateZoneKeyRange, split, moveChunk, moveRange, moveCollection,
// reshardCollection, unshardCollection, commitReshardCollection, abortReshardCollection, abortMoveCollection,
// abortUnshardCollection, balancerCollectionStatus, balancerStart, balancerStop, getShardVersion,
// setAllowMigrations and clearJumboFlag.
//
// Left out: there is one shard, so nothing moves. The key range of a zone is not checked against the shard key.

package server

import (
	"context"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// findSharded returns the collection that a command names with its database.
func (r *request) findSharded() (*shardedCollection, error) {
	namespace := r.Text(r.Name)
	if s := r.cluster.catalog.find(namespace); s != nil {
		return s, nil
	}
	return nil, status.Errorf(errcode.NamespaceNotSharded, "Collection %s is not sharded", namespace)
}

func errNoShard(name string) error {
	return status.Errorf(errcode.ShardNotFound, "Shard %s does not exist", name)
}

// addShard fails to reach any other shard: the deployment has only one.
func addShard(_ context.Context, r *request) (bson.Raw, error) {
	text, ok := r.Value().StringOK()
	if !ok {
		return nil, status.WrongType("addShard.addShard", r.Value(), "string")
	}
	set, _, found := strings.Cut(text, "/")
	if !found {
		return nil, status.Errorf(errcode.OperationFailed, "%s is not reachable: a deployment of mongotest has one shard", text)
	}
	return nil, status.Errorf(errcode.FailedToSatisfyReadPreference,
		"Could not find host matching read preference { mode: \"primary\" } for set %s", set)
}

func removeShard(_ context.Context, r *request) (bson.Raw, error) {
	if name := r.Text(r.Name); name != shardName {
		return nil, errNoShard(name)
	}
	return nil, status.Errorf(errcode.IllegalOperation, "Operation not allowed because it would remove the last shard")
}

func addShardToZone(_ context.Context, r *request) (bson.Raw, error) {
	if name := r.Text(r.Name); name != shardName {
		return nil, errNoShard(name)
	}
	c, zone := r.cluster.catalog, r.Text("zone")
	c.lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.zones, zone) {
		c.zones = append(c.zones, zone)
	}
	return reply.OK(), nil
}

func removeShardFromZone(_ context.Context, r *request) (bson.Raw, error) {
	if name := r.Text(r.Name); name != shardName {
		return nil, errNoShard(name)
	}
	c, zone := r.cluster.catalog, r.Text("zone")
	c.lock()
	defer c.mu.Unlock()
	if slices.ContainsFunc(c.ranges, func(z zoneRange) bool { return z.zone == zone }) {
		return nil, status.Errorf(errcode.ZoneStillInUse,
			"The requested removal would leave the zone %s, which has ranges, without a shard", zone)
	}
	c.zones = slices.DeleteFunc(c.zones, func(z string) bool { return z == zone })
	return reply.OK(), nil
}

// updateZoneKeyRange assigns a range of keys to a zone, or removes the range when the zone is null.
func updateZoneKeyRange(_ context.Context, r *request) (bson.Raw, error) {
	namespace, zone := r.Text(r.Name), r.Field("zone")
	low, ok := r.Field("min").DocumentOK()
	high, isHigh := r.Field("max").DocumentOK()
	switch {
	case !strings.Contains(namespace, "."):
		return nil, status.Errorf(errcode.InvalidNamespace, "Invalid namespace specified '%s'", namespace)
	case !ok || !isHigh || zone.IsZero():
		return nil, status.Errorf(errcode.NoSuchKey, "updateZoneKeyRange needs min, max and zone")
	case compare.Documents(low, high, nil) >= 0:
		return nil, status.Errorf(errcode.FailedToParse, "%s is not less than %s", status.Text(low), status.Text(high))
	}
	name, named := zone.StringOK()
	c := r.cluster.catalog
	c.lock()
	defer c.mu.Unlock()
	same := func(z zoneRange) bool {
		return z.namespace == namespace && compare.Documents(z.low, low, nil) == 0 && compare.Documents(z.high, high, nil) == 0
	}
	if !named {
		c.ranges = slices.DeleteFunc(c.ranges, same)
		return reply.OK(), nil
	}
	if !slices.Contains(c.zones, name) {
		return nil, status.Errorf(errcode.ZoneNotFound, "zone %s does not exist", name)
	}
	for _, z := range c.ranges {
		overlaps := z.namespace == namespace && compare.Documents(z.low, high, nil) < 0 && compare.Documents(low, z.high, nil) < 0
		if overlaps && !(same(z) && z.zone == name) {
			return nil, status.Errorf(errcode.RangeOverlapConflict, "Zone range: %s, %s is overlapping with existing: %s, %s",
				status.Text(low), status.Text(high), status.Text(z.low), status.Text(z.high))
		}
	}
	c.ranges = append(slices.DeleteFunc(c.ranges, same), zoneRange{namespace, name, slices.Clone(low), slices.Clone(high)})
	return reply.OK(), nil
}

// split splits the chunk that contains a key.
func split(_ context.Context, r *request) (bson.Raw, error) {
	s, err := r.findSharded()
	if err != nil {
		return nil, err
	}
	c := r.cluster.catalog
	c.lock()
	defer c.mu.Unlock()
	middle, ok := r.Field("middle").DocumentOK()
	if !ok {
		middle = s.median(r.cluster.Stored().Collection(s.db, s.name), r.Field("find"))
	}
	if middle == nil {
		return nil, status.Errorf(errcode.CannotSplit, "unable to find median in chunk because chunk is indivisible")
	}
	i, found := slices.BinarySearchFunc(s.splits, middle, func(a, b bson.Raw) int { return compare.Documents(a, b, nil) })
	if found {
		return nil, status.Errorf(errcode.CannotSplit, "new split key %s is a boundary key of existing chunk", status.Text(middle))
	}
	s.splits = slices.Insert(s.splits, i, slices.Clone(middle))
	return reply.OK(), nil
}

// moveChunk and moveRange find every chunk already at its destination.
func moveChunk(_ context.Context, r *request) (bson.Raw, error) { return r.moveTo(r.Text("to")) }

func moveRange(_ context.Context, r *request) (bson.Raw, error) { return r.moveTo(r.Text("toShard")) }

func (r *request) moveTo(shard string) (bson.Raw, error) {
	if _, err := r.findSharded(); err != nil {
		return nil, err
	}
	if shard != shardName && shard != shardHosts {
		return nil, errNoShard(shard)
	}
	return reply.New().Int64("millis", 0).Done(), nil
}

// moveCollection and unshardCollection always target the one shard.
func moveCollection(_ context.Context, r *request) (bson.Raw, error) {
	db, name, _ := strings.Cut(r.Text(r.Name), ".")
	switch to := r.Text("toShard"); {
	case to != "" && to != shardName:
		return nil, errNoShard(to)
	case r.cluster.store.Latest().Collection(db, name) == nil:
		return nil, status.Errorf(errcode.NamespaceNotFound, "ns does not exist: %s.%s", db, name)
	}
	s, err := r.findSharded()
	switch {
	case r.Name == "moveCollection" && err == nil:
		return nil, status.Errorf(errcode.NamespaceNotFound, "MoveCollection can only be called on an unsharded collection.")
	case r.Name == "moveCollection":
		return reply.OK(), nil
	case err != nil:
		return nil, err
	}
	c := r.cluster.catalog
	c.lock()
	delete(c.collections, s.namespace())
	c.mu.Unlock()
	_, err = r.cluster.store.Update(func(tx *store.Txn) error {
		tx.Shard(s.db, s.name, nil)
		tx.Note(s.db, s.name, reply.New().String("msg", "unshardCollection").Done(), nil)
		return nil
	})
	return reply.OK(), err
}

func reshardCollection(ctx context.Context, r *request) (bson.Raw, error) {
	old, err := r.findSharded()
	if err != nil {
		return nil, err
	}
	s, err := r.readSharding()
	if err != nil {
		return nil, err
	}
	if s.uuid, err = r.indexShardKey(ctx, s); err != nil {
		return nil, err
	}
	s.unique = old.unique
	r.cluster.catalog.add(s)
	return reply.OK(), r.cluster.noteSharding(s, old)
}

// endResharding finds no resharding in progress, because resharding takes no time.
func endResharding(_ context.Context, r *request) (bson.Raw, error) {
	return nil, status.Errorf(errcode.Code(330), "Could not find in-progress resharding operation to %s",
		map[bool]string{true: "commit", false: "abort"}[strings.HasPrefix(r.Name, "commit")])
}

func balancerCollectionStatus(_ context.Context, r *request) (bson.Raw, error) {
	if _, err := r.findSharded(); err != nil {
		return nil, err
	}
	return reply.New().Int32("chunkSize", 128).Bool("balancerCompliant", true).Done(), nil
}

func getShardVersion(_ context.Context, r *request) (bson.Raw, error) {
	s, err := r.findSharded()
	if err != nil {
		return nil, err
	}
	return reply.New().Value("version", version).Value("versionEpoch", s.epoch).Value("versionTimestamp", version).Done(), nil
}

func requireSharded(_ context.Context, r *request) (bson.Raw, error) {
	_, err := r.findSharded()
	return reply.OK(), err
}

// switchBalancer records in config.settings whether the balancer is on.
func switchBalancer(ctx context.Context, r *request) (bson.Raw, error) {
	stopped := r.Name == "balancerStop"
	mode := "full"
	if stopped {
		mode = "off"
	}
	c := r.cluster.catalog
	c.lock()
	c.stopped = stopped
	c.mu.Unlock()
	update := bson.Doc("q", bson.Doc("_id", "balancer"), "u", bson.Doc("$set", bson.Doc("stopped", stopped, "mode", mode)), "upsert", true)
	body := reply.New().String("update", "settings").Value("updates", bson.A{update}).Done()
	q := &engine.Request{Name: "update", DB: "config", Body: body, WireVersion: r.Wire}
	if _, err := engine.Commands()["update"](r.node.engine, ctx, q, nil); err != nil {
		return nil, err
	}
	return reply.OK(), nil
}

// distribution runs the stage $shardedDataDistribution: each shard's part of every sharded collection.
func (k *Cluster) distribution(*engine.Request, bson.Raw) (list []bson.Raw, err error) {
	if k.catalog == nil {
		return nil, status.Errorf(6789100, "The $shardedDataDistribution stage can only be run on a sharded cluster")
	}
	k.catalog.lock()
	defer k.catalog.mu.Unlock()
	for _, s := range k.catalog.list() {
		c := k.store.Latest().Collection(s.db, s.name)
		list = append(list, reply.New().String("ns", s.namespace()).Value("shards", bson.A{bson.Doc("shardName", shardName,
			"numOrphanedDocs", int64(0), "numOwnedDocuments", int64(c.Len()), "ownedSizeBytes", c.Size(),
			"orphanedSizeBytes", int64(0))}).Done())
	}
	return list, nil
}

// placement says where a collection is, for $listClusterCatalog.
func (k *Cluster) placement(namespace string) (p engine.Placement) {
	if k.catalog == nil {
		return p
	}
	p.Shards = []string{shardName}
	if s := k.catalog.find(namespace); s != nil {
		p.Key, p.Balancing = s.key, true
		for _, e := range s.settings {
			if off, _ := e.Value.(bool); e.Key == "noBalance" && off {
				p.Balancing = false
			}
		}
	}
	return p
}
