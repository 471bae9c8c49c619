package mongo_test

import (
	"errors"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// All decodes into slices as programs for the official driver expect.
func TestAllDecodesIntoAFilledSlice(t *testing.T) {
	type one struct{ A int }
	two := []any{bson.D{{Key: "a", Value: 1}}, bson.D{{Key: "a", Value: 2}}}
	all := func(documents []any, results any) error {
		cursor, err := mongo.NewCursorFromDocuments(documents, nil)
		if err != nil {
			t.Fatal(err)
		}
		return cursor.All(t.Context(), results)
	}
	var inAny any = []one{{7}}
	if err := all(two, &inAny); err != nil {
		t.Error(err)
	}
	if list, ok := inAny.([]one); !ok || len(list) != 2 || list[1].A != 2 {
		t.Errorf("an any with a slice holds %v", inAny)
	}
	if err := all(nil, &inAny); err != nil || len(inAny.([]one)) != 0 {
		t.Errorf("an any with a slice holds %v without documents, error %v", inAny, err)
	}
	var none []one
	if err := all(nil, &none); err != nil || none != nil {
		t.Errorf("a nil slice becomes %#v without documents, error %v", none, err)
	}
	some := []one{{1}}
	if err := all(nil, &some); err != nil || some == nil || len(some) != 0 {
		t.Errorf("a slice becomes %#v without documents, error %v", some, err)
	}
	var nothing any
	for _, wrong := range []any{nil, some, &nothing, (*[]one)(nil), new(int)} {
		if err := all(two, wrong); err == nil {
			t.Errorf("no error for a %T", wrong)
		}
	}
}

// TestDropIndexesOfNoCollection returns the server's error, as the official driver does.
func TestDropIndexesOfNoCollection(t *testing.T) {
	server, err := mongotest.New()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	none := connect(t, server).Database("shop").Collection("none")
	for name, err := range map[string]error{
		"DropAll":     none.Indexes().DropAll(t.Context()),
		"DropOne":     none.Indexes().DropOne(t.Context(), "a_1"),
		"DropWithKey": none.Indexes().DropWithKey(t.Context(), bson.D{{Key: "a", Value: 1}}),
	} {
		if !mongo.IsNamespaceNotFound(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestClosedTwice says that the client was closed before.
func TestClosedTwice(t *testing.T) {
	server, err := mongotest.New()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	client, err := mongo.Connect(t.Context(), server.URI())
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := client.Close(t.Context()); !errors.Is(err, mongo.ErrClientDisconnected) {
		t.Errorf("the second time: %v", err)
	}
}
