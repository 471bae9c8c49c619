package bulk

import (
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
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
	for _, value := range reply.Upserted.All() {
		doc, _ := value.DocumentOK()
		index, ok := doc.Lookup("index").AsInt64OK()
		switch {
		case kind != encode.Updates:
			wrong("upserted has a document")
		case !ok:
			wrong("upserted.index is not a number")
		case index < 0 || index >= int64(sent):
			wrong("upserted.index is %d, for %d writes", index, sent)
		case seen[int(index)]:
			wrong("upserted.index is %d twice", index)
		case int64(len(upserted)) >= reply.N:
			wrong("upserted has more documents than n, which is %d", reply.N)
		default:
			seen[int(index)] = true
			upserted = append(upserted, Upsert{Index: int(index), ID: upsertedID(doc)})
		}
	}
	clear(seen)
	for _, value := range reply.WriteErrors.All() {
		doc, _ := value.DocumentOK()
		switch index, ok := doc.Lookup("index").AsInt64OK(); {
		case !ok:
			wrong("writeErrors.index is not a number")
		case index < 0 || index >= int64(sent):
			wrong("writeErrors.index is %d, for %d writes", index, sent)
		case seen[int(index)]:
			wrong("writeErrors.index is %d twice", index)
		default:
			seen[int(index)] = true
		}
	}
	return upserted, err
}

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
