// Package mongo is a MongoDB driver.
//
// [Connect] makes a [Client] from a connection string; a program makes one and shares it. From it come databases and
// collections, which are handles and cost nothing:
//
//	client, err := mongo.Connect(ctx, "mongodb://localhost:27017")
//	if err != nil { ... }
//	defer client.Close(ctx)
//	users := client.Database("shop").Collection("users")
//
//	_, err = users.InsertOne(ctx, User{Name: "Ada"})
//	err = users.FindOne(ctx, bson.Doc("name", "Ada")).Decode(&user)
//
//	cursor, err := users.Find(ctx, bson.Doc("age", bson.Doc("$gt", 30)))
//	for user, err := range mongo.Each[User](ctx, cursor) { ... }
//
// Documents are anything that package bson encodes. Options are structs of generated/options whose fields are pointers:
// nil means unset, and new(value) makes them short. They are passed last and can be left out.
//
// # Errors
//
// An error is a type where a caller needs its fields ([CommandError], [WriteException], [BulkWriteError],
// [NetworkError], [ServerSelectionError]), and a predicate answers what can be done about it ([IsTimeout],
// [IsDuplicateKeyError], [HasLabel]). The error of a context that ended is found with errors.Is.
//
// # Time
//
// Every method that waits takes a context, and its end ends the operation: the wait for a server, for a connection, and
// the exchange. A Timeout in the options bounds the operation with all its retries; the nearest one counts (operation,
// collection, database, client), and 0 means no bound. When the context has a deadline too, the earlier one ends the
// operation. Either one also travels to the server as maxTimeMS, so that the server gives up when the driver does.
//
// Only a Timeout changes other rules: it replaces SocketTimeout, WaitQueueTimeout, MaxTime and the write concern's
// WTimeout, and lets an operation retry until its time is up. guide/timeouts.md is the whole story.
//
// # Where to look
//
// client.go and connect.go make the client; database.go and collection.go are the handles; each operation has a file of
// its own (find.go, insert.go, ...); cursor.go reads results. An operation becomes a value of generated/core/command and
// is carried out by runtime/internal/exec, which selects a server, talks to it and retries.
package mongo
