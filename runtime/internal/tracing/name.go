package tracing

// querySummary names an operation's span, and is the value of AttrQuerySummary: the operation or command and the collection it
// runs on, or the database when it runs on no collection.
//
// Specification: open-telemetry/open-telemetry.md, "Operation Span Name" and "db.query.summary".
func querySummary(command, database, collection string) string {
	switch {
	case collection != "":
		return command + " " + database + "." + collection
	case database != "":
		return command + " " + database
	}
	return command
}
