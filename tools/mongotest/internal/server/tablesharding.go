package server

import "github.com/specdrivers/onion/generated/core/wire"

// routerCommands are about the cluster and its shards. Only routers have them.
func routerCommands() []command {
	return []command{
		{name: "shardCollection",
			fields: takesAtLeast("key", "unique", "numInitialChunks", "presplitHashedZones", "collation",
				"timeseries", "implicitlyCreateIndex", "enforceUniquenessCheck"),
			needs: onNamespace("enableSharding"), admin: true, writeConcern: true, on: routers, run: shardCollection},
		{name: "enableSharding", fields: takesAtLeast("primaryShard"), needs: onNamespace("enableSharding"),
			admin: true, writeConcern: true, on: routers, run: enableSharding},
		{name: "listShards", fields: takesAtLeast(), needs: onCluster("listShards"), admin: true, on: routers,
			run: listShards},
		{name: "getShardMap", fields: takesAtLeast(), needs: onCluster("getShardMap"), admin: true, on: routers,
			run: getShardMap},
		{name: "balancerStatus", fields: takesAtLeast(), needs: onConfig("find"), admin: true, on: routers,
			run: balancerStatus},
		{name: "checkMetadataConsistency", fields: takes("checkIndexes:flag", "coll:string", "cursor:object"),
			needs: onCluster("checkMetadataConsistency"), since: wire.Server70, api: api1, on: routers,
			run: checkMetadataConsistency},
		{name: "balancerStart", fields: takesAtLeast(), needs: onConfig("update"), admin: true, on: routers,
			run: switchBalancer},
		{name: "balancerStop", fields: takesAtLeast(), needs: onConfig("update"), admin: true, on: routers,
			run: switchBalancer},
		{name: "balancerCollectionStatus", fields: takesAtLeast(), needs: onNamespace("enableSharding"), admin: true,
			since: wire.Server44, on: routers, run: balancerCollectionStatus},
		{name: "addShard", aliases: []string{"addshard"}, needs: onCluster("addShard"), admin: true, on: routers,
			fields: takesAtLeast("name", "maxSize"), run: addShard},
		{name: "removeShard", aliases: []string{"removeshard"}, fields: takesAtLeast(),
			needs: onCluster("removeShard"), admin: true, on: routers, run: removeShard},
		{name: "movePrimary", aliases: []string{"moveprimary"}, fields: takesAtLeast("to"),
			needs: onNamespace("moveChunk"), admin: true, on: routers, run: movePrimary},
	}
}

// chunkCommands are about where the data of a sharded collection is. Only routers have them.
func chunkCommands() []command {
	return []command{
		{name: "addShardToZone", fields: takesAtLeast("zone"), needs: onConfig("update"), admin: true, on: routers,
			run: addShardToZone},
		{name: "removeShardFromZone", fields: takesAtLeast("zone"), needs: onConfig("update"), admin: true,
			on: routers, run: removeShardFromZone},
		{name: "updateZoneKeyRange", fields: takesAtLeast("min", "max", "zone"), needs: onConfig("update"),
			admin: true, on: routers, run: updateZoneKeyRange},
		{name: "split", fields: takesAtLeast("find", "bounds", "middle"), needs: onNamespace("splitChunk"),
			admin: true, on: routers, run: split},
		{name: "moveChunk", aliases: []string{"movechunk"},
			fields: takes("find", "bounds", "to", "forceJumbo", "_secondaryThrottle", "_waitForDelete").StrictSince(wire.Server61),
			needs:  onNamespace("moveChunk"), admin: true, on: routers, run: moveChunk},
		{name: "moveRange",
			fields: takes("min", "max", "toShard", "forceJumbo", "secondaryThrottle",
				"waitForDelete").StrictSince(wire.Server61),
			needs: onNamespace("moveChunk"), admin: true, since: wire.Server60, on: routers, run: moveRange},
		{name: "moveCollection", needs: onNamespace("moveCollection"), admin: true, since: wire.Server80, on: routers,
			fields: takesAtLeast("toShard"), run: moveCollection},
		{name: "abortMoveCollection", fields: takesAtLeast(), needs: onNamespace("moveCollection"), admin: true,
			since: wire.Server80, on: routers, run: endResharding},
		{name: "unshardCollection", fields: takesAtLeast("toShard"), needs: onNamespace("unshardCollection"),
			admin: true, since: wire.Server80, on: routers, run: moveCollection},
		{name: "abortUnshardCollection", fields: takesAtLeast(), needs: onNamespace("unshardCollection"), admin: true,
			since: wire.Server80, on: routers, run: endResharding},
		{name: "reshardCollection",
			fields: takesAtLeast("key", "unique", "numInitialChunks", "collation", "zones", "forceRedistribution"),
			needs:  onNamespace("reshardCollection"), admin: true, since: wire.Server50, on: routers,
			run: reshardCollection},
		{name: "commitReshardCollection", fields: takesAtLeast(), needs: onNamespace("reshardCollection"),
			admin: true, since: wire.Server50, on: routers, run: endResharding},
		{name: "abortReshardCollection", fields: takesAtLeast(), needs: onNamespace("reshardCollection"), admin: true,
			since: wire.Server50, on: routers, run: endResharding},
		{name: "getShardVersion", fields: takesAtLeast("fullMetadata"), needs: onNamespace("getShardVersion"),
			admin: true, on: routers, run: getShardVersion},
		{name: "setAllowMigrations", fields: takesAtLeast("allowMigrations"), needs: onNamespace("moveChunk"),
			admin: true, since: wire.Server50, on: routers, run: requireSharded},
		{name: "clearJumboFlag", fields: takesAtLeast("find", "bounds"), needs: onNamespace("clearJumboFlag"),
			admin: true, on: routers, run: requireSharded},
		{name: "flushRouterConfig", fields: takesAtLeast(), needs: onCluster("flushRouterConfig"), admin: true,
			on: routers, run: doNothing},
		{name: "isdbgrid", aliases: []string{"isDbGrid"}, fields: takesAtLeast(), needs: needNothing, on: routers,
			run: isDBGrid},
	}
}

// shardKeyCommands help to choose a shard key.
func shardKeyCommands() []command {
	return []command{
		{name: "analyzeShardKey",
			fields: takes("key:object!", "keyCharacteristics:flag", "readWriteDistribution:flag", "sampleRate",
				"sampleSize"),
			needs: onNamespace("analyzeShardKey"), admin: true, since: wire.Server70, run: analyzeShardKey},
		{name: "configureQueryAnalyzer", fields: takes("mode:string!", "samplesPerSecond:number"),
			needs: onNamespace("configureQueryAnalyzer"), access: writes, admin: true, since: wire.Server70,
			run: configureQueryAnalyzer},
	}
}
