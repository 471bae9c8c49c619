package mongo

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
)

// count adds the counts of one message. It skips impossible counts and returns an error that names the first of them.
func (b *clientBulk) count(reply command.BulkWriteReply, sent int) (err error) {
	var most [writeKinds]int64
	for i := range sent {
		most[b.cmd.kind(b.cmd.from+i)]++
	}
	for _, c := range []struct {
		field string
		n     int64
		most  int64
		total *int64
	}{
		{"nInserted", reply.Inserted, most[inserts], &b.result.InsertedCount},
		{"nUpserted", reply.Upserted, most[updates], &b.result.UpsertedCount},
		{"nMatched", reply.Matched, math.MaxInt64 - b.result.MatchedCount, &b.result.MatchedCount},
		{"nModified", reply.Modified, math.MaxInt64 - b.result.ModifiedCount, &b.result.ModifiedCount},
		{"nDeleted", reply.Deleted, math.MaxInt64 - b.result.DeletedCount, &b.result.DeletedCount},
	} {
		if c.n < 0 || c.n > c.most {
			if err == nil {
				err = fmt.Errorf("mongo: bulkWrite: the server's %s is %d, for %d writes", c.field, c.n, sent)
			}
			continue
		}
		*c.total += c.n
		b.written = b.written || c.n > 0
	}
	return err
}

// resultCheck compares the results of one message with the writes that were sent.
type resultCheck struct {
	b      *clientBulk
	sent   int
	seen   []uint64 // a bit for each write with a result
	count  int
	errors int64
	failed int // the first write that failed; equal to sent if none did
	last   int // the last write with a result
}

func newResultCheck(b *clientBulk, sent int) resultCheck {
	return resultCheck{b: b, sent: sent, seen: make([]uint64, (sent+63)/64), failed: sent, last: -1}
}

// note notes the result of one write. A second result for the same write is an error.
func (c *resultCheck) note(doc bson.Raw) error {
	var r writeResult
	if err := r.read(doc); err != nil {
		return fmt.Errorf("mongo: bulkWrite: %w", err)
	}
	if r.index < 0 || r.index >= int64(c.sent) {
		return fmt.Errorf("mongo: bulkWrite: the server's idx is %d, for %d writes", r.index, c.sent)
	}
	i := int(r.index)
	if c.seen[i/64]&(1<<(i%64)) != 0 {
		return fmt.Errorf("mongo: bulkWrite: the server sent two results with the idx %d", i)
	}
	c.seen[i/64] |= 1 << (i % 64)
	c.count, c.last = c.count+1, max(c.last, i)
	if !r.ok {
		c.errors, c.failed = c.errors+1, min(c.failed, i)
	}
	c.b.note(i, doc, &r)
	return nil
}

// finish checks the results as a whole, once the cursor has ended. An ordered bulk write ends with the first failure,
// and writes that succeed have results only if the caller asked for them.
func (c *resultCheck) finish(nErrors int64) error {
	want := c.sent
	if c.b.ordered && c.failed < c.sent {
		want = c.failed + 1
	}
	switch {
	case nErrors != c.errors:
		return fmt.Errorf("mongo: bulkWrite: the server's nErrors is %d, and its cursor has %d errors", nErrors, c.errors)
	case c.last >= want:
		return fmt.Errorf("mongo: bulkWrite: the server sent a result with the idx %d, "+
			"after the failure of write %d that ended the bulk write",
			c.last, c.failed)
	case c.b.result.HasVerboseResults && c.count != want:
		return fmt.Errorf("mongo: bulkWrite: the server's cursor has %d results for %d writes", c.count, want)
	}
	return nil
}

// note notes the result of write i of a message.
func (b *clientBulk) note(i int, doc bson.Raw, r *writeResult) {
	at := b.cmd.from + i
	if !r.ok {
		r.failure.Index, r.failure.Name, r.failure.Raw = at, nameOf(r.failure.Code), doc
		if b.failed.WriteErrors == nil {
			b.failed.WriteErrors = map[int]fault.WriteError{}
		}
		b.failed.WriteErrors[at] = r.failure
		b.written = b.written || b.ordered && i > 0
		return
	}
	b.written = true
	if !b.result.HasVerboseResults {
		return
	}
	switch b.cmd.kind(at) {
	case inserts:
		set(&b.result.InsertResults, at, ClientBulkWriteInsertResult{InsertedID: b.cmd.ids[at]})
	case updates:
		set(&b.result.UpdateResults, at, ClientBulkWriteUpdateResult{
			MatchedCount: r.n, ModifiedCount: r.modified, UpsertedID: r.upsertedID,
		})
	case deletes:
		set(&b.result.DeleteResults, at, ClientBulkWriteDeleteResult{DeletedCount: r.n})
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

// writeResult is the server's result of one write.
type writeResult struct {
	ok          bool
	index       int64
	n, modified int64
	upsertedID  any
	failure     fault.WriteError
}

// read reads a result. An error names the field whose value is impossible.
func (r *writeResult) read(doc bson.Raw) error {
	var hasOK, hasIndex bool
	for key, value := range doc.All() {
		valid := true
		switch key {
		case "ok":
			r.ok, hasOK = value.AsBoolOK()
		case "idx":
			r.index, hasIndex = value.AsInt64OK()
		case "n":
			r.n, valid = value.AsInt64OK()
			valid = valid && r.n >= 0
		case "nModified":
			r.modified, valid = value.AsInt64OK()
			valid = valid && r.modified >= 0
		case "upserted":
			var upserted bson.Raw
			if upserted, valid = value.DocumentOK(); valid {
				r.upsertedID = upsertedID(upserted)
			}
		case wire.FieldCode:
			r.failure.Code = fault.CodeOf(value)
		case wire.FieldErrmsg:
			text, _ := value.StringOK()
			r.failure.Message = strings.ToValidUTF8(text, string(utf8.RuneError))
		case wire.FieldErrInfo:
			r.failure.Details, _ = value.DocumentOK()
		}
		if !valid {
			return fmt.Errorf("a result from the server has no valid %s", key)
		}
	}
	switch {
	case !hasIndex:
		return errors.New("a result from the server has no valid idx")
	case !hasOK:
		return errors.New("a result from the server has no valid ok")
	}
	return nil
}
