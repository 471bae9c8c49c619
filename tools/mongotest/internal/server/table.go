package server

import (
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/login"
)

// protocolCommands are about the server and its connections.
func protocolCommands() []command {
	return []command{
		{name: "hello", beforeAuth: true, opQuery: true, api: api1, since: wire.Server44, run: hello},
		{name: "isMaster", aliases: []string{"ismaster"}, beforeAuth: true, opQuery: true, run: hello},
		{name: "ping", beforeAuth: true, api: api1, run: ping},
		{name: "buildInfo", aliases: []string{"buildinfo"}, beforeAuth: true, opQuery: true, run: buildInfo},
		{name: "getParameter", needs: onCluster("getParameter"), admin: true, run: getParameter},
		{name: "setParameter", needs: onCluster("setParameter"), admin: true, run: setParameter},
		{name: "getDefaultRWConcern", needs: onCluster("getDefaultRWConcern"), admin: true, since: wire.Server44, run: getDefaultRWConcern},
		{name: "setDefaultRWConcern", needs: onCluster("setDefaultRWConcern"), access: writes, admin: true,
			since: wire.Server44, run: setDefaultRWConcern},
		{name: "getClusterParameter", needs: onCluster("getClusterParameter"), admin: true, since: wire.Server60, run: getClusterParameter},
		{name: "setFeatureCompatibilityVersion", needs: onCluster("setFeatureCompatibilityVersion"), access: writes,
			admin: true, run: setFeatureCompatibilityVersion},
		{name: "setClusterParameter", needs: onCluster("setClusterParameter"), admin: true, since: wire.Server60, run: setClusterParameter},
		{name: "rotateCertificates", needs: onCluster("rotateCertificates"), admin: true, since: wire.Server50, run: rotateCertificates},
		{name: "shutdown", needs: onCluster("shutdown"), admin: true, run: shutdown},
		{name: "hostInfo", needs: onCluster("hostInfo"), run: hostInfo},
		{name: "getCmdLineOpts", needs: onCluster("getCmdLineOpts"), admin: true, run: getCmdLineOpts},
		{name: "listCommands", needs: needNothing, run: listCommands},
		{name: "logRotate", needs: onCluster("logRotate"), admin: true, run: logRotate},
		{name: "top", needs: onCluster("top"), admin: true, on: members, run: top},
		{name: "serverStatus", needs: onCluster("serverStatus"), run: serverStatus},
		{name: "whatsmyuri", beforeAuth: true, run: whatsMyURI},
		{name: "getnonce", beforeAuth: true, until: wire.Server62, run: getNonce},
		{name: "getLog", needs: onCluster("getLog"), admin: true, run: getLog},
		{name: "configureFailPoint", needs: needNothing, admin: true, immune: true, forTests: true, run: configureFailPoint},
		{name: "currentOp", needs: currentOpNeeds, admin: true, run: currentOp},
		{name: "killOp", needs: onCluster("killop"), admin: true, run: killOp},
		{name: "testVersions1And2", needs: needNothing, forTests: true, api: api1 | api2, run: ping},
		{name: "connPoolStats", needs: onCluster("connPoolStats"), run: connPoolStats},
		{name: "refreshLogicalSessionCacheNow", beforeAuth: true, forTests: true, run: doNothing},
		{name: "validateDBMetadata", needs: needNothing, since: wire.Server50, api: api1, run: validateMetadata},
		{name: "testVersion2", beforeAuth: true, forTests: true, api: api2, run: ping},
		{name: "testDeprecationInVersion2", needs: needNothing, forTests: true, api: api1 | deprecated2, run: ping},
	}
}

