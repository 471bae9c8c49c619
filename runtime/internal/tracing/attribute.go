package tracing

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/core/trace"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
)

// Operation is an operation whose span begins.
type Operation struct {
	Name       string // as the driver calls it
	Command    string // the command that it sends
	Database   string
	Collection string // empty for an operation on no collection
}

// Span returns the name and the attributes of the operation's span.
//
// Specification: open-telemetry/open-telemetry.md, "Operation Span Attributes".
func (o *Operation) Span() (name string, attributes []options.SpanAttribute) {
	operation := o.Name
	if o.Command == trace.OpAggregate {
		operation = trace.OpAggregate // countDocuments and watch are pipelines on the wire
	}
	collection := o.Collection
	if o.Database == trace.AdminNamespace {
		collection = ""
	}
	name = querySummary(operation, o.Database, collection)
	attributes = append(make([]options.SpanAttribute, 0, 5),
		text(trace.AttrSystemName, trace.SystemName), text(trace.AttrOperationName, operation), text(trace.AttrOperationSummary, name))
	return name, appendNamespace(attributes, o.Database, collection)
}

// Transaction returns the only attribute of a transaction's span. The span's name is TransactionSpan.
func Transaction() []options.SpanAttribute {
	return []options.SpanAttribute{text(trace.AttrSystemName, trace.SystemName)}
}

// Command is a command whose span begins.
type Command struct {
	Name, Database     string
	Host               string
	Port               int      // 0 for a Unix domain socket
	Body               bson.Raw // the whole command, as its started event has it
	DriverConnectionID int64
	ServerConnectionID *int64
	QueryTextMaxLength int
}

// Attributes returns the attributes of the command's span. The span has the command's name.
//
// Specification: open-telemetry/open-telemetry.md, "Command Span Attributes".
func (c *Command) Attributes() []options.SpanAttribute {
	collection := c.collection()
	list := append(make([]options.SpanAttribute, 0, 16),
		text(trace.AttrSystemName, trace.SystemName), text(trace.AttrCommandName, c.Name), text(trace.AttrServerAddress, c.Host),
		text(trace.AttrQuerySummary, querySummary(c.Name, c.Database, collection)),
		number(trace.AttrDriverConnectionID, c.DriverConnectionID))
	list = appendNamespace(list, c.Database, collection)
	if c.Port == 0 {
		list = append(list, text(trace.AttrTransport, trace.TransportUnix))
	} else {
		list = append(list, text(trace.AttrTransport, trace.TransportTCP), number(trace.AttrServerPort, int64(c.Port)))
	}
	if c.ServerConnectionID != nil {
		list = append(list, number(trace.AttrServerConnectionID, *c.ServerConnectionID))
	}
	if _, id, ok := c.Body.Lookup(wire.FieldLSID, "id").BinaryOK(); ok && len(id) == len(bson.UUID{}) {
		list = append(list, text(trace.AttrSessionID, bson.UUID(id).String()))
	}
	if n, ok := c.Body.Lookup(wire.FieldTxnNumber).AsInt64OK(); ok {
		list = append(list, number(trace.AttrTransactionNumber, n))
	}
	if id, ok := c.Body.Lookup(new(command.GetMore).Meta().Command).AsInt64OK(); ok {
		list = append(list, number(trace.AttrCursorID, id))
	}
	if c.QueryTextMaxLength > 0 {
		list = append(list, text(trace.AttrQueryText, queryText(c.Body, c.QueryTextMaxLength)))
	}
	return list
}

// collection returns the collection on which the command runs. The command's first value names it, or a getMore names
// it next to the cursor.
func (c *Command) collection() string {
	if c.Database == trace.AdminNamespace {
		return ""
	}
	if name, ok := c.Body.Lookup(c.Name).StringOK(); ok {
		return name
	}
	name, _ := c.Body.Lookup("collection").StringOK()
	return name
}

// queryText returns a command in relaxed extended JSON without HiddenFields, cut to at most limit bytes.
//
// Specification: open-telemetry/open-telemetry.md, "db.query.text".
func queryText(command bson.Raw, limit int) string {
	hidden := trace.HiddenFields()
	shown, start := bson.AppendDocumentStart(make([]byte, 0, len(command)))
	for key, value := range command.All() {
		if !slices.Contains(hidden, key) {
			shown = bson.AppendRawValueElement(shown, key, value)
		}
	}
	out, err := emitted.Shown{Limit: limit, Ellipsis: logmsg.Ellipsis}.Abbreviate(bson.AppendDocumentEnd(shown, start))
	if err != nil {
		return ""
	}
	return out
}

// Reply returns the attributes that a reply adds to the span of its command.
func Reply(reply bson.Raw) []options.SpanAttribute {
	if id, ok := reply.Lookup(wire.FieldCursor, "id").AsInt64OK(); ok && id != 0 {
		return []options.SpanAttribute{number(trace.AttrCursorID, id)}
	}
	return nil
}

// Failure returns the attributes that an error adds to a span. Only a command's span has the server's code.
//
// Specification: open-telemetry/open-telemetry.md, "Exceptions".
func Failure(err error, code int32, stack string) []options.SpanAttribute {
	list := []options.SpanAttribute{
		text(trace.AttrExceptionMessage, err.Error()), text(trace.AttrExceptionType, fmt.Sprintf("%T", err)),
		text(trace.AttrExceptionStacktrace, stack),
	}
	if code != 0 {
		list = append(list, text(trace.AttrStatusCode, strconv.Itoa(int(code))))
	}
	return list
}

func appendNamespace(list []options.SpanAttribute, database, collection string) []options.SpanAttribute {
	if database != "" {
		list = append(list, text(trace.AttrNamespace, database))
	}
	if collection != "" {
		list = append(list, text(trace.AttrCollectionName, collection))
	}
	return list
}

func text(key, value string) options.SpanAttribute {
	return options.SpanAttribute{Key: key, Text: value}
}

func number(key string, value int64) options.SpanAttribute {
	return options.SpanAttribute{Key: key, Number: value, IsNumber: true}
}
