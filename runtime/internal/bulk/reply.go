package bulk

import (
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/internal/encode"
)

// CleanReply checks the reply to a write command that had sent statements. It drops impossible values and keeps the
// rest. The error names the first field that contradicts the command or another field.
//
// Each insert either happens or has an error, so a server that counts fewer has lost documents. A reply without any
// count is believed.
//
// Server Write Commands, "n": "n reports how many items from that batch were affected by the operation".
func CleanReply(raw bson.Raw, reply *command.WriteReply, kind encode.Kind, sent int) (upserted []Upsert, err error) {
	wrong := func(format string, args ...any) {
		if err == nil {
			err = fmt.Errorf("mongo: "+commandOf(kind)+": the server's "+format, args...)
		}
	}
	if reply.N < 0 || kind == encode.Inserts && reply.N > int64(sent) {
		wrong("n is %d, for %d writes", reply.N, sent)
		reply.N = 0
	}
	if kind == encode.Inserts && reply.N < int64(sent) && len(reply.WriteErrors) == 0 && !raw.Lookup("n").IsZero() {
		wrong("n is %d, for %d writes, and there are no writeErrors", reply.N, sent)
	}
	if reply.NModified < 0 {
		wrong("nModified is %d", reply.NModified)
		reply.NModified = 0
	}
	if reply.Upserted == nil && reply.WriteErrors == nil {
		return nil, err
	}
	seen := map[int]bool{}
	indexIn := func(field string, entry bson.RawValue) (index int, ok bool) {
		doc, _ := entry.DocumentOK()
		n, isNumber := doc.Lookup("index").AsInt64OK()
		switch {
		case !isNumber:
			wrong("%s.index is not a number", field)
		case n < 0 || n >= int64(sent):
			wrong("%s.index is %d, for %d writes", field, n, sent)
		case seen[int(n)]:
			wrong("%s.index is %d twice", field, n)
		default:
			seen[int(n)] = true
			return int(n), true
		}
		return 0, false
	}
	for _, entry := range reply.Upserted.All() {
		if kind != encode.Updates {
			wrong("upserted has a document")
			break
		}
		index, ok := indexIn(fieldUpserted, entry)
		if ok && int64(len(upserted)) >= reply.N {
			wrong("upserted has more documents than n, which is %d", reply.N)
		} else if ok {
			doc, _ := entry.DocumentOK()
			upserted = append(upserted, Upsert{Index: index, ID: upsertedID(doc)})
		}
	}
	clear(seen)
	for _, entry := range reply.WriteErrors.All() {
		indexIn(wire.FieldWriteErrors, entry)
	}
	return upserted, err
}

const fieldUpserted = "upserted"

// Upsert is a document that an update has inserted.
type Upsert struct {
	Index int // of the statement
	ID    any
}

// upsertedID returns the _id of an upserted document: bson.Null{} for an _id that is null, nil if the server says none.
func upsertedID(doc bson.Raw) any {
	id := doc.Lookup("_id")
	switch {
	case id.IsZero():
		return nil
	case id.IsNull():
		return bson.Null{}
	}
	return encode.DecodeAny(id)
}

// commandOf is the name of the command.
func commandOf(k encode.Kind) string {
	return [...]command.Meta{
		encode.Inserts: (*command.InsertMany)(nil).Meta(),
		encode.Updates: (*command.UpdateMany)(nil).Meta(),
		encode.Deletes: (*command.DeleteMany)(nil).Meta(),
	}[k].Command
}
