package engine

// Commands returns the engine's commands by name. Package server's table describes each one.
func Commands() map[string]Handler {
	commands := map[string]Handler{
		"aggregate":                       rewriteEncrypted((*Engine).aggregate),
		"bulkWrite":                       rewriteEncrypted((*Engine).bulkWrite),
		"cleanupStructuredEncryptionData": (*Engine).cleanupEncrypted,
		"collMod":                         (*Engine).collMod,
		"collStats":                       (*Engine).collStats,
		"compactStructuredEncryptionData": (*Engine).compactEncrypted,
		"count":                           rewriteEncrypted((*Engine).count),
		"create":                          (*Engine).create,
		"createIndexes":                   (*Engine).createIndexes,
		"createSearchIndexes":             (*Engine).searchIndexes,
		"dbStats":                         (*Engine).dbStats,
		"delete":                          rewriteEncrypted((*Engine).delete),
		"distinct":                        rewriteEncrypted((*Engine).distinct),
		"drop":                            (*Engine).drop,
		"dropDatabase":                    (*Engine).dropDatabase,
		"dropIndexes":                     (*Engine).dropIndexes,
		"dropSearchIndex":                 (*Engine).searchIndexes,
		"find":                            rewriteEncrypted((*Engine).find),
		"findAndModify":                   rewriteEncrypted((*Engine).findAndModify),
		"getMore":                         (*Engine).getMore,
		"insert":                          rewriteEncrypted((*Engine).insert),
		"killCursors":                     (*Engine).killCursors,
		"listCollections":                 (*Engine).listCollections,
		"listDatabases":                   (*Engine).listDatabases,
		"listIndexes":                     (*Engine).listIndexes,
		"mapReduce":                       (*Engine).mapReduce,
		"convertToCapped":                 (*Engine).convertToCapped,
		"cloneCollectionAsCapped":         (*Engine).cloneAsCapped,
		"renameCollection":                (*Engine).renameCollection,
		"update":                          rewriteEncrypted((*Engine).update),
		"updateSearchIndex":               (*Engine).searchIndexes,
	}
	commands["explain"] = rewriteEncrypted(explain(commands))
	commands["applyOps"] = applyOps(commands)
	return commands
}
