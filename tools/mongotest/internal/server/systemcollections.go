package server

import (
	"os"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// provideSystem provides the collections that every server writes on its own. Because of them, the databases admin and
// config exist from the start, and so does local unless this is a router.
func (k *Cluster) provideSystem() {
	k.store.Provide(store.Provided{DB: "admin", Name: "system.version", Documents: func(store.Timestamp) []bson.Raw {
		list := []bson.Raw{reply.New().String("_id", compatibility).String("version", k.featureVersion()).Done()}
		if len(k.Users.UserDocuments()) > 0 {
			list = append(list, reply.New().String("_id", "authSchema").Int32("currentVersion", authSchemaVersion).Done())
		}
		return list
	}})
	for name, documents := range map[string]func() []bson.Raw{
		"system.users": k.Users.UserDocuments, "system.roles": k.Users.RoleDocuments,
	} {
		k.store.Provide(store.Provided{
			DB: "admin", Name: name, Documents: func(store.Timestamp) []bson.Raw { return documents() },
			Exists: func() bool { return len(documents()) > 0 },
		})
	}
	k.store.Provide(store.Provided{DB: "config", Name: "system.sessions", Documents: func(store.Timestamp) []bson.Raw {
		list, _ := k.sessions.List(nil, nil)
		return list
	}, Insert: func(doc bson.Raw) error { k.sessions.Restore(doc); return nil }})
	if !k.IsRouter() {
		k.store.Provide(store.Provided{DB: "local", Name: "startup_log", Documents: func(store.Timestamp) []bson.Raw {
			return []bson.Raw{k.startup()}
		}})
	}
}

// authSchemaVersion is the version of the documents in admin.system.users.
const authSchemaVersion = 5

// keptDatabases maps each database that cannot be dropped, except admin, to the error that says so.
func (k *Cluster) keptDatabases() map[string]string {
	switch {
	case k.IsRouter():
		return map[string]string{"config": "Cannot drop the config database"}
	case k.Set != nil:
		return map[string]string{"local": "Cannot drop 'local' database while replication is active"}
	}
	return nil
}

// shardOf names the shard behind a router.
func (k *Cluster) shardOf() string {
	if k.IsRouter() {
		return shardName
	}
	return ""
}

// featureVersion returns the version that setFeatureCompatibilityVersion has set, or the server's own.
func (k *Cluster) featureVersion() string {
	set, _ := k.parameters.get(compatibility).(bson.D)
	for _, e := range set {
		if version, ok := e.Value.(string); ok && e.Key == "version" {
			return version
		}
	}
	return k.Version
}

// startup returns the document of local.startup_log.
func (k *Cluster) startup() bson.Raw {
	began, host := k.clock.StartTime(), "localhost"
	if len(k.Nodes) > 0 {
		host = k.Nodes[0].Address()
	}
	return reply.New().Value("_id", host+"-"+strconv.FormatInt(began.UnixMilli(), 10)).String("hostname", host).
		Date("startTime", began.UnixMilli()).String("startTimeLocal", began.Format("Mon Jan _2 15:04:05.000")).
		Value("cmdLine", bson.D{}).Int64("pid", int64(os.Getpid())).
		Value("buildinfo", bson.Doc("version", k.fullVersion())).Done()
}
