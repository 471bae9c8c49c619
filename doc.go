// Package onion is the root of a MongoDB driver that is generated from the MongoDB driver specifications. It holds no code.
//
// Programs import:
//
//   - [github.com/specdrivers/onion/runtime/mongo], the driver: clients, collections, cursors, sessions, change streams, GridFS
//   - [github.com/specdrivers/onion/bson], documents
//   - [github.com/specdrivers/onion/generated/options], the options of clients and operations
//   - [github.com/specdrivers/onion/tools/mongotest], a deployment in memory, for tests
//
// Beside them, [github.com/specdrivers/onion/runtime/fault] has the errors, [github.com/specdrivers/onion/generated/event] what
// listeners are told, and [github.com/specdrivers/onion/runtime/mongodebug] a live page about a client. Every other package says in
// its first line whether it is for users. The README leads to the guides.
package onion