// maintenanceCommands keep collections in order.
func maintenanceCommands() []command {
	return []command{
		{name: "validate", needs: onCollection("validate"), access: reads, run: validate},
		{name: "planCacheSetFilter", needs: onCollection("planCacheIndexFilter"), on: members, run: planCacheSetFilter},
		{name: "planCacheListFilters", needs: onCollection("planCacheIndexFilter"), on: members, run: planCacheListFilters},
		{name: "planCacheClearFilters", needs: onCollection("planCacheIndexFilter"), on: members, run: planCacheClearFilters},
		{name: "reIndex", needs: onCollection("reIndex"), access: writes, on: members, run: reIndex},
		{name: "compact", needs: onCollection("compact"), on: members, run: compact},
		{name: "dataSize", needs: onNamespace("find"), aliases: []string{"datasize"}, access: reads, run: dataSize},
		{name: "dbHash", needs: onDatabase("dbHash"), aliases: []string{"dbhash"}, on: members, run: dbHash},
		{name: "fsync", needs: onCluster("fsync"), admin: true, run: fsync},
		{name: "fsyncUnlock", needs: onCluster("unlock"), admin: true, run: fsyncUnlock},
		{name: "profile", needs: onDatabase("enableProfiler"), run: profile},
		{name: "planCacheClear", needs: onCollection("planCacheWrite"), run: planCacheClear},
		{name: "applyOps", needs: applyOpsNeeds, access: writes, admin: true, timed: true,
			on: members, run: runOnEngine("applyOps", engine.Commands()["applyOps"])},
	}
}

// replicaCommands are about the replica set.
func replicaCommands() []command {
	return []command{
		{name: "replSetGetStatus", needs: onCluster("replSetGetStatus"), admin: true, run: replSetGetStatus},
		{name: "replSetGetConfig", needs: onCluster("replSetGetConfig"), admin: true, on: members, run: replSetGetConfig},
		{name: "replSetStepDown", needs: onCluster("replSetStateChange"), admin: true, on: members, run: replSetStepDown},
		{name: "replSetFreeze", needs: onCluster("replSetStateChange"), admin: true, on: members, run: replSetFreeze},
		{name: "replSetInitiate", needs: onCluster("replSetConfigure"), admin: true, on: members, run: replSetInitiate},
		{name: "replSetReconfig", needs: onCluster("replSetConfigure"), admin: true, on: members, run: replSetReconfig},
		{name: "replSetMaintenance", needs: onCluster("replSetStateChange"), admin: true, on: members, run: replSetMaintenance},
		{name: "replSetSyncFrom", needs: onCluster("replSetStateChange"), admin: true, on: members, run: replSetSyncFrom},
		{name: "appendOplogNote", needs: onCluster("appendOplogNote"), admin: true, access: writes, run: appendOplogNote},
		{name: "replSetResizeOplog", needs: onCluster("replSetConfigure"), admin: true, on: members, run: replSetResizeOplog},
	}
}

// userCommands are about users and authentication.
func userCommands() []command {
	return []command{
		{name: "saslStart", beforeAuth: true, opQuery: true, api: api1, run: withLogin((*login.Directory).RunSASLStart)},
		{name: "saslContinue", beforeAuth: true, opQuery: true, api: api1, run: withLogin((*login.Directory).RunSASLContinue)},
		{name: "authenticate", beforeAuth: true, opQuery: true, api: api1, run: withLogin((*login.Directory).RunAuthenticate)},
		{name: "logout", beforeAuth: true, run: logout},
		{name: "connectionStatus", beforeAuth: true, run: withLogin((*login.Directory).RunConnectionStatus)},
		{name: "createUser", needs: grants("createUser"), access: writes, api: api1, run: withUsers((*login.Directory).RunCreateUser)},
		{name: "updateUser", needs: updateUserNeeds, access: writes, api: api1, run: withUsers((*login.Directory).RunUpdateUser)},
		{name: "dropUser", needs: onDatabase("dropUser"), access: writes, api: api1, run: withUsers((*login.Directory).RunDropUser)},
		{name: "dropAllUsersFromDatabase", needs: onDatabase("dropUser"), access: writes,
			run: withUsers((*login.Directory).RunDropAllUsers)},
		{name: "grantRolesToUser", needs: grants(""), access: writes, run: withUsers((*login.Directory).RunGrantRolesToUser)},
		{name: "revokeRolesFromUser", needs: revokes, access: writes, run: withUsers((*login.Directory).RunRevokeRolesFromUser)},
		{name: "_mergeAuthzCollections", needs: mergeNeeds, access: writes, admin: true, run: mergeAuthzCollections},
		{name: "usersInfo", needs: usersInfoNeeds, access: reads, run: withUsers((*login.Directory).RunUsersInfo)},
	}
}

