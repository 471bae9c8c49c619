package bulk

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/encode"
)

// AddCounts adds the counts of one message to a result, and reports whether it has written anything. most is how many writes
// of each kind were sent. It skips impossible counts and returns an error that names the first of them.
func AddCounts(to *options.ClientBulkWriteResult, reply command.BulkWriteReply, most [encode.Kinds]int64) (written bool, err error) {
	sent := int64(0)
	for _, n := range most {
		sent += n
	}
	for _, c := range []struct {
		field string
		n     int64
		most  int64
		total *int64
	}{
		{"nInserted", reply.Inserted, most[encode.Inserts], &to.InsertedCount},
		{"nUpserted", reply.Upserted, most[encode.Updates], &to.UpsertedCount},
		{"nMatched", reply.Matched, math.MaxInt64 - to.MatchedCount, &to.MatchedCount},
		{fieldModified, reply.Modified, math.MaxInt64 - to.ModifiedCount, &to.ModifiedCount},
		{"nDeleted", reply.Deleted, math.MaxInt64 - to.DeletedCount, &to.DeletedCount},
	} {
		if c.n < 0 || c.n > c.most {
			if err == nil {
				err = fmt.Errorf("mongo: bulkWrite: the server's %s is %d, for %d writes", c.field, c.n, sent)
			}
			continue
		}
		*c.total += c.n
		written = written || c.n > 0
	}
	return written, err
}

const fieldModified = "nModified"

// Results compares what the server says of the writes of one message with what was sent.
type Results struct {
	sent    int
	ordered bool
	verbose bool

	seen   []uint64 // a bit for each write with a result
	count  int
	errors int64
	failed int // the first write that failed; equal to sent if none did
	last   int // the last write with a result
}

// NewResults expects the results of sent writes. Only verbose results hold those of writes that succeeded.
func NewResults(sent int, ordered, verbose bool) Results {
	return Results{sent: sent, ordered: ordered, verbose: verbose, seen: make([]uint64, (sent+63)/64), failed: sent, last: -1}
}

// Next reads the next result. A second result for the same write is an error.
func (c *Results) Next(doc bson.Raw) (Result, error) {
	r := Result{Failure: fault.WriteError{Raw: doc}}
	if err := r.read(doc); err != nil {
		return r, fmt.Errorf("mongo: bulkWrite: %w", err)
	}
	if r.index < 0 || r.index >= int64(c.sent) {
		return r, fmt.Errorf("mongo: bulkWrite: the server's idx is %d, for %d writes", r.index, c.sent)
	}
	i := int(r.index)
	if c.seen[i/64]&(1<<(i%64)) != 0 {
		return r, fmt.Errorf("mongo: bulkWrite: the server sent two results with the idx %d", i)
	}
	c.seen[i/64] |= 1 << (i % 64)
	c.count, c.last = c.count+1, max(c.last, i)
	if !r.OK {
		c.errors, c.failed = c.errors+1, min(c.failed, i)
	}
	r.Index = i
	return r, nil
}

// Finish checks the results as a whole, once the cursor has ended. An ordered bulk write ends with the first failure,
// and writes that succeed have results only if the caller asked for them.
func (c *Results) Finish(nErrors int64) error {
	want := c.sent
	if c.ordered && c.failed < c.sent {
		want = c.failed + 1
	}
	switch {
	case nErrors != c.errors:
		return fmt.Errorf("mongo: bulkWrite: the server's nErrors is %d, and its cursor has %d errors", nErrors, c.errors)
	case c.last >= want:
		return fmt.Errorf("mongo: bulkWrite: the server sent a result with the idx %d, "+
			"after the failure of write %d that ended the bulk write",
			c.last, c.failed)
	case c.verbose && c.count != want:
		return fmt.Errorf("mongo: bulkWrite: the server's cursor has %d results for %d writes", c.count, want)
	}
	return nil
}

// Result is the server's result of one write.
type Result struct {
	OK          bool
	Index       int // of the write in the message
	N, Modified int64
	UpsertedID  any
	Failure     fault.WriteError // if it is not OK, without its place

	index int64 // as the server says it
}

// read reads a result. An error names the field whose value is impossible.
func (r *Result) read(doc bson.Raw) error {
	var hasOK, hasIndex bool
	for key, value := range doc.All() {
		valid := true
		switch key {
		case "ok":
			r.OK, hasOK = value.AsBoolOK()
		case "idx":
			r.index, hasIndex = value.AsInt64OK()
		case "n":
			r.N, valid = value.AsInt64OK()
			valid = valid && r.N >= 0
		case fieldModified:
			r.Modified, valid = value.AsInt64OK()
			valid = valid && r.Modified >= 0
		case fieldUpserted:
			var upserted bson.Raw
			if upserted, valid = value.DocumentOK(); valid {
				r.UpsertedID = upsertedID(upserted)
			}
		case wire.FieldCode:
			r.Failure.Code = fault.CodeOf(value)
		case wire.FieldErrmsg:
			text, _ := value.StringOK()
			r.Failure.Message = strings.ToValidUTF8(text, string(utf8.RuneError))
		case wire.FieldErrInfo:
			r.Failure.Details, _ = value.DocumentOK()
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
