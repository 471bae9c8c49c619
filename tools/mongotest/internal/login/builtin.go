package login

import (
	"slices"
	"strings"
)

// The actions of roles and commands, in the words of the manual's "Privilege Actions". Each is listed with the first
// role that has it.
const (
	readActions = "changeStream collStats dbHash dbStats find killCursors listCollections listIndexes listSearchIndexes planCacheRead"

	writeActions = "convertToCapped createCollection createIndex createSearchIndexes dropCollection dropIndex " +
		"dropSearchIndex insert remove " +
		"renameCollectionSameDB update updateSearchIndex"

	dbAdminActions = "analyze bypassDocumentValidation collMod collStats compact convertToCapped createCollection createIndex dbStats " +
		"dropCollection dropDatabase dropIndex enableProfiler indexStats listCollections listIndexes listSearchIndexes " +
		"planCacheIndexFilter planCacheRead planCacheWrite reIndex renameCollectionSameDB storageDetails validate"

	userAdminActions = "changeCustomData changePassword createRole createUser dropRole dropUser grantRole revokeRole " +
		"setAuthenticationRestriction viewRole viewUser"

	monitorActions = "checkFreeMonitoringStatus connPoolStats getClusterParameter getCmdLineOpts getDefaultRWConcern getLog getParameter " +
		"getShardMap hostInfo inprog listDatabases listSessions listShards netstat queryStatsRead queryStatsReadTransformed " +
		"replSetGetConfig replSetGetStatus serverStatus shardingState top"

	managerActions = "addShard appendOplogNote applicationMessage checkMetadataConsistency cleanupOrphaned flushRouterConfig " +
		"getClusterParameter getDefaultRWConcern listSessions listShards querySettings removeShard replSetConfigure replSetGetConfig " +
		"replSetGetStatus replSetStateChange resync setClusterParameter setDefaultRWConcern setFeatureCompatibilityVersion " +
		"setFreeMonitoring transitionFromDedicatedConfigServer transitionToDedicatedConfigServer"

	hostActions = "applicationMessage auditConfigure closeAllDatabases connPoolSync cpuProfiler dropConnections flushRouterConfig fsync " +
		"invalidateUserCache killAnyCursor killAnySession killop logRotate oidReset resync rotateCertificates " +
		"setParameter shutdown touch unlock"

	shardActions = "analyzeShardKey clearJumboFlag configureQueryAnalyzer enableSharding moveChunk " +
		"moveCollection refineCollectionShardKey " +
		"reshardCollection splitChunk splitVector unshardCollection"

	restoreActions = "bypassDocumentValidation changeCustomData changePassword collMod convertToCapped createCollection createIndex " +
		"createRole createUser dropCollection dropRole dropUser grantRole insert revokeRole viewRole viewUser"

	// Actions that no built-in role has by itself.
	otherActions = "anyAction authSchemaUpgrade bypassWriteBlockingMode changeOwnCustomData changeOwnPassword forceUUID getShardVersion " +
		"impersonate internal issueDirectShardOperations planCacheWrite renameCollection setUserWriteBlockMode useUUID viewUser"
)

// actions are all known actions.
var actions = func() map[string]bool {
	known := map[string]bool{}
	for _, list := range []string{readActions, writeActions, dbAdminActions, userAdminActions, monitorActions, managerActions, hostActions,
		shardActions, restoreActions, otherActions} {
		for _, action := range strings.Fields(list) {
			known[action] = true
		}
	}
	return known
}()

// on is a privilege for a list of actions.
func on(r Resource, lists ...string) Privilege {
	var all []string
	for _, list := range lists {
		all = append(all, strings.Fields(list)...)
	}
	slices.Sort(all)
	return Privilege{r, slices.Compact(all)}
}

var (
	theCluster  = Resource{Cluster: true}
	anyResource = Resource{Any: true}
	anyNormal   = Resource{}
)

func in(db, collection string) Resource { return Resource{DB: db, Collection: collection} }

// builtin is a role that every server has. privileges are its privileges in a database; the AnyDatabase roles pass "".
type builtin struct {
	everywhere bool // every database has it; the other roles belong to admin
	privileges func(db string) []Privilege
}

