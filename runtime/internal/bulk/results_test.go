package bulk

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/encode"
)

func won(i any, fields ...any) bson.D {
	return bson.Doc(append([]any{"ok", 1, "idx", i, "n", 1}, fields...)...)
}

func lost(i any) bson.D {
	return bson.Doc("ok", 0, "idx", i, "code", 11000, "errmsg", "duplicate", "errInfo", bson.Doc("x", 1), "n", 0)
}

func encoded(t *testing.T, doc bson.D) bson.Raw {
	raw, err := bson.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// read feeds the results of three writes and returns the first error.
func read(t *testing.T, ordered, verbose bool, docs []bson.D, nErrors int64) error {
	c := NewResults(3, ordered, verbose)
	for _, doc := range docs {
		if _, err := c.Next(encoded(t, doc)); err != nil {
			return err
		}
	}
	return c.Finish(nErrors)
}

func TestResults(t *testing.T) {
	const none = "none"
	for name, tt := range map[string]struct {
		docs    []bson.D
		nErrors int64
		// The error of an ordered and an unordered bulk write with verbose results, and without them.
		ordered, unordered, brief string
	}{
		"all succeed":         {[]bson.D{won(0), won(1), won(2)}, 0, none, none, none},
		"in another order":    {[]bson.D{won(2), won(0), won(1)}, 0, none, none, none},
		"the first fails":     {[]bson.D{lost(0)}, 1, none, "cursor has 1 results for 3 writes", none},
		"the second fails":    {[]bson.D{won(0), lost(1)}, 1, none, "cursor has 2 results for 3 writes", none},
		"the last fails":      {[]bson.D{won(0), won(1), lost(2)}, 1, none, none, none},
		"an error alone":      {[]bson.D{lost(1)}, 1, "cursor has 1 results for 2 writes", "cursor has 1 results for 3 writes", none},
		"nothing":             {nil, 0, "cursor has 0 results for 3 writes", "cursor has 0 results for 3 writes", none},
		"all fail":            {[]bson.D{lost(0), lost(1), lost(2)}, 3, "the idx 2, after the failure of write 0", none, "the idx 2, after the failure of write 0"},
		"success behind":      {[]bson.D{lost(0), won(1), won(2)}, 1, "the idx 2, after the failure of write 0", none, "the idx 2, after the failure of write 0"},
		"success right there": {[]bson.D{lost(0), won(1)}, 1, "the idx 1, after the failure of write 0", "cursor has 2 results for 3 writes", "the idx 1, after the failure of write 0"},
		"too few errors":      {[]bson.D{won(0), won(1), lost(2)}, 0, "nErrors is 0, and its cursor has 1 errors", "nErrors is 0, and its cursor has 1 errors", "nErrors is 0, and its cursor has 1 errors"},
		"too many errors":     {[]bson.D{won(0), won(1), won(2)}, 2, "nErrors is 2, and its cursor has 0 errors", "nErrors is 2, and its cursor has 0 errors", "nErrors is 2, and its cursor has 0 errors"},
		"one twice":           {[]bson.D{won(0), won(1), won(1)}, 0, "sent two results with the idx 1", "sent two results with the idx 1", "sent two results with the idx 1"},
		"before the first":    {[]bson.D{won(-1)}, 0, "idx is -1, for 3 writes", "idx is -1, for 3 writes", "idx is -1, for 3 writes"},
		"behind the last":     {[]bson.D{won(3)}, 0, "idx is 3, for 3 writes", "idx is 3, for 3 writes", "idx is 3, for 3 writes"},
	} {
		check := func(kind string, err error, want string) {
			if want == none && err != nil || want != none && (err == nil || !strings.HasPrefix(err.Error(), "mongo: bulkWrite: ") || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s, %s: %v, want %s", name, kind, err, want)
			}
		}
		check("ordered", read(t, true, true, tt.docs, tt.nErrors), tt.ordered)
		check("unordered", read(t, false, true, tt.docs, tt.nErrors), tt.unordered)
		check("ordered, only errors", read(t, true, false, tt.docs, tt.nErrors), tt.brief)
	}
}

// A field with an impossible value is named.
func TestResultsThatMakeNoSense(t *testing.T) {
	for name, tt := range map[string]struct {
		doc  bson.D
		want string
	}{
		"no idx":          {bson.Doc("ok", 1), "a result from the server has no valid idx"},
		"an idx of text":  {won("1"), "a result from the server has no valid idx"},
		"no ok":           {bson.Doc("idx", 1), "a result from the server has no valid ok"},
		"an ok of text":   {bson.Doc("idx", 1, "ok", "1"), "a result from the server has no valid ok"},
		"a negative n":    {bson.Doc("ok", 1, "idx", 0, "n", -1), "a result from the server has no valid n"},
		"an n of text":    {bson.Doc("ok", 1, "idx", 0, "n", "1"), "a result from the server has no valid n"},
		"nModified":       {won(0, "nModified", -1), "a result from the server has no valid nModified"},
		"nModified, text": {won(0, "nModified", "1"), "a result from the server has no valid nModified"},
		"upserted":        {won(0, "upserted", 7), "a result from the server has no valid upserted"},
	} {
		c := NewResults(3, true, true)
		if _, err := c.Next(encoded(t, tt.doc)); err == nil || err.Error() != "mongo: bulkWrite: "+tt.want {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}

// Counts are added up; what is impossible is left out, and named.
func TestAddCounts(t *testing.T) {
	most := [encode.Kinds]int64{encode.Inserts: 2, encode.Updates: 3, encode.Deletes: 1}
	for name, tt := range map[string]struct {
		reply   command.BulkWriteReply
		want    options.ClientBulkWriteResult // beside what there was before
		written bool
		err     string
	}{
		"nothing": {command.BulkWriteReply{}, options.ClientBulkWriteResult{}, false, ""},
		"everything": {command.BulkWriteReply{Inserted: 2, Upserted: 3, Matched: 9, Modified: 8, Deleted: 7},
			options.ClientBulkWriteResult{InsertedCount: 2, UpsertedCount: 3, MatchedCount: 9, ModifiedCount: 8, DeletedCount: 7}, true, ""},
		"only one": {command.BulkWriteReply{Deleted: 1}, options.ClientBulkWriteResult{DeletedCount: 1}, true, ""},
		"too many inserts": {command.BulkWriteReply{Inserted: 3, Matched: 1}, options.ClientBulkWriteResult{MatchedCount: 1}, true,
			"nInserted is 3, for 6 writes"},
		"too many upserts": {command.BulkWriteReply{Upserted: 4}, options.ClientBulkWriteResult{}, false, "nUpserted is 4, for 6 writes"},
		"negative":         {command.BulkWriteReply{Modified: -1}, options.ClientBulkWriteResult{}, false, "nModified is -1, for 6 writes"},
		"two":              {command.BulkWriteReply{Matched: -1, Deleted: -2}, options.ClientBulkWriteResult{}, false, "nMatched is -1, for 6 writes"},
		"more than a number holds": {command.BulkWriteReply{Matched: math.MaxInt64, Modified: math.MaxInt64 - 4, Deleted: math.MaxInt64 - 5},
			options.ClientBulkWriteResult{DeletedCount: math.MaxInt64 - 5}, true, "nMatched is 9223372036854775807, for 6 writes"},
	} {
		got := options.ClientBulkWriteResult{InsertedCount: 1, UpsertedCount: 2, MatchedCount: 3, ModifiedCount: 5, DeletedCount: 5}
		written, err := AddCounts(&got, tt.reply, most)
		want := options.ClientBulkWriteResult{
			InsertedCount: tt.want.InsertedCount + 1, UpsertedCount: tt.want.UpsertedCount + 2, MatchedCount: tt.want.MatchedCount + 3,
			ModifiedCount: tt.want.ModifiedCount + 5, DeletedCount: tt.want.DeletedCount + 5,
		}
		if !reflect.DeepEqual(got, want) || written != tt.written {
			t.Errorf("%s: %+v, written %v, want %+v, %v", name, got, written, want, tt.written)
		}
		if tt.err == "" && err != nil || tt.err != "" && (err == nil || err.Error() != "mongo: bulkWrite: the server's "+tt.err) {
			t.Errorf("%s: %v, want %q", name, err, tt.err)
		}
	}
}

// Each of many writes has one result.
func TestEachResultOnce(t *testing.T) {
	const sent = 200
	c := NewResults(sent, false, true)
	for i := range sent {
		if _, err := c.Next(encoded(t, won(i))); err != nil {
			t.Fatal(err)
		}
	}
	for i := range sent {
		if _, err := c.Next(encoded(t, won(i))); err == nil {
			t.Errorf("a second result of write %d is taken", i)
		}
	}
	if err := c.Finish(0); err != nil {
		t.Error(err)
	}
}

func TestNextReadsEverything(t *testing.T) {
	c := NewResults(200, false, true)
	r, err := c.Next(encoded(t, won(int64(130), "nModified", 2, "upserted", bson.Doc("_id", "ada"))))
	if err != nil || !r.OK || r.Index != 130 || r.N != 1 || r.Modified != 2 || r.UpsertedID != "ada" {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := c.Next(encoded(t, bson.Doc("ok", true, "idx", 66.0, "n", 0))); err != nil || !r.OK || r.Index != 66 || r.UpsertedID != nil {
		t.Errorf("%+v, %v", r, err)
	}
	doc := encoded(t, append(lost(2), bson.E{Key: "more", Value: 1}))
	r, err = c.Next(doc)
	if err != nil || r.OK || r.Index != 2 || r.Failure.Code != errcode.DuplicateKey || r.Failure.Message != "duplicate" ||
		r.Failure.Details.Lookup("x").IsZero() || r.Failure.Raw.String() != doc.String() {
		t.Errorf("%+v, %v", r, err)
	}
	broken := encoded(t, bson.Doc("ok", 0, "idx", 3, "errmsg", "aX"))
	copy(broken[strings.Index(string(broken), "aX"):], "a\xff")
	if r, err := c.Next(broken); err != nil || r.Failure.Message != "a\uFFFD" {
		t.Errorf("%q, %v", r.Failure.Message, err)
	}
}
