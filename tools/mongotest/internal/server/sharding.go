// The commands of a router for sharding: shardCollection, enableSharding, listShards, getShardMap, balancerStatus,
// flushRouterConfig and checkMetadataConsistency, which finds no inconsistency. One shard holds everything.
//
// Left out: the balancer has nothing to do.

package server

import (
	"context"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

func enableSharding(_ context.Context, r *request) (bson.Raw, error) {
	name, ok := r.Value().StringOK()
	if !ok || name == "" || strings.ContainsAny(name, ". $/\\") {
		return nil, status.Errorf(errcode.InvalidNamespace, "invalid db name specified: %s", name)
	}
	if name == "admin" || name == "local" {
		return nil, status.Errorf(errcode.InvalidOptions, "cannot create or shard the database '%s'", name)
	}
	if shard := r.Text("primaryShard"); shard != "" && shard != shardName {
		return nil, errNoShard(shard)
	}
	r.cluster.catalog.addDatabase(name)
	return reply.OK(), nil
}

func shardCollection(ctx context.Context, r *request) (bson.Raw, error) {
	s, err := r.readSharding()
	if err != nil {
		return nil, err
	}
	done, err := r.cluster.catalog.isKnown(s)
	if err != nil || done {
		return reply.New().String("collectionsharded", s.namespace()).Done(), err
	}
	if err := r.checkIndexes(s); err != nil {
		return nil, err
	}
	if s.splits, err = r.initialSplits(s); err != nil {
		return nil, err
	}
	if err := r.createTimeSeries(ctx, s); err != nil {
		return nil, err
	}
	if s.uuid, err = r.indexShardKey(ctx, s); err != nil {
		return nil, err
	}
	r.cluster.catalog.add(s)
	return reply.New().String("collectionsharded", s.namespace()).Done(), r.cluster.noteSharding(s, nil)
}

// readSharding reads the arguments of shardCollection and refuses invalid shard keys.
func (r *request) readSharding() (*shardedCollection, error) {
	namespace, ok := r.Value().StringOK()
	db, name, found := strings.Cut(namespace, ".")
	if !ok || !found || db == "" || name == "" {
		return nil, status.Errorf(errcode.InvalidNamespace, "Invalid namespace specified '%s'", namespace)
	}
	key, ok := r.Field("key").DocumentOK()
	collation, _ := r.Field("collation").DocumentOK()
	locale, _ := collation.Lookup("locale").StringOK()
	switch {
	case db == "admin" || db == "local" || db == "config":
		return nil, status.Errorf(errcode.IllegalOperation, "can't shard collections of the database '%s'", db)
	case r.Has("collation") && locale != "simple":
		return nil, status.Errorf(errcode.BadValue, "The collation for shardCollection must be {locale: 'simple'}, but found: %s",
			status.TextOf(r.Field("collation")))
	case !r.Has("key"):
		return nil, status.Errorf(errcode.Location40414, "BSON field 'shardCollection.key' is missing but a required field")
	case !ok:
		return nil, status.WrongType("shardCollection.key", r.Field("key"), "object")
	case key.Len() == 0:
		return nil, status.Errorf(errcode.BadValue, "Shard key is empty")
	}
	s := &shardedCollection{db: db, name: name, key: key, unique: r.Flag("unique"), settings: bson.Doc("noBalance", false)}
	hashed := 0
	for field, v := range key.All() {
		text, _ := v.StringOK()
		n, isNumber := v.AsFloat64OK()
		switch {
		case text == "hashed":
			hashed++
		case !isNumber || n != 1:
			return nil, status.Errorf(errcode.BadValue, "Shard key %s can contain either a single 'hashed' field or multiple numerical "+
				"fields set to a value of 1. Failed to parse field %s", status.Text(key), field)
		}
	}
	switch {
	case hashed > 1:
		return nil, status.Errorf(errcode.BadValue, "Shard key %s can contain at most one 'hashed' field", status.Text(key))
	case hashed == 0 && r.Has("numInitialChunks"):
		return nil, status.Errorf(errcode.InvalidOptions, "numInitialChunks is not supported when the shard key is not hashed.")
	case hashed > 0 && s.unique:
		return nil, status.Errorf(errcode.InvalidOptions, "hashed shard keys cannot be declared unique.")
	}
	return s, nil
}

// checkIndexes refuses a collection that has documents but no index for the shard key, or a unique index that a shard
// could not enforce alone.
func (r *request) checkIndexes(s *shardedCollection) error {
	c := r.cluster.store.Latest().Collection(s.db, s.name)
	switch {
	case c == nil:
		return nil
	case c.IsView():
		return status.Errorf(errcode.CommandNotSupportedOnView, "Views cannot be sharded")
	case c.Options.Capped:
		return status.Errorf(errcode.InvalidOptions, "can't shard a capped collection")
	}
	usable := false
	for _, x := range c.Indexes() {
		key, _ := x.Spec.Lookup("key").DocumentOK()
		starts := startsWith(key, s.key)
		usable = usable || starts && x.Filter == nil && !x.Sparse
		if x.Unique && x.Name != "_id_" && !starts {
			return status.Errorf(errcode.InvalidOptions, "can't shard collection '%s' with unique index on %s and proposed shard key %s. "+
				"Uniqueness can't be maintained unless shard key is a prefix", s.namespace(), status.Text(x.Spec), status.Text(s.key))
		}
	}
	if !usable && c.Len() > 0 {
		return status.Errorf(errcode.InvalidOptions,
			"Please create an index that starts with the proposed shard key before sharding the collection")
	}
	return nil
}

// hasShardIndex reports whether the collection already has an index that serves the shard key. A unique shard key needs an
// index of its own.
func (r *request) hasShardIndex(s *shardedCollection) bool {
	c := r.cluster.store.Latest().Collection(s.db, s.name)
	if c == nil {
		return false
	}
	for _, x := range c.Indexes() {
		if x.Filter != nil || x.Sparse || x.Collation != nil || x.Multikey || !startsWith(x.KeyPattern(), s.key) {
			continue
		}
		if !s.unique || x.Unique && x.KeyPattern().Len() == s.key.Len() {
			return true
		}
	}
	return false
}

// startsWith reports whether an index begins with the shard key.
func startsWith(index, key bson.Raw) bool {
	i := 0
	for name, want := range key.All() {
		e, ok := index.Index(i)
		if !ok || e.Key != name {
			return false
		}
		text, _ := want.StringOK()
		if have, _ := e.Value.StringOK(); have != text {
			return false
		}
		i++
	}
	return true
}

// createTimeSeries creates a collection that is to be a time series and does not exist.
func (r *request) createTimeSeries(ctx context.Context, s *shardedCollection) error {
	series := r.Field("timeseries")
	if series.IsZero() || r.cluster.store.Latest().Collection(s.db, s.name) != nil {
		return nil
	}
	body := reply.New().String("create", s.name).Value("timeseries", series).Done()
	q := &engine.Request{Name: "create", DB: s.db, Body: body, WireVersion: r.Wire}
	_, err := engine.Commands()["create"](r.node.engine, ctx, q, nil)
	return err
}

// indexShardKey creates the collection and the index on its shard key if they are missing.
func (r *request) indexShardKey(ctx context.Context, s *shardedCollection) (bson.UUID, error) {
	name := ""
	for field, v := range s.key.All() {
		text, isText := v.StringOK()
		if !isText {
			text = "1"
		}
		name += "_" + field + "_" + text
	}
	spec := reply.New().Doc("key", s.key).String("name", name[1:])
	if s.unique {
		spec.Bool("unique", true)
	}
	body := reply.New().String("createIndexes", s.name).Value("indexes", bson.A{spec.Done()}).Done()
	q := &engine.Request{Name: "createIndexes", DB: s.db, Body: body, WireVersion: r.Wire}
	if r.hasShardIndex(s) {
		return r.cluster.store.Latest().Collection(s.db, s.name).UUID, nil
	}
	if first, _ := s.key.Index(0); first.Key != "_id" || s.key.Len() > 1 || first.Value.Type == bsontype.String {
		if _, err := engine.Commands()["createIndexes"](r.node.engine, ctx, q, nil); err != nil {
			return bson.UUID{}, err
		}
	} else if r.cluster.store.Latest().Collection(s.db, s.name) == nil {
		q.Name, q.Body = "create", reply.New().String("create", s.name).Done()
		if _, err := engine.Commands()["create"](r.node.engine, ctx, q, nil); err != nil {
			return bson.UUID{}, err
		}
	}
	return r.cluster.store.Latest().Collection(s.db, s.name).UUID, nil
}

// noteSharding gives the shard's collection its shard key and writes an oplog entry. Change streams with expanded events
// report it. old is the collection before it was sharded again, or nil.
func (k *Cluster) noteSharding(s, old *shardedCollection) error {
	what, about := "shardCollection", reply.New().String("shardCollection", s.namespace())
	if old != nil {
		what, about = "reshardCollection", reply.New().String("reshardCollection", s.namespace()).Value("reshardUUID", s.uuid)
	}
	about.Doc("shardKey", s.key)
	if old != nil {
		about.Doc("oldShardKey", old.key)
	}
	about.Bool("unique", s.unique)
	_, err := k.store.Update(func(tx *store.Txn) error {
		tx.Shard(s.db, s.name, s.key)
		tx.Note(s.db, s.name, reply.New().String("msg", what).Done(), about.Done())
		return nil
	})
	return err
}

func listShards(_ context.Context, r *request) (bson.Raw, error) {
	return reply.New().Value("shards", bson.A{r.cluster.shard()}).Done(), nil
}

func getShardMap(_ context.Context, r *request) (bson.Raw, error) {
	hosts, connections := bson.D{}, bson.D{}
	for _, host := range strings.Split(strings.TrimPrefix(shardHosts, shardName+"/"), ",") {
		hosts = append(hosts, bson.E{Key: host, Value: shardName})
		connections = append(connections, bson.E{Key: host, Value: shardHosts})
	}
	config := "config/" + r.node.Address()
	hosts = append(hosts, bson.E{Key: r.node.Address(), Value: "config"})
	connections = append(connections, bson.E{Key: r.node.Address(), Value: config})
	return reply.New().Value("map", bson.Doc("config", config, shardName, shardHosts)).
		Value("hosts", hosts).Value("connStrings", connections).Done(), nil
}

func balancerStatus(_ context.Context, r *request) (bson.Raw, error) {
	c := r.cluster.catalog
	c.lock()
	defer c.mu.Unlock()
	mode := "full"
	if c.stopped {
		mode = "off"
	}
	return reply.New().String("mode", mode).Bool("inBalancerRound", false).Int64("numBalancerRounds", 0).Done(), nil
}

func doNothing(context.Context, *request) (bson.Raw, error) { return reply.OK(), nil }

// checkMetadataConsistency checks a collection, a database or, on admin, everything. With one shard there is no
// inconsistency, so the cursor is empty.
func checkMetadataConsistency(_ context.Context, r *request) (bson.Raw, error) {
	namespace := r.DB + ".$cmd.aggregate"
	if name, ok := r.Value().StringOK(); ok {
		namespace = r.DB + "." + name
	}
	cursor := reply.New().Int64("id", 0).String("ns", namespace).Value("firstBatch", bson.A{}).Done()
	return reply.New().Doc("cursor", cursor).Done(), nil
}
