package server

import (
	"sync"

	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
)

// table returns the rows by every name and alias. All clusters share them, because nothing changes a row.
var table = sync.OnceValue(func() map[string]*command {
	byName := map[string]*command{}
	for _, rows := range [][]command{
		protocolCommands(), maintenanceCommands(), replicaCommands(), userCommands(), roleCommands(), sessionCommands(),
		dataCommands(), routerCommands(), chunkCommands(), shardKeyCommands(),
	} {
		for _, row := range rows {
			byName[row.name] = &row
			for _, alias := range row.aliases {
				byName[alias] = &row
			}
		}
	}
	return byName
})

// CommandNames returns the names of all commands, and whether each runs against the admin database only.
func CommandNames() map[string]bool {
	names := map[string]bool{}
	for name, row := range table() {
		names[name] = row.admin
	}
	return names
}

// protocolCommands are about the server and its connections.
func protocolCommands() []command {
	return []command{
		{name: "hello", fields: takesHello(), beforeAuth: true, opQuery: true, api: api1, since: wire.Server44,
			run: hello},
		{name: "isMaster", aliases: []string{"ismaster"}, fields: takesHello(), beforeAuth: true, opQuery: true,
			run: hello},
		{name: "ping", fields: takes(), beforeAuth: true, api: api1, run: ping},
		{name: "buildInfo", aliases: []string{"buildinfo"}, fields: takesAtLeast(), beforeAuth: true, opQuery: true,
			run: buildInfo},
		{name: "getParameter", fields: takes().Ignoring("each names a parameter"), needs: onCluster("getParameter"),
			admin: true, run: getParameter},
		{name: "setParameter", fields: takes().Ignoring("each names a parameter"), needs: onCluster("setParameter"),
			admin: true, run: setParameter},
		{name: "getDefaultRWConcern", fields: takes("inMemory:flag").StrictSince(wire.Server44),
			needs: onCluster("getDefaultRWConcern"), admin: true, since: wire.Server44, run: getDefaultRWConcern},
		{name: "setDefaultRWConcern",
			fields: takes("defaultReadConcern:object", "defaultWriteConcern:object").StrictSince(wire.Server44),
			needs:  onCluster("setDefaultRWConcern"), access: writes, admin: true, since: wire.Server44,
			run: setDefaultRWConcern},
		{name: "getClusterParameter", fields: takesAtLeast(), needs: onCluster("getClusterParameter"), admin: true,
			since: wire.Server60, run: getClusterParameter},
		{name: "setFeatureCompatibilityVersion", fields: takes().Since(wire.Server70, "confirm:flag"),
			needs: onCluster("setFeatureCompatibilityVersion"), access: writes, admin: true,
			run: setFeatureCompatibilityVersion},
		{name: "setClusterParameter", fields: takesAtLeast(), needs: onCluster("setClusterParameter"), admin: true,
			since: wire.Server60, run: setClusterParameter},
		{name: "rotateCertificates", fields: takesAtLeast("message"), needs: onCluster("rotateCertificates"),
			admin: true, since: wire.Server50, run: rotateCertificates},
		{name: "shutdown", fields: takesAtLeast("force", "timeoutSecs"), needs: onCluster("shutdown"), admin: true,
			run: shutdown},
		{name: "hostInfo", fields: takesAtLeast(), needs: onCluster("hostInfo"), run: hostInfo},
		{name: "getCmdLineOpts", fields: takesAtLeast(), needs: onCluster("getCmdLineOpts"), admin: true,
			run: getCmdLineOpts},
		{name: "listCommands", fields: takesAtLeast(), needs: needNothing, run: listCommands},
		{name: "logRotate", fields: takesAtLeast(), needs: onCluster("logRotate"), admin: true, run: logRotate},
		{name: "top", fields: takesAtLeast(), needs: onCluster("top"), admin: true, on: members, run: top},
		{name: "serverStatus", fields: takes().Ignoring("each names a section to show or to leave out"),
			needs: onCluster("serverStatus"), run: serverStatus},
		{name: "whatsmyuri", fields: takesAtLeast(), beforeAuth: true, run: whatsMyURI},
		{name: "getnonce", fields: takesAtLeast(), beforeAuth: true, until: wire.Server62, run: getNonce},
		{name: "getLog", fields: takes().StrictSince(wire.Server60), needs: onCluster("getLog"), admin: true,
			run: getLog},
		{name: "configureFailPoint", fields: takesAtLeast("mode", "data"), needs: needNothing, admin: true,
			immune: true, forTests: true, run: configureFailPoint},
		{name: "currentOp", fields: takes("$all", "$ownOps").Ignoring("the others are a filter"),
			needs: currentOpNeeds, admin: true, run: currentOp},
		{name: "killOp", fields: takesAtLeast("op"), needs: onCluster("killop"), admin: true, run: killOp},
		{name: "testVersions1And2", fields: takes(), needs: needNothing, forTests: true, api: api1 | api2, run: ping},
		{name: "connPoolStats", fields: takesAtLeast(), needs: onCluster("connPoolStats"), run: connPoolStats},
		{name: "refreshLogicalSessionCacheNow", fields: takesAtLeast(), beforeAuth: true, forTests: true,
			run: doNothing},
		{name: "validateDBMetadata", fields: takes("apiParameters:object!", "db:string", "collection:string"),
			needs: needNothing, since: wire.Server50, api: api1, run: validateMetadata},
		{name: "testVersion2", fields: takesAtLeast(), beforeAuth: true, forTests: true, api: api2, run: ping},
		{name: "testDeprecationInVersion2", fields: takes(), needs: needNothing, forTests: true,
			api: api1 | deprecated2, run: ping},
	}
}

