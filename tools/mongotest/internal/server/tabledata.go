package server

import (
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
)

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
		{name: "createSearchIndexes", fields: takesAtLeast("indexes"), needs: onCollection("createSearchIndexes"),
			access: writes, api: api1, since: wire.Server70},
		{name: "dbStats", needs: onDatabase("dbStats"), aliases: []string{"dbstats"}, access: reads},
		{name: "delete", needs: onCollection("remove"), access: writes, retryable: true, inTransaction: always, onlyOK: true, api: api1},
		{name: "mapReduce", needs: mapReduceNeeds, aliases: []string{"mapreduce"}, access: reads, writeConcern: true,
			readConcern: noSnapshot, scripts: true},
		{name: "distinct", needs: onCollection("find"), access: reads, inTransaction: always, readConcern: anyLevel},
		{name: "drop", needs: onCollection("dropCollection"), access: writes, api: api1},
		{name: "dropDatabase", needs: onDatabase("dropDatabase"), access: writes, api: api1},
		{name: "dropIndexes", needs: onCollection("dropIndex"), aliases: []string{"deleteIndexes"}, access: writes, api: api1},
		{name: "dropSearchIndex", fields: takesAtLeast("id", "name"), needs: onCollection("dropSearchIndex"),
			access: writes, api: api1, since: wire.Server70},
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
		{name: "updateSearchIndex", fields: takesAtLeast("id", "name", "definition"),
			needs: onCollection("updateSearchIndex"), access: writes, api: api1, since: wire.Server70},
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
