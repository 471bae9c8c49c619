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
// Names mean what they mean there. tools/migrate -mongotest brings such tests over by changing their import. Behind
// every client stands a deployment of mongotest: with Mock it sends the scripted replies, in order, one for each command;
// without Mock it executes the commands. No test needs a server.
//
// New tests do better with mongotest alone: code that is tested against a deployment keeps its test when it changes its
// queries, and a wrong query fails.
//
// Not here are the client type Proxy, the functions that ask about the environment, and the skips that depend on it.
// Production code imports nothing of this package.
package mtest
