// Package mongotest is an in-memory MongoDB deployment that speaks the wire protocol, for tests that need a server.
//
// Any driver in any language can talk to it: it listens on a loopback port, and [Deployment.URI] is its connection
// string. A deployment is a standalone server, a replica set that elects its primary, a sharded cluster behind mongos,
// or a load-balanced one; it answers as the server version that the test chose. Tests can kill and restart members,
// step the primary down, cut a member off, slow it down, intercept single requests ([Deployment.Control]) and look at
// everything that was received ([Deployment.Commands]).
//
//	d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Version("8.0"))
//	client, err := mongo.Connect(ctx, d.URI())
//
// It is not a database: nothing is written to disk, and what it leaves out fails with the error that a real server gives
// for something it does not know. Nothing here may import the driver itself (runtime/mongo, runtime/internal/exec).
package mongotest