// builtins are the roles by name.
func builtins() map[string]builtin {
	each := func(f func(string) []Privilege) builtin { return builtin{true, f} }
	admin := func(lists ...[]Privilege) builtin {
		return builtin{false, func(string) []Privilege { return slices.Concat(lists...) }}
	}
	listDatabases := []Privilege{on(theCluster, "listDatabases")}
	clusterAdmin := slices.Concat(clusterMonitor(), clusterManager(), hostManager(), []Privilege{on(anyNormal, "dropDatabase")})
	return map[string]builtin{
		"read":                 each(read),
		"readWrite":            each(readWrite),
		"dbAdmin":              each(dbAdmin),
		"userAdmin":            each(userAdmin),
		"dbOwner":              each(func(db string) []Privilege { return slices.Concat(readWrite(db), dbAdmin(db), userAdmin(db)) }),
		"enableSharding":       admin([]Privilege{on(anyNormal, "enableSharding refineCollectionShardKey reshardCollection")}),
		"readAnyDatabase":      admin(read(""), listDatabases),
		"readWriteAnyDatabase": admin(readWrite(""), listDatabases),
		"dbAdminAnyDatabase":   admin(dbAdmin(""), listDatabases),
		"userAdminAnyDatabase": admin(userAdminAny()),
		"clusterMonitor":       admin(clusterMonitor()),
		"clusterManager":       admin(clusterManager()),
		"hostManager":          admin(hostManager()),
		"clusterAdmin":         admin(clusterAdmin),
		"backup":               admin(backup()),
		"restore":              admin(restore()),
		"root": admin(readWrite(""), dbAdmin(""), userAdminAny(), clusterAdmin, restore(), backup(), listDatabases,
			[]Privilege{on(anyResource, "validate")}),
		"__system":              admin([]Privilege{on(anyResource, anyAction)}),
		"directShardOperations": admin([]Privilege{on(theCluster, "issueDirectShardOperations")}),
	}
}

func read(db string) []Privilege {
	return []Privilege{on(in(db, ""), readActions), on(in(db, "system.js"), readActions)}
}

func readWrite(db string) []Privilege {
	return []Privilege{on(in(db, ""), readActions, writeActions), on(in(db, "system.js"), readActions, writeActions)}
}

func dbAdmin(db string) []Privilege {
	return []Privilege{
		on(in(db, ""), dbAdminActions), on(in(db, "system.profile"), readActions, "convertToCapped createCollection dropCollection"),
	}
}

func userAdmin(db string) []Privilege { return []Privilege{on(in(db, ""), userAdminActions)} }

func userAdminAny() []Privilege {
	list := []Privilege{
		on(theCluster, "authSchemaUpgrade invalidateUserCache listDatabases"), on(anyNormal, userAdminActions),
		on(in("local", ""), userAdminActions), on(in("config", ""), userAdminActions),
	}
	for _, name := range []string{"system.users", "system.roles", "system.version", "system.new_users", "system.backup_users"} {
		list = append(list, on(in("admin", name), readActions))
	}
	return grant(list, on(in("admin", "system.users"), "createIndex dropIndex"), on(in("admin", "system.roles"), "createIndex dropIndex"))
}

func clusterMonitor() []Privilege {
	list := []Privilege{
		on(theCluster, monitorActions), on(anyNormal, "collStats dbStats getShardVersion indexStats useUUID"),
		on(in("", "system.profile"), "find"),
	}
	for _, db := range []string{"config", "local"} {
		list = append(list, on(in(db, ""), readActions, "getShardVersion indexStats"), on(in(db, "system.js"), readActions))
	}
	return append(list, on(in("local", "system.replset"), "find"), on(in("config", "system.sessions"), "collStats dbStats indexStats"))
}

func clusterManager() []Privilege {
	list := []Privilege{on(theCluster, managerActions), on(anyNormal, shardActions)}
	for _, db := range []string{"config", "local"} {
		list = append(list, on(in(db, ""), readActions, "insert remove update", shardActions))
	}
	return append(list, on(in("config", "system.js"), readActions), on(in("local", "system.replset"), readActions))
}

func hostManager() []Privilege {
	return []Privilege{on(theCluster, hostActions), on(anyNormal, "killCursors")}
}

func backup() []Privilege {
	list := []Privilege{
		on(theCluster, "appendOplogNote getParameter listDatabases serverStatus setUserWriteBlockMode"),
		on(anyResource, "listCollections listIndexes"),
		on(anyNormal, "find"), on(in("config", ""), "find"), on(in("local", ""), "find"), on(in("", "system.js"), "find"),
		on(in("", "system.profile"), "find"), on(in("local", "system.replset"), "find"),
		on(in("admin", "mms.backup"), "insert update"), on(in("config", "settings"), "find insert update"),
	}
	for _, name := range []string{"system.users", "system.roles", "system.version", "system.backup_users", "system.new_users"} {
		list = append(list, on(in("admin", name), "find"))
	}
	return list
}

func restore() []Privilege {
	list := []Privilege{
		on(theCluster, "bypassWriteBlockingMode forceUUID getParameter setUserWriteBlockMode useUUID"), on(anyResource, "listCollections"),
		on(anyNormal, restoreActions), on(in("", "system.js"), restoreActions), on(in("config", ""), restoreActions),
		on(in("local", ""), restoreActions),
	}
	for _, name := range []string{"system.users", "system.roles", "system.version", "system.new_users", "system.backup_users"} {
		list = append(list, on(in("admin", name), restoreActions, "find remove update"))
	}
	return list
}
