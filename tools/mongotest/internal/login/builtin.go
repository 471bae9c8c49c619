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

// allow returns a privilege for a list of actions.
func allow(r Resource, lists ...string) Privilege {
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

func namespace(db, collection string) Resource { return Resource{DB: db, Collection: collection} }

// builtin is a role that every server has. privileges are its privileges in a database; the AnyDatabase roles pass "".
type builtin struct {
	everywhere bool // every database has it; the other roles belong to admin
	privileges func(db string) []Privilege
}

// builtins returns the roles by name.
func builtins() map[string]builtin {
	each := func(f func(string) []Privilege) builtin { return builtin{true, f} }
	admin := func(lists ...[]Privilege) builtin {
		return builtin{false, func(string) []Privilege { return slices.Concat(lists...) }}
	}
	listDatabases := []Privilege{allow(theCluster, "listDatabases")}
	clusterAdmin := slices.Concat(clusterMonitor(), clusterManager(), hostManager(), []Privilege{allow(anyNormal, "dropDatabase")})
	return map[string]builtin{
		"read":                 each(read),
		"readWrite":            each(readWrite),
		"dbAdmin":              each(dbAdmin),
		"userAdmin":            each(userAdmin),
		"dbOwner":              each(func(db string) []Privilege { return slices.Concat(readWrite(db), dbAdmin(db), userAdmin(db)) }),
		"enableSharding":       admin([]Privilege{allow(anyNormal, "enableSharding refineCollectionShardKey reshardCollection")}),
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
			[]Privilege{allow(anyResource, "validate")}),
		"__system":              admin([]Privilege{allow(anyResource, anyAction)}),
		"directShardOperations": admin([]Privilege{allow(theCluster, "issueDirectShardOperations")}),
	}
}

func read(db string) []Privilege {
	return []Privilege{allow(namespace(db, ""), readActions), allow(namespace(db, "system.js"), readActions)}
}

func readWrite(db string) []Privilege {
	return []Privilege{allow(namespace(db, ""), readActions, writeActions),
		allow(namespace(db, "system.js"), readActions, writeActions)}
}

func dbAdmin(db string) []Privilege {
	return []Privilege{
		allow(namespace(db, ""), dbAdminActions),
		allow(namespace(db, "system.profile"), readActions, "convertToCapped createCollection dropCollection"),
	}
}

func userAdmin(db string) []Privilege {
	return []Privilege{allow(namespace(db, ""), userAdminActions)}
}

func userAdminAny() []Privilege {
	list := []Privilege{
		allow(theCluster, "authSchemaUpgrade invalidateUserCache listDatabases"), allow(anyNormal, userAdminActions),
		allow(namespace("local", ""), userAdminActions), allow(namespace("config", ""), userAdminActions),
	}
	for _, name := range []string{"system.users", "system.roles", "system.version", "system.new_users", "system.backup_users"} {
		list = append(list, allow(namespace("admin", name), readActions))
	}
	return grant(list,
		allow(namespace("admin", "system.users"), "createIndex dropIndex"),
		allow(namespace("admin", "system.roles"), "createIndex dropIndex"))
}

func clusterMonitor() []Privilege {
	list := []Privilege{
		allow(theCluster, monitorActions), allow(anyNormal, "collStats dbStats getShardVersion indexStats useUUID"),
		allow(namespace("", "system.profile"), "find"),
	}
	for _, db := range []string{"config", "local"} {
		list = append(list, allow(namespace(db, ""), readActions, "getShardVersion indexStats"),
			allow(namespace(db, "system.js"), readActions))
	}
	return append(list,
		allow(namespace("local", "system.replset"), "find"),
		allow(namespace("config", "system.sessions"), "collStats dbStats indexStats"))
}

func clusterManager() []Privilege {
	list := []Privilege{allow(theCluster, managerActions), allow(anyNormal, shardActions)}
	for _, db := range []string{"config", "local"} {
		list = append(list, allow(namespace(db, ""), readActions, "insert remove update", shardActions))
	}
	return append(list, allow(namespace("config", "system.js"), readActions),
		allow(namespace("local", "system.replset"), readActions))
}

func hostManager() []Privilege {
	return []Privilege{allow(theCluster, hostActions), allow(anyNormal, "killCursors")}
}

func backup() []Privilege {
	list := []Privilege{
		allow(theCluster, "appendOplogNote getParameter listDatabases serverStatus setUserWriteBlockMode"),
		allow(anyResource, "listCollections listIndexes"),
		allow(anyNormal, "find"), allow(namespace("config", ""), "find"),
		allow(namespace("local", ""), "find"), allow(namespace("", "system.js"), "find"),
		allow(namespace("", "system.profile"), "find"), allow(namespace("local", "system.replset"), "find"),
		allow(namespace("admin", "mms.backup"), "insert update"), allow(namespace("config", "settings"), "find insert update"),
	}
	for _, name := range []string{"system.users", "system.roles", "system.version", "system.backup_users", "system.new_users"} {
		list = append(list, allow(namespace("admin", name), "find"))
	}
	return list
}

func restore() []Privilege {
	list := []Privilege{
		allow(theCluster, "bypassWriteBlockingMode forceUUID getParameter setUserWriteBlockMode useUUID"),
		allow(anyResource, "listCollections"),
		allow(anyNormal, restoreActions), allow(namespace("", "system.js"), restoreActions),
		allow(namespace("config", ""), restoreActions),
		allow(namespace("local", ""), restoreActions),
	}
	for _, name := range []string{"system.users", "system.roles", "system.version", "system.new_users", "system.backup_users"} {
		list = append(list, allow(namespace("admin", name), restoreActions, "find remove update"))
	}
	return list
}
