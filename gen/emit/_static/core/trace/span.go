package trace

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/logmsg"
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
	if o.Command == OpAggregate {
		operation = OpAggregate // countDocuments and watch are pipelines on the wire
	}
	collection := o.Collection
	if o.Database == AdminNamespace {
		collection = ""
	}
	name = SpanName(operation, o.Database, collection)
	attributes = append(make([]options.SpanAttribute, 0, 5),
		text(AttrSystemName, SystemName), text(AttrOperationName, operation), text(AttrOperationSummary, name))
	return name, appendNamespace(attributes, o.Database, collection)
}

// Transaction returns the only attribute of a transaction's span. The span's name is TransactionSpan.
func Transaction() []options.SpanAttribute {
	return []options.SpanAttribute{text(AttrSystemName, SystemName)}
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
		text(AttrSystemName, SystemName), text(AttrCommandName, c.Name), text(AttrServerAddress, c.Host),
		text(AttrQuerySummary, QuerySummary(c.Name, c.Database, collection)), number(AttrDriverConnectionID, c.DriverConnectionID))
	list = appendNamespace(list, c.Database, collection)
	if c.Port == 0 {
		list = append(list, text(AttrTransport, TransportUnix))
	} else {
		list = append(list, text(AttrTransport, TransportTCP), number(AttrServerPort, int64(c.Port)))
	}
	if c.ServerConnectionID != nil {
		list = append(list, number(AttrServerConnectionID, *c.ServerConnectionID))
	}
	if _, id, ok := c.Body.Lookup("lsid", "id").BinaryOK(); ok && len(id) == len(bson.UUID{}) {
		list = append(list, text(AttrSessionID, bson.UUID(id).String()))
	}
	if n, ok := c.Body.Lookup("txnNumber").AsInt64OK(); ok {
		list = append(list, number(AttrTransactionNumber, n))
	}
	if id, ok := c.Body.Lookup("getMore").AsInt64OK(); ok {
		list = append(list, number(AttrCursorID, id))
	}
	if c.QueryTextMaxLength > 0 {
		list = append(list, text(AttrQueryText, QueryText(c.Body, c.QueryTextMaxLength)))
	}
	return list
}

// collection returns the collection on which the command runs. The command's first value names it, or a getMore names
// it next to the cursor.
func (c *Command) collection() string {
	if c.Database == AdminNamespace {
		return ""
	}
	if name, ok := c.Body.Lookup(c.Name).StringOK(); ok {
		return name
	}
	name, _ := c.Body.Lookup("collection").StringOK()
	return name
}

// QueryText returns a command in relaxed extended JSON without HiddenFields, cut to at most limit bytes.
//
// Specification: open-telemetry/open-telemetry.md, "db.query.text".
func QueryText(command bson.Raw, limit int) string {
	hidden := HiddenFields()
	shown, start := bson.AppendDocumentStart(make([]byte, 0, len(command)))
	for key, value := range command.All() {
		if !slices.Contains(hidden, key) {
			shown = bson.AppendRawValueElement(shown, key, value)
		}
	}
	out, err := logmsg.Abbreviate(bson.AppendDocumentEnd(shown, start), limit)
	if err != nil {
		return ""
	}
	return out
}

// Reply returns the attributes that a reply adds to the span of its command.
func Reply(reply bson.Raw) []options.SpanAttribute {
	if id, ok := reply.Lookup("cursor", "id").AsInt64OK(); ok && id != 0 {
		return []options.SpanAttribute{number(AttrCursorID, id)}
	}
	return nil
}

// Failure returns the attributes that an error adds to a span. Only a command's span has the server's code.
//
// Specification: open-telemetry/open-telemetry.md, "Exceptions".
func Failure(err error, code int32, stack string) []options.SpanAttribute {
	list := []options.SpanAttribute{
		text(AttrExceptionMessage, err.Error()), text(AttrExceptionType, fmt.Sprintf("%T", err)),
		text(AttrExceptionStacktrace, stack),
	}
	if code != 0 {
		list = append(list, text(AttrStatusCode, strconv.Itoa(int(code))))
	}
	return list
}

func appendNamespace(list []options.SpanAttribute, database, collection string) []options.SpanAttribute {
	if database != "" {
		list = append(list, text(AttrNamespace, database))
	}
	if collection != "" {
		list = append(list, text(AttrCollectionName, collection))
	}
	return list
}

func text(key, value string) options.SpanAttribute {
	return options.SpanAttribute{Key: key, Text: value}
}

func number(key string, value int64) options.SpanAttribute {
	return options.SpanAttribute{Key: key, Number: value, IsNumber: true}
}
