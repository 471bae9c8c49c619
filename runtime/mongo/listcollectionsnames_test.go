package mongo_test

import (
	"context"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Enumerating Collections, "Returning a List of Collection Objects": the driver asks for names alone, unless the filter
// looks at other fields.
func TestOnlyNamesAreAskedForUnlessTheFilterNeedsMore(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t))
	db := client.Database("shop")
	for name, list := range map[string]func(ctx context.Context, filter bson.D) error{
		"ListCollectionNames": func(ctx context.Context, filter bson.D) error {
			_, err := db.ListCollectionNames(ctx, filter)
			return err
		},
		"ListCollectionObjects": func(ctx context.Context, filter bson.D) error {
			_, err := db.ListCollectionObjects(ctx, filter)
			return err
		},
	} {
		for _, tt := range []struct {
			filter bson.D
			want   bool
		}{
			{bson.D{}, true},
			{bson.Doc("name", "users"), true},
			{bson.Doc("type", "view"), false},
			{bson.Doc("name", "users", "options.capped", true), false},
		} {
			if err := list(t.Context(), tt.filter); err != nil {
				t.Fatal(err)
			}
			sent := r.commands("listCollections")
			only := sent[len(sent)-1].Command.Lookup("nameOnly")
			if value, _ := only.BooleanOK(); value != tt.want || only.IsZero() == tt.want {
				t.Errorf("%s of %v sends nameOnly %v", name, tt.filter, only)
			}
		}
	}
}

// Index Management, "NamespaceNotFound Errors": dropping a search index twice is not an error, even if the collection
// is missing.
func TestDropSearchIndexOfNoCollection(t *testing.T) {
	for code, want := range map[errcode.Code]bool{errcode.NamespaceNotFound: true, errcode.Unauthorized: false} {
		d := mongotest.Start(t)
		answerEach(d, "dropSearchIndex", encodeReply(t, "ok", 0, "code", code, "errmsg", "told to"))
		err := connect(t, d).Database("shop").Collection("users").SearchIndexes().DropOne(t.Context(), "default")
		if done := err == nil; done != want || !done && !mongo.HasErrorCode(err, code) {
			t.Errorf("%v: err = %v", code, err)
		}
	}
}
