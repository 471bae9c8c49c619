package interop

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// oddPlace is where an odd use runs: a collection of its own with five documents and an index.
type oddPlace struct {
	*place
	t *testing.T
	c *mongo.Collection
}

// oddUse is a legal but unusual use of the driver. Its result, or the code of its error, is what the manual of server version 8.0
// says.
type oddUse struct {
	name string
	run  func(o oddPlace) (any, error)
	want string // the result as relaxed extended JSON with single quotes, or as fmt prints it
	code int
	only string // the shapes that it runs on, all if empty
}

// oddDocuments are the documents that each use finds.
var oddDocuments = []any{
	bson.D{{Key: "_id", Value: 1}, {Key: "a", Value: 1}, {Key: "s", Value: "x"}, {Key: "list", Value: bson.A{1, 2, 3}}},
	bson.D{{Key: "_id", Value: 2}, {Key: "a", Value: 2}, {Key: "s", Value: "X"}, {Key: "list", Value: bson.A{bson.D{{Key: "k", Value: 1}, {Key: "q", Value: 5}}, bson.D{{Key: "k", Value: 2}, {Key: "q", Value: 6}}}}},
	bson.D{{Key: "_id", Value: 3}, {Key: "a", Value: nil}, {Key: "s", Value: "é"}},
	bson.D{{Key: "_id", Value: 4}, {Key: "s", Value: "y"}},
	bson.D{{Key: "_id", Value: 5}, {Key: "a", Value: 2.5}, {Key: "s", Value: "e"}},
}

// parseDocument parses a document in extended JSON with single quotes.
func parseDocument(text string) bson.D {
	var doc bson.D
	if err := bson.UnmarshalExtJSON([]byte(strings.ReplaceAll(text, "'", `"`)), false, &doc); err != nil {
		panic(fmt.Sprint(err, " in ", text))
	}
	return doc
}

// parseArray parses an array in extended JSON with single quotes.
func parseArray(text string) bson.A { return parseDocument("{'list':" + text + "}")[0].Value.(bson.A) }

// showResult writes a result in the form of the field want.
func showResult(v any) string {
	switch v := v.(type) {
	case []bson.D:
		var lines []string
		for _, doc := range v {
			lines = append(lines, showResult(doc))
		}
		return strings.Join(lines, " ")
	case bson.D, bson.M, bson.Raw:
		text, err := bson.MarshalExtJSON(v, false, false)
		if err != nil {
			return err.Error()
		}
		return strings.ReplaceAll(string(text), `"`, "'")
	case *mongo.UpdateResult:
		return fmt.Sprintf("%d %d %d %v", v.MatchedCount, v.ModifiedCount, v.UpsertedCount, v.UpsertedID)
	case *mongo.DeleteResult:
		return fmt.Sprint(v.DeletedCount)
	case *mongo.BulkWriteResult:
		return fmt.Sprintf("i%d m%d c%d d%d u%d", v.InsertedCount, v.MatchedCount, v.ModifiedCount, v.DeletedCount, v.UpsertedCount)
	}
	return fmt.Sprint(v)
}

// docs reads a cursor to its end. It does not call [mongo.Cursor.All], which stops at an empty first batch.
func (o oddPlace) docs(cursor *mongo.Cursor, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	out := []bson.D{}
	for cursor.Next(o.t.Context()) {
		var doc bson.D
		if err := cursor.Decode(&doc); err != nil {
			return nil, err
		}
		out = append(out, doc)
	}
	return out, cursor.Err()
}

func (o oddPlace) find(filter string, opts ...options.Lister[options.FindOptions]) (any, error) {
	return o.docs(o.c.Find(o.t.Context(), parseDocument(filter), opts...))
}

func (o oddPlace) aggregate(pipeline string, opts ...options.Lister[options.AggregateOptions]) (any, error) {
	return o.docs(o.c.Aggregate(o.t.Context(), parseArray(pipeline), opts...))
}

func (o oddPlace) one(result *mongo.SingleResult) (any, error) {
	var out bson.D
	err := result.Decode(&out)
	return out, err
}

// command runs a command on the database. C in its text is the name of the collection.
func (o oddPlace) command(text string) (bson.Raw, error) {
	return o.db.RunCommand(o.t.Context(), parseDocument(strings.ReplaceAll(text, "'C'", "'"+o.c.Name()+"'"))).Raw()
}

// commands runs several commands, of which only the last may fail.
func (o oddPlace) commands(texts ...string) (bson.Raw, error) {
	for _, text := range texts[:len(texts)-1] {
		if _, err := o.command(text); err != nil {
			o.t.Errorf("%s: %v", text, err)
		}
	}
	return o.command(texts[len(texts)-1])
}

// testOddUses runs each of the odd uses.
func testOddUses(t *testing.T, p *place) {
	for kind, list := range [][]oddUse{oddReads, oddAggregations, oddWrites, oddBulks, oddDefinitions, oddSessions} {
		for i, use := range list {
			if use.only != "" && !slices.Contains(strings.Fields(use.only), p.shape) {
				continue
			}
			t.Run(use.name, func(t *testing.T) {
				o := oddPlace{place: p, t: t, c: p.db.Collection(fmt.Sprint("odd", kind, "_", i))}
				fill(t, o.c, oddDocuments...)
				if _, err := o.c.Indexes().CreateOne(t.Context(), mongo.IndexModel{Keys: bson.D{{Key: "a", Value: 1}}}); err != nil {
					t.Fatal(err)
				}
				got, err := use.run(o)
				var failed mongo.ServerError
				switch {
				case use.code != 0 && (!errors.As(err, &failed) || !failed.HasErrorCode(use.code)):
					t.Errorf("error %v, want code %d", err, use.code)
				case use.code == 0 && err != nil:
					t.Errorf("%v", err)
				case use.want != "" && showResult(got) != use.want:
					t.Errorf("got  %s\nwant %s", showResult(got), use.want)
				}
			})
		}
	}
}

// kindOf returns the type of a value in Go.
func kindOf(v any) string { return fmt.Sprintf("%T", v) }

// fieldsByName sorts a document's fields by name, after key and name.
func fieldsByName(v any) any {
	doc, ok := v.(bson.D)
	if ok && len(doc) > 2 {
		slices.SortFunc(doc[2:], func(a, b bson.E) int { return strings.Compare(a.Key, b.Key) })
	}
	return v
}
