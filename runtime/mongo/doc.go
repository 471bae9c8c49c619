// Package mongo is a MongoDB driver.
//
// What there is, by what a program wants to do:
//
//   - connect: [Connect], [Client.Database], [Client.Ping], [Client.Close]; options are generated/options.Client
//   - read: [Collection.Find], [Collection.FindOne], [Collection.Aggregate], [Collection.CountDocuments], [Collection.Distinct],
//     with [Cursor], [SingleResult], [All] and [Each]
//   - write: [Collection.InsertOne], [Collection.InsertMany], [Collection.UpdateOne], [Collection.ReplaceOne],
//     [Collection.DeleteMany], [Collection.FindOneAndUpdate], [Collection.BulkWrite], [Client.BulkWrite]
//   - arrange: [Database.CreateCollection], [Collection.Indexes], [Collection.SearchIndexes], [Database.RunCommand]
//   - stream: [Collection.Watch], [Database.Watch], [Client.Watch] with [ChangeStream] and [Events]; files with [GridFSBucket]
//   - transact: [WithTransaction], [Client.StartSession], [Session]
//   - encrypt: [AutoEncryption], [ClientEncryption], package runtime/mongo/encrypted
//   - observe: [Client.Stats], [Client.ExplainServerChoice], package runtime/mongodebug, module runtime/mongootel
//   - errors: [IsDuplicateKeyError], [IsTimeout], [IsNetworkError], [HasErrorLabel], [HasErrorCode], and the types of package runtime/fault
//
// [Connect] makes a [Client] from a connection string. A program makes one client and shares it. The client hands out
// databases and collections, which are lightweight handles:
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
// A document is any value that package bson can encode. Options are structs of package generated/options, passed as the
// last argument, and can be left out. Their fields are pointers: nil means unset, and new(value) sets one.
//
// # Errors
//
// Errors with details have types of their own, such as [CommandError], [WriteException], [BulkWriteException],
// [NetworkError] and [ServerSelectionError]: find them with errors.As or errors.AsType. Functions such as [IsTimeout],
// [IsDuplicateKeyError] and [HasErrorLabel] answer the common questions. When a context has ended the operation, errors.Is
// finds the context's error.
//
// Some types have another name in this package too. Their fields are documented where they are declared: errors in
// runtime/fault, models and results in generated/options.
//
// # Time
//
// Every method that waits takes a context. When the context ends, so does the operation, whether it is waiting for a
// server, for a connection or for a reply. A Timeout in the options bounds the operation with all its retries. It can
// be set on the client, database, collection or operation; the most specific one applies, and 0 means no limit. When
// the context has a deadline too, the earlier one ends the operation. The driver also sends either one to the server as
// maxTimeMS, so the server gives up when the driver does.
//
// A Timeout also changes other rules; a deadline does not. It replaces SocketTimeout, WaitQueueTimeout, MaxTime and the
// write concern's WTimeout, and lets an operation retry until its time is up. See guide/timeouts.md.
//
// # Guides
//
// The folder guide has a page for each topic, with code that tests run. Begin with firsthour.md; the others are
// transactions.md, timeouts.md, errors.md, observing.md (logging, events, tracing, the live page), types.md,
// security.md, encryption.md and tuning.md. The README.md of tools/mongotest shows tests without a server, and the
// README.md of tools/migrate the way from the official driver.
//
// # Where to look
//
// This part is for readers of the source. Ten files to read first, in this order: client.go and connect.go make the
// client, collection.go holds a handle, insert.go and find.go are what operations look like, call.go keeps the memory
// of small ones, run.go hands them to runtime/internal/exec, cursor.go reads results, session.go and withtransaction.go
// hold transactions. Each other operation has a file of its own, and tests are named after the file that they are
// about. runtime/README.md has a map of the whole driver, and follows one insert from this package to the socket and
// back.
package mongo