// maintenanceCommands keep collections in order.
func maintenanceCommands() []command {
	return []command{
		{name: "validate",
			fields: takesAtLeast("full", "repair", "metadata", "checkBSONConformance", "background",
				"enforceFastCount"),
			needs: onCollection("validate"), access: reads, run: validate},
		{name: "planCacheSetFilter", fields: takesAtLeast("query", "sort", "projection", "collation", "indexes"),
			needs: onCollection("planCacheIndexFilter"), on: members, run: planCacheSetFilter},
		{name: "planCacheListFilters", fields: takesAtLeast(), needs: onCollection("planCacheIndexFilter"),
			on: members, run: planCacheListFilters},
		{name: "planCacheClearFilters", fields: takesAtLeast("query", "sort", "projection", "collation"),
			needs: onCollection("planCacheIndexFilter"), on: members, run: planCacheClearFilters},
		{name: "reIndex", fields: takesAtLeast(), needs: onCollection("reIndex"), access: writes, on: members,
			run: reIndex},
		{name: "compact", fields: takesAtLeast("force", "freeSpaceTargetMB", "dryRun"),
			needs: onCollection("compact"), on: members, run: compact},
		{name: "dataSize", aliases: []string{"datasize"},
			fields: takes("keyPattern:object", "min:object", "max:object", "estimate:flag").StrictSince(wire.Server61),
			needs:  onNamespace("find"), access: reads, run: dataSize},
		{name: "dbHash", aliases: []string{"dbhash"}, fields: takesAtLeast("collections"),
			needs: onDatabase("dbHash"), on: members, run: dbHash},
		{name: "fsync", fields: takes("lock", "fsyncLockAcquisitionTimeoutMillis").StrictSince(wire.Server81),
			needs: onCluster("fsync"), admin: true, run: fsync},
		{name: "fsyncUnlock", fields: takesAtLeast(), needs: onCluster("unlock"), admin: true, run: fsyncUnlock},
		{name: "profile", fields: takes("slowms:number", "sampleRate", "filter"), needs: onDatabase("enableProfiler"),
			run: profile},
		{name: "planCacheClear", fields: takesAtLeast("query", "sort", "projection", "collation"),
			needs: onCollection("planCacheWrite"), run: planCacheClear},
		{name: "applyOps", needs: applyOpsNeeds, access: writes, admin: true, timed: true,
			on: members, run: runOnEngine("applyOps", engine.Commands()["applyOps"])},
	}
}

// replicaCommands are about the replica set.
func replicaCommands() []command {
	return []command{
		{name: "replSetGetStatus", fields: takesAtLeast("initialSync"), needs: onCluster("replSetGetStatus"),
			admin: true, run: replSetGetStatus},
		{name: "replSetGetConfig", fields: takesAtLeast("commitmentStatus"), needs: onCluster("replSetGetConfig"),
			admin: true, on: members, run: replSetGetConfig},
		{name: "replSetStepDown", fields: takesAtLeast("secondaryCatchUpPeriodSecs", "force"),
			needs: onCluster("replSetStateChange"), admin: true, on: members, run: replSetStepDown},
		{name: "replSetFreeze", fields: takesAtLeast(), needs: onCluster("replSetStateChange"), admin: true,
			on: members, run: replSetFreeze},
		{name: "replSetInitiate", fields: takesAtLeast(), needs: onCluster("replSetConfigure"), admin: true,
			on: members, run: replSetInitiate},
		{name: "replSetReconfig", fields: takesAtLeast("force"), needs: onCluster("replSetConfigure"), admin: true,
			on: members, run: replSetReconfig},
		{name: "replSetMaintenance", fields: takesAtLeast(), needs: onCluster("replSetStateChange"), admin: true,
			on: members, run: replSetMaintenance},
		{name: "replSetSyncFrom", fields: takesAtLeast(), needs: onCluster("replSetStateChange"), admin: true,
			on: members, run: replSetSyncFrom},
		{name: "appendOplogNote", fields: takesAtLeast("data"), needs: onCluster("appendOplogNote"), admin: true,
			access: writes, run: appendOplogNote},
		{name: "replSetResizeOplog",
			fields: takes("size:number", "minRetentionHours:number").StrictSince(wire.Server61),
			needs:  onCluster("replSetConfigure"), admin: true, on: members, run: replSetResizeOplog},
	}
}