// roleCommands are about roles.
func roleCommands() []command {
	return []command{
		{name: "createRole", needs: grants("createRole"), access: writes, run: withUsers((*login.Directory).RunCreateRole)},
		{name: "updateRole", needs: grants("revokeRole"), access: writes, run: withUsers((*login.Directory).RunUpdateRole)},
		{name: "dropRole", needs: onDatabase("dropRole"), access: writes, run: withUsers((*login.Directory).RunDropRole)},
		{name: "dropAllRolesFromDatabase", needs: onDatabase("dropRole"), access: writes,
			run: withUsers((*login.Directory).RunDropAllRoles)},
		{name: "grantPrivilegesToRole", needs: grants(""), access: writes, run: withUsers((*login.Directory).RunGrantPrivileges)},
		{name: "revokePrivilegesFromRole", needs: revokes, access: writes, run: withUsers((*login.Directory).RunRevokePrivileges)},
		{name: "grantRolesToRole", needs: grants(""), access: writes, run: withUsers((*login.Directory).RunGrantRolesToRole)},
		{name: "revokeRolesFromRole", needs: revokes, access: writes, run: withUsers((*login.Directory).RunRevokeRolesFromRole)},
		{name: "rolesInfo", needs: rolesInfoNeeds, access: reads, run: withUsers((*login.Directory).RunRolesInfo)},
		{name: "invalidateUserCache", needs: onCluster("invalidateUserCache"), run: withUsers((*login.Directory).RunInvalidateUserCache)},
	}
}

// sessionCommands are about sessions and transactions.
func sessionCommands() []command {
	return []command{
		{name: "startSession", needs: needNothing, run: startSession},
		{name: "endSessions", needs: needNothing, api: api1, run: endSessions},
		{name: "refreshSessions", needs: needNothing, api: api1, run: refreshSessions},
		{name: "killSessions", needs: needNothing, run: killSessions},
		{name: "killAllSessions", needs: onCluster("killAnySession"), run: killAllSessions},
		{name: "killAllSessionsByPattern", needs: onCluster("killAnySession"), run: killAllSessions},
		{name: "commitTransaction", needs: needNothing, access: writes, admin: true, inTransaction: always,
			endsTransaction: true, writeConcern: true,
			api: api1, run: commitTransaction},
		{name: "abortTransaction", needs: needNothing, access: writes, admin: true, inTransaction: always,
			endsTransaction: true, writeConcern: true,
			api: api1, run: abortTransaction},
	}
}

