package mongo

import (
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/bulk"
	"github.com/specdrivers/onion/runtime/internal/encode"
)

// count adds the counts of one message.
func (b *clientBulk) count(reply command.BulkWriteReply, sent int) error {
	var most [encode.Kinds]int64
	for i := range sent {
		most[b.cmd.kind(b.cmd.from+i)]++
	}
	written, err := bulk.AddCounts(&b.result, reply, most)
	b.written = b.written || written
	return err
}

// note notes the result of one write of a message.
func (b *clientBulk) note(r bulk.Result) {
	at := b.cmd.from + r.Index
	if !r.OK {
		r.Failure.Index, r.Failure.Name = at, nameOf(r.Failure.Code)
		if b.failed.WriteErrors == nil {
			b.failed.WriteErrors = map[int]fault.WriteError{}
		}
		b.failed.WriteErrors[at] = r.Failure
		b.written = b.written || b.ordered && r.Index > 0
		return
	}
	b.written = true
	if !b.result.HasVerboseResults {
		return
	}
	switch b.cmd.kind(at) {
	case encode.Inserts:
		set(&b.result.InsertResults, at, ClientBulkWriteInsertResult{InsertedID: b.cmd.ids[at]})
	case encode.Updates:
		set(&b.result.UpdateResults, at, ClientBulkWriteUpdateResult{
			MatchedCount: r.N, ModifiedCount: r.Modified, UpsertedID: r.UpsertedID,
		})
	case encode.Deletes:
		set(&b.result.DeleteResults, at, ClientBulkWriteDeleteResult{DeletedCount: r.N})
	}
}

func set[V any](m *map[int]V, key int, value V) {
	if *m == nil {
		*m = map[int]V{}
	}
	(*m)[key] = value
}

// nameOf returns the server's name of a code, or "". The results of single writes carry only the numbers.
func nameOf(code errcode.Code) string {
	if _, known := errcode.ByName(code.String()); known {
		return code.String()
	}
	return ""
}
