// Package mtest runs tests that were written for mtest, the test package of the official driver's version 1, above all
// those with scripted replies:
//
//	mt := mtest.New(t, mtest.NewOptions().ClientType(mtest.Mock))
//	mt.Run("finds a user", func(mt *mtest.T) {
//		mt.AddMockResponses(mtest.CreateCursorResponse(0, "shop.users", mtest.FirstBatch, bson.D{{Key: "name", Value: "Ada"}}))
//		user, err := FindUser(t.Context(), mt.Coll, "Ada")
//		...
//	})
//
// Names mean the same as in the original. tools/migrate -mongotest brings such tests over by changing their import. Behind
// every client stands a deployment of mongotest: with Mock it sends the scripted replies, in order, one for each command;
// without Mock it executes the commands. No test needs a server.
//
// Write new tests with mongotest alone. A test against a deployment still holds when the code changes its queries, and it
// fails when a query is wrong.
//
// If TestMain calls Setup, all tests share the deployment that the variable MONGODB_URI names, as in the original. Tests whose options
// ask for another deployment are then skipped. Production code must not import this package.
package mtest
