package tracing

import (
	"slices"
	"testing"

	"github.com/specdrivers/onion/generated/core/trace"
)

// TestNamesInTraces follows OpenTelemetry, "Operation Span Attributes", "Command Span Attributes", "Exceptions" and
// "Covered operations". Readers of traces rely on these names.
func TestNamesInTraces(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{trace.AttrSystemName, "db.system.name"},
		{trace.SystemName, "mongodb"},
		{trace.AttrNamespace, "db.namespace"},
		{trace.AdminNamespace, "admin"},
		{trace.AttrCollectionName, "db.collection.name"},
		{trace.AttrOperationName, "db.operation.name"},
		{trace.AttrOperationSummary, "db.operation.summary"},
		{trace.AttrCommandName, "db.command.name"},
		{trace.AttrStatusCode, "db.response.status_code"},
		{trace.AttrServerPort, "server.port"},
		{trace.AttrServerAddress, "server.address"},
		{trace.AttrTransport, "network.transport"},
		{trace.TransportTCP, "tcp"},
		{trace.TransportUnix, "unix"},
		{trace.AttrQuerySummary, "db.query.summary"},
		{trace.AttrServerConnectionID, "db.mongodb.server_connection_id"},
		{trace.AttrDriverConnectionID, "db.mongodb.driver_connection_id"},
		{trace.AttrQueryText, "db.query.text"},
		{trace.AttrCursorID, "db.mongodb.cursor_id"},
		{trace.AttrSessionID, "db.mongodb.lsid"},
		{trace.AttrTransactionNumber, "db.mongodb.txn_number"},
		{trace.AttrExceptionMessage, "exception.message"},
		{trace.AttrExceptionType, "exception.type"},
		{trace.AttrExceptionStacktrace, "exception.stacktrace"},
		{trace.TransactionSpan, "transaction"},
		{trace.EnvEnabled, "OTEL_GO_INSTRUMENTATION_MONGODB_ENABLED"},
		{trace.EnvQueryTextMaxLength, "OTEL_GO_INSTRUMENTATION_MONGODB_QUERY_TEXT_MAX_LENGTH"},
		{trace.OpAggregate, "aggregate"}, {trace.OpFindAndModify, "findAndModify"}, {trace.OpBulkWrite, "bulkWrite"},
		{trace.OpCommitTransaction, "commitTransaction"}, {trace.OpAbortTransaction, "abortTransaction"},
		{trace.OpWithTransaction, "withTransaction"}, {trace.OpCreateCollection, "createCollection"},
		{trace.OpCreateIndexes, "createIndexes"}, {trace.OpDistinct, "distinct"}, {trace.OpDropCollection, "dropCollection"},
		{trace.OpDropIndexes, "dropIndexes"}, {trace.OpFind, "find"}, {trace.OpListCollections, "listCollections"},
		{trace.OpListDatabases, "listDatabases"}, {trace.OpListIndexes, "listIndexes"}, {trace.OpMapReduce, "mapReduce"},
		{trace.OpEstimatedDocumentCount, "estimatedDocumentCount"}, {trace.OpInsert, "insert"}, {trace.OpDelete, "delete"},
		{trace.OpUpdate, "update"}, {trace.OpCreateSearchIndexes, "createSearchIndexes"},
		{trace.OpDropSearchIndex, "dropSearchIndex"}, {trace.OpUpdateSearchIndex, "updateSearchIndex"},
		{querySummary("find", "shop", "things"), "find shop.things"},
		{querySummary("ping", "admin", ""), "ping admin"},
	} {
		if c.got != c.want {
			t.Errorf("a name is %q, want %q", c.got, c.want)
		}
	}
	if got, want := trace.HiddenFields(), []string{"lsid", "$db", "$clusterTime", "signature"}; !slices.Equal(got, want) {
		t.Errorf("hidden are %q, want %q", got, want)
	}
	if got, want := trace.EnabledValues(), []string{"1", "true", "yes"}; !slices.Equal(got, want) || trace.DefaultQueryTextMaxLength != 0 {
		t.Errorf("tracing is on for %q, want %q", got, want)
	}
}
