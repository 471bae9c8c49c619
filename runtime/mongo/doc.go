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
// the exchange. A Timeout in the options of the client, the database, the collection or the operation becomes the
// deadline of the context when that has none. It bounds the driver only: neither one is sent to the server as maxTimeMS,
// so that the server may go on with an operation that the driver has given up. Set MaxTime in the options of the operation
// to bound the server too. The Timeout of an operation that returns a cursor bounds the operation and not the cursor,
// whose Next has a context of its own. An exchange that is cut short costs its connection.
//
// # Where to look
//
// client.go and connect.go make the client; database.go and collection.go are the handles; each operation has a file of
// its own (find.go, insert.go, ...); cursor.go reads results. An operation becomes a value of generated/core/command and
// is carried out by runtime/internal/exec, which selects a server, talks to it and retries.
package mongo
