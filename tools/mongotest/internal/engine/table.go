package engine

// Commands are the engine's commands by name. Package server's table describes each one.
func Commands() map[string]Handler {
	commands := map[string]Handler{
		"aggregate":                       queryable((*Engine).aggregate),
		"bulkWrite":                       queryable((*Engine).bulkWrite),
		"cleanupStructuredEncryptionData": (*Engine).cleanupEncrypted,
		"collMod":                         (*Engine).collMod,
		"collStats":                       (*Engine).collStats,
		"compactStructuredEncryptionData": (*Engine).compactEncrypted,
		"count":                           queryable((*Engine).count),
		"create":                          (*Engine).create,
		"createIndexes":                   (*Engine).createIndexes,
		"createSearchIndexes":             (*Engine).searchIndexes,
		"dbStats":                         (*Engine).dbStats,
		"delete":                          queryable((*Engine).delete),
		"distinct":                        queryable((*Engine).distinct),
		"drop":                            (*Engine).drop,
		"dropDatabase":                    (*Engine).dropDatabase,
		"dropIndexes":                     (*Engine).dropIndexes,
		"dropSearchIndex":                 (*Engine).searchIndexes,
		"find":                            queryable((*Engine).find),
		"findAndModify":                   queryable((*Engine).findAndModify),
		"getMore":                         (*Engine).getMore,
		"insert":                          queryable((*Engine).insert),
		"killCursors":                     (*Engine).killCursors,
		"listCollections":                 (*Engine).listCollections,
		"listDatabases":                   (*Engine).listDatabases,
		"listIndexes":                     (*Engine).listIndexes,
		"mapReduce":                       (*Engine).mapReduce,
		"convertToCapped":                 (*Engine).convertToCapped,
		"cloneCollectionAsCapped":         (*Engine).cloneAsCapped,
		"renameCollection":                (*Engine).renameCollection,
		"update":                          queryable((*Engine).update),
		"updateSearchIndex":               (*Engine).searchIndexes,
	}
	commands["explain"] = queryable(explain(commands))
	commands["applyOps"] = applyOps(commands)
	return commands
}