// routerCommands are about sharding. Only routers have them, but for the last two: they help to choose a shard key.
func routerCommands() []command {
	return []command{
		{name: "shardCollection", needs: onNamespace("enableSharding"), admin: true, writeConcern: true, on: routers, run: shardCollection},
		{name: "enableSharding", needs: onNamespace("enableSharding"), admin: true, writeConcern: true, on: routers, run: enableSharding},
		{name: "listShards", needs: onCluster("listShards"), admin: true, on: routers, run: listShards},
		{name: "getShardMap", needs: onCluster("getShardMap"), admin: true, on: routers, run: getShardMap},
		{name: "balancerStatus", needs: onConfig("find"), admin: true, on: routers, run: balancerStatus},
		{name: "checkMetadataConsistency", needs: onCluster("checkMetadataConsistency"), since: wire.Server70,
			api: api1, on: routers, run: checkMetadataConsistency},
		{name: "balancerStart", needs: onConfig("update"), admin: true, on: routers, run: switchBalancer},
		{name: "balancerStop", needs: onConfig("update"), admin: true, on: routers, run: switchBalancer},
		{name: "balancerCollectionStatus", needs: onNamespace("enableSharding"), admin: true, since: wire.Server44,
			on: routers, run: balancerCollectionStatus},
		{name: "addShard", needs: onCluster("addShard"), aliases: []string{"addshard"}, admin: true, on: routers, run: addShard},
		{name: "removeShard", needs: onCluster("removeShard"), aliases: []string{"removeshard"}, admin: true, on: routers, run: removeShard},
		{name: "movePrimary", needs: onNamespace("moveChunk"), aliases: []string{"moveprimary"}, admin: true, on: routers, run: movePrimary},
		{name: "addShardToZone", needs: onConfig("update"), admin: true, on: routers, run: addShardToZone},
		{name: "removeShardFromZone", needs: onConfig("update"), admin: true, on: routers, run: removeShardFromZone},
		{name: "updateZoneKeyRange", needs: onConfig("update"), admin: true, on: routers, run: updateZoneKeyRange},
		{name: "split", needs: onNamespace("splitChunk"), admin: true, on: routers, run: split},
		{name: "moveChunk", needs: onNamespace("moveChunk"), aliases: []string{"movechunk"}, admin: true, on: routers, run: moveChunk},
		{name: "moveRange", needs: onNamespace("moveChunk"), admin: true, since: wire.Server60, on: routers, run: moveChunk},
		{name: "moveCollection", needs: onNamespace("moveCollection"), admin: true, since: wire.Server80, on: routers, run: moveCollection},
		{name: "abortMoveCollection", needs: onNamespace("moveCollection"), admin: true, since: wire.Server80,
			on: routers, run: endResharding},
		{name: "unshardCollection", needs: onNamespace("unshardCollection"), admin: true, since: wire.Server80,
			on: routers, run: moveCollection},
		{name: "abortUnshardCollection", needs: onNamespace("unshardCollection"), admin: true, since: wire.Server80,
			on: routers, run: endResharding},
		{name: "reshardCollection", needs: onNamespace("reshardCollection"), admin: true, since: wire.Server50,
			on: routers, run: reshardCollection},
		{name: "commitReshardCollection", needs: onNamespace("reshardCollection"), admin: true, since: wire.Server50,
			on: routers, run: endResharding},
		{name: "abortReshardCollection", needs: onNamespace("reshardCollection"), admin: true, since: wire.Server50,
			on: routers, run: endResharding},
		{name: "getShardVersion", needs: onNamespace("getShardVersion"), admin: true, on: routers, run: getShardVersion},
		{name: "setAllowMigrations", needs: onNamespace("moveChunk"), admin: true, since: wire.Server50, on: routers, run: requireSharded},
		{name: "clearJumboFlag", needs: onNamespace("clearJumboFlag"), admin: true, on: routers, run: requireSharded},
		{name: "flushRouterConfig", needs: onCluster("flushRouterConfig"), admin: true, on: routers, run: doNothing},
		{name: "isdbgrid", needs: needNothing, aliases: []string{"isDbGrid"}, on: routers, run: isDBGrid},
		{name: "analyzeShardKey", needs: onNamespace("analyzeShardKey"), admin: true, since: wire.Server70, run: analyzeShardKey},
		{name: "configureQueryAnalyzer", needs: onNamespace("configureQueryAnalyzer"), access: writes, admin: true,
			since: wire.Server70, run: configureQueryAnalyzer},
	}
}

