package mtest_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mtest"
)

// A test that was written for the official driver's mtest keeps its text, but for the import.
func ExampleNew() {
	_ = func(t *testing.T) { // func TestFindUser(t *testing.T)
		mt := mtest.New(t, mtest.NewOptions().ClientType(mtest.Mock))
		mt.Run("finds a user", func(mt *mtest.T) {
			mt.AddMockResponses(mtest.CreateCursorResponse(0, "shop.users", mtest.FirstBatch, bson.D{{Key: "name", Value: "Ada"}}))
			var user struct{ Name string }
			if err := mt.Coll.FindOne(t.Context(), bson.Doc("name", "Ada")).Decode(&user); err != nil || user.Name != "Ada" {
				mt.Errorf("%+v, %v", user, err)
			}
		})
	}
}
