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
		{name: "getParameter", admin: true, run: getParameter},
		{name: "setParameter", admin: true, run: setParameter},
		{name: "getDefaultRWConcern", admin: true, since: wire.Server44, run: getDefaultRWConcern},
		{name: "setDefaultRWConcern", access: writes, admin: true, since: wire.Server44, run: setDefaultRWConcern},
		{name: "getClusterParameter", admin: true, since: wire.Server60, run: getClusterParameter},
		{name: "setFeatureCompatibilityVersion", access: writes, admin: true, run: setFeatureCompatibilityVersion},
		{name: "hostInfo", run: hostInfo},
		{name: "getCmdLineOpts", admin: true, run: getCmdLineOpts},
		{name: "listCommands", run: listCommands},
		{name: "logRotate", admin: true, run: logRotate},
		{name: "top", admin: true, run: onData(top)},
		{name: "serverStatus", run: serverStatus},
		{name: "whatsmyuri", beforeAuth: true, run: whatsMyURI},
		{name: "getnonce", beforeAuth: true, until: wire.Server62, run: getNonce},
		{name: "getLog", admin: true, run: getLog},
		{name: "configureFailPoint", admin: true, immune: true, forTests: true, run: configureFailPoint},
		{name: "currentOp", admin: true, run: currentOp},
		{name: "killOp", admin: true, run: killOp},
		{name: "testVersion2", beforeAuth: true, forTests: true, api: api2, run: ping},
		{name: "testDeprecationInVersion2", forTests: true, api: api1 | deprecated2, run: ping},
	}
}

// maintenanceCommands keep collections in order.
func maintenanceCommands() []command {
	return []command{
		{name: "validate", access: reads, run: validate},
		{name: "reIndex", access: writes, run: reIndex},
		{name: "compact", run: onData(compact)},
		{name: "dataSize", aliases: []string{"datasize"}, access: reads, run: dataSize},
		{name: "dbHash", aliases: []string{"dbhash"}, run: onData(dbHash)},
		{name: "fsync", admin: true, run: fsync},
		{name: "fsyncUnlock", admin: true, run: fsyncUnlock},
		{name: "profile", run: onData(profile)},
		{name: "planCacheClear", run: planCacheClear},
	}
}

// replicaCommands are about the replica set.
func replicaCommands() []command {
	return []command{
		{name: "replSetGetStatus", admin: true, run: replSetGetStatus},
		{name: "replSetGetConfig", admin: true, run: replSetGetConfig},
		{name: "replSetStepDown", admin: true, run: replSetStepDown},
		{name: "replSetFreeze", admin: true, run: replSetFreeze},
		{name: "replSetInitiate", admin: true, run: replSetInitiate},
		{name: "replSetReconfig", admin: true, run: replSetUnsupported},
		{name: "replSetMaintenance", admin: true, run: replSetUnsupported},
		{name: "replSetSyncFrom", admin: true, run: replSetUnsupported},
		{name: "replSetResizeOplog", admin: true, run: replSetUnsupported},
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
		{name: "createUser", access: writes, api: api1, run: withUsers((*login.Directory).RunCreateUser)},
		{name: "updateUser", access: writes, api: api1, run: withUsers((*login.Directory).RunUpdateUser)},
		{name: "dropUser", access: writes, api: api1, run: withUsers((*login.Directory).RunDropUser)},
		{name: "dropAllUsersFromDatabase", access: writes, run: withUsers((*login.Directory).RunDropAllUsers)},
		{name: "usersInfo", access: reads, run: withUsers((*login.Directory).RunUsersInfo)},
	}
}

// sessionCommands are about sessions and transactions.
func sessionCommands() []command {
	return []command{
		{name: "startSession", run: startSession},
		{name: "endSessions", api: api1, run: endSessions},
		{name: "refreshSessions", api: api1, run: refreshSessions},
		{name: "killSessions", run: killSessions},
		{name: "killAllSessions", run: killAllSessions},
		{name: "killAllSessionsByPattern", run: killAllSessions},
		{name: "commitTransaction", access: writes, admin: true, inTransaction: always, endsTransaction: true, writeConcern: true,
			api: api1, run: commitTransaction},
		{name: "abortTransaction", access: writes, admin: true, inTransaction: always, endsTransaction: true, writeConcern: true,
			api: api1, run: abortTransaction},
	}
}

