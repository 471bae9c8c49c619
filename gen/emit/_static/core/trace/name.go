package trace

// SpanName returns the name of an operation's span: the operation and the collection it runs on, or the database when
// it runs on no collection.
//
// Specification: open-telemetry/open-telemetry.md, "Operation Span Name".
func SpanName(operation, database, collection string) string {
	return QuerySummary(operation, database, collection)
}

// QuerySummary returns the value of AttrQuerySummary: the command and the collection it runs on, or the database when
// it runs on no collection.
//
// Specification: open-telemetry/open-telemetry.md, "db.query.summary".
func QuerySummary(command, database, collection string) string {
	switch {
	case collection != "":
		return command + " " + database + "." + collection
	case database != "":
		return command + " " + database
	}
	return command
}