// dataCommands are about documents, collections and indexes. The engine runs them.
func dataCommands() []command {
	rows := []command{
		{name: "aggregate", needs: aggregateNeeds, access: reads, inTransaction: always, writeConcern: true,
			readConcern: anyLevel, api: api1,
			unstable: []string{"explain"}},
		{name: "bulkWrite", needs: bulkWriteNeeds, access: writes, retryable: true, inTransaction: always, api: api1, since: wire.Server80},
		{name: "cleanupStructuredEncryptionData", needs: onCollection("collMod"), access: writes, since: wire.Server70},
		{name: "collMod", needs: onCollection("collMod"), access: writes, api: api1},
		{name: "compactStructuredEncryptionData", needs: onCollection("collMod"), access: writes, since: wire.Server60},
		{name: "collStats", needs: onCollection("collStats"), aliases: []string{"collstats"}, access: reads},
		{name: "count", needs: onCollection("find"), access: reads, readConcern: noSnapshot, api: api1},
		{name: "cloneCollectionAsCapped", needs: cloneNeeds, access: writes},
		{name: "convertToCapped", needs: onCollection("convertToCapped"), access: writes},
		{name: "create", needs: createNeeds, access: writes, inTransaction: wire.Server44, api: api1,
			unstable: []string{"autoIndexId", "capped", "indexOptionDefaults", "max", "size", "storageEngine"}},
		{name: "createIndexes", needs: onCollection("createIndex"), access: writes, inTransaction: wire.Server44, api: api1,
			unstable: []string{"indexes.background", "indexes.bucketSize", "indexes.sparse", "indexes.storageEngine"}},
		{name: "createSearchIndexes", needs: onCollection("createSearchIndexes"), access: writes, api: api1, since: wire.Server70},
		{name: "dbStats", needs: onDatabase("dbStats"), aliases: []string{"dbstats"}, access: reads},
		{name: "delete", needs: onCollection("remove"), access: writes, retryable: true, inTransaction: always, onlyOK: true, api: api1},
		{name: "mapReduce", needs: mapReduceNeeds, aliases: []string{"mapreduce"}, access: reads, writeConcern: true,
			readConcern: noSnapshot, scripts: true},
		{name: "distinct", needs: onCollection("find"), access: reads, inTransaction: always, readConcern: anyLevel},
		{name: "drop", needs: onCollection("dropCollection"), access: writes, api: api1},
		{name: "dropDatabase", needs: onDatabase("dropDatabase"), access: writes, api: api1},
		{name: "dropIndexes", needs: onCollection("dropIndex"), aliases: []string{"deleteIndexes"}, access: writes, api: api1},
		{name: "dropSearchIndex", needs: onCollection("dropSearchIndex"), access: writes, api: api1, since: wire.Server70},
		{name: "explain", needs: explainNeeds, access: reads, api: api1},
		{name: "find", needs: onCollection("find"), access: reads, inTransaction: always, readConcern: anyLevel, api: api1,
			unstable: []string{"awaitData", "max", "min", "noCursorTimeout", "oplogReplay", "returnKey", "showRecordId", "tailable"}},
		{name: "findAndModify", needs: findAndModifyNeeds, aliases: []string{"findandmodify"}, access: writes,
			retryable: true, inTransaction: always, api: api1},
		{name: "getMore", needs: needNothing, inTransaction: always, readConcern: anyLevel, api: api1},
		{name: "insert", needs: insertNeeds, access: writes, retryable: true, inTransaction: always, onlyOK: true, api: api1},
		{name: "killCursors", needs: needNothing, inTransaction: always, api: api1},
		{name: "listCollections", needs: listCollectionsNeeds, access: reads, api: api1},
		{name: "listDatabases", needs: needNothing, access: reads, api: api1},
		{name: "listIndexes", needs: onCollection("listIndexes"), access: reads, api: api1},
		{name: "renameCollection", needs: renameNeeds, access: writes, api: api1},
		{name: "update", needs: updateNeeds, access: writes, retryable: true, inTransaction: always, onlyOK: true, api: api1},
		{name: "updateSearchIndex", needs: onCollection("updateSearchIndex"), access: writes, api: api1, since: wire.Server70},
	}
	handlers := engine.Commands()
	for i, row := range rows {
		rows[i].run, rows[i].timed = runOverShards(row.name, runOnEngine(row.name, handlers[row.name])), true
		if row.name == "update" {
			rows[i].run = updateOverCollections(rows[i].run)
		}
		if run := searchCommands[row.name]; run != nil {
			rows[i].run = withSearch(rows[i].run, run)
		}
	}
	return rows
}

// newTable returns the table by every name and alias.
func newTable() map[string]*command {
	table := map[string]*command{}
	for _, rows := range [][]command{
		protocolCommands(), maintenanceCommands(), replicaCommands(), userCommands(), roleCommands(), sessionCommands(),
		dataCommands(), routerCommands(),
	} {
		for _, row := range rows {
			table[row.name] = &row
			for _, alias := range row.aliases {
				table[alias] = &row
			}
		}
	}
	return table
}

// CommandNames returns the names of all commands, and whether each runs against the admin database only.
func CommandNames() map[string]bool {
	names := map[string]bool{}
	for name, row := range newTable() {
		names[name] = row.admin
	}
	return names
}