// routerCommands are about sharding. Other servers than routers do not have them.
func routerCommands() []command {
	return []command{
		{name: "shardCollection", admin: true, writeConcern: true, run: onRouter(shardCollection)},
		{name: "enableSharding", admin: true, writeConcern: true, run: onRouter(enableSharding)},
		{name: "listShards", admin: true, run: onRouter(listShards)},
		{name: "getShardMap", admin: true, run: onRouter(getShardMap)},
		{name: "balancerStatus", admin: true, run: onRouter(balancerStatus)},
		{name: "checkMetadataConsistency", since: wire.Server70, api: api1, run: onRouter(checkMetadataConsistency)},
		{name: "balancerStart", admin: true, run: onRouter(nothing)},
		{name: "balancerStop", admin: true, run: onRouter(nothing)},
		{name: "flushRouterConfig", admin: true, run: onRouter(nothing)},
		{name: "isdbgrid", aliases: []string{"isDbGrid"}, run: onRouter(isDBGrid)},
	}
}

// dataCommands are about documents, collections and indexes. The engine carries them out.
func dataCommands() []command {
	rows := []command{
		{name: "aggregate", access: reads, inTransaction: always, writeConcern: true, readConcern: anyLevel, api: api1,
			unstable: []string{"explain"}},
		{name: "bulkWrite", access: writes, retryable: true, inTransaction: always, api: api1, since: wire.Server80},
		{name: "cleanupStructuredEncryptionData", access: writes, since: wire.Server70},
		{name: "collMod", access: writes, api: api1},
		{name: "compactStructuredEncryptionData", access: writes, since: wire.Server60},
		{name: "collStats", aliases: []string{"collstats"}, access: reads},
		{name: "count", access: reads, readConcern: noSnapshot, api: api1},
		{name: "create", access: writes, inTransaction: wire.Server44, api: api1,
			unstable: []string{"autoIndexId", "capped", "indexOptionDefaults", "max", "size", "storageEngine"}},
		{name: "createIndexes", access: writes, inTransaction: wire.Server44, api: api1,
			unstable: []string{"indexes.background", "indexes.bucketSize", "indexes.sparse", "indexes.storageEngine"}},
		{name: "createSearchIndexes", access: writes, api: api1, since: wire.Server70},
		{name: "dbStats", aliases: []string{"dbstats"}, access: reads},
		{name: "delete", access: writes, retryable: true, inTransaction: always, onlyOK: true, api: api1},
		{name: "mapReduce", aliases: []string{"mapreduce"}, access: reads, writeConcern: true, readConcern: noSnapshot, scripts: true},
		{name: "distinct", access: reads, inTransaction: always, readConcern: anyLevel},
		{name: "drop", access: writes, api: api1},
		{name: "dropDatabase", access: writes, api: api1},
		{name: "dropIndexes", aliases: []string{"deleteIndexes"}, access: writes, api: api1},
		{name: "dropSearchIndex", access: writes, api: api1, since: wire.Server70},
		{name: "explain", access: reads, api: api1},
		{name: "find", access: reads, inTransaction: always, readConcern: anyLevel, api: api1,
			unstable: []string{"awaitData", "max", "min", "noCursorTimeout", "oplogReplay", "returnKey", "showRecordId", "tailable"}},
		{name: "findAndModify", aliases: []string{"findandmodify"}, access: writes, retryable: true, inTransaction: always, api: api1},
		{name: "getMore", inTransaction: always, api: api1},
		{name: "insert", access: writes, retryable: true, inTransaction: always, onlyOK: true, api: api1},
		{name: "killCursors", inTransaction: always, api: api1},
		{name: "listCollections", access: reads, api: api1},
		{name: "listDatabases", access: reads, api: api1},
		{name: "listIndexes", access: reads, api: api1},
		{name: "renameCollection", access: writes, api: api1},
		{name: "update", access: writes, retryable: true, inTransaction: always, onlyOK: true, api: api1},
		{name: "updateSearchIndex", access: writes, api: api1, since: wire.Server70},
	}
	handlers := engine.Commands()
	for i, row := range rows {
		rows[i].run = onEngine(row.name, handlers[row.name])
	}
	return rows
}
