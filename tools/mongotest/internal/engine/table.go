package engine

// Commands are the commands of the engine by name. The table of package server says what each one is.
func Commands() map[string]Handler {
	return map[string]Handler{
		"aggregate":           (*Engine).aggregate,
		"bulkWrite":           (*Engine).bulkWrite,
		"collMod":             (*Engine).collMod,
		"collStats":           (*Engine).collStats,
		"count":               (*Engine).count,
		"create":              (*Engine).create,
		"createIndexes":       (*Engine).createIndexes,
		"createSearchIndexes": (*Engine).searchIndexes,
		"dbStats":             (*Engine).dbStats,
		"delete":              (*Engine).delete,
		"distinct":            (*Engine).distinct,
		"drop":                (*Engine).drop,
		"dropDatabase":        (*Engine).dropDatabase,
		"dropIndexes":         (*Engine).dropIndexes,
		"dropSearchIndex":     (*Engine).searchIndexes,
		"explain":             (*Engine).explain,
		"find":                (*Engine).find,
		"findAndModify":       (*Engine).findAndModify,
		"getMore":             (*Engine).getMore,
		"insert":              (*Engine).insert,
		"killCursors":         (*Engine).killCursors,
		"listCollections":     (*Engine).listCollections,
		"listDatabases":       (*Engine).listDatabases,
		"listIndexes":         (*Engine).listIndexes,
		"renameCollection":    (*Engine).renameCollection,
		"update":              (*Engine).update,
		"updateSearchIndex":   (*Engine).searchIndexes,
	}
}
