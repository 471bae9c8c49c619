package engine

import "github.com/specdrivers/onion/generated/core/wire"

// Commands lists every command that the engine runs.
func Commands() []Command {
	return []Command{
		{Name: "aggregate", Run: (*Engine).aggregate},
		{Name: "bulkWrite", Write: true, Since: wire.Server80, Run: (*Engine).bulkWrite},
		{Name: "collMod", Write: true, Run: (*Engine).collMod},
		{Name: "collStats", Aliases: []string{"collstats"}, Run: (*Engine).collStats},
		{Name: "count", Run: (*Engine).count},
		{Name: "create", Write: true, Run: (*Engine).create},
		{Name: "createIndexes", Write: true, Run: (*Engine).createIndexes},
		{Name: "createSearchIndexes", Write: true, Since: wire.Server70, Run: (*Engine).searchIndexes},
		{Name: "dbStats", Aliases: []string{"dbstats"}, Run: (*Engine).dbStats},
		{Name: "delete", Write: true, Run: (*Engine).delete},
		{Name: "distinct", Run: (*Engine).distinct},
		{Name: "drop", Write: true, Run: (*Engine).drop},
		{Name: "dropDatabase", Write: true, Run: (*Engine).dropDatabase},
		{Name: "dropIndexes", Aliases: []string{"deleteIndexes"}, Write: true, Run: (*Engine).dropIndexes},
		{Name: "dropSearchIndex", Write: true, Since: wire.Server70, Run: (*Engine).searchIndexes},
		{Name: "explain", Run: (*Engine).explain},
		{Name: "find", Run: (*Engine).find},
		{Name: "findAndModify", Aliases: []string{"findandmodify"}, Write: true, Run: (*Engine).findAndModify},
		{Name: "getMore", Run: (*Engine).getMore},
		{Name: "insert", Write: true, Run: (*Engine).insert},
		{Name: "killCursors", Run: (*Engine).killCursors},
		{Name: "listCollections", Run: (*Engine).listCollections},
		{Name: "listDatabases", Run: (*Engine).listDatabases},
		{Name: "listIndexes", Run: (*Engine).listIndexes},
		{Name: "renameCollection", Write: true, Run: (*Engine).renameCollection},
		{Name: "update", Write: true, Run: (*Engine).update},
		{Name: "updateSearchIndex", Write: true, Since: wire.Server70, Run: (*Engine).searchIndexes},
	}
}
