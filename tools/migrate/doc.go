// Migrate rewrites a module from the official MongoDB driver for Go, versions 1 and 2, to Onion.
//
//	go run github.com/specdrivers/onion/tools/migrate@latest ./...
//
// It loads the packages with their types, so it knows which method of which type each call names. Without -write
// it prints a diff and changes nothing. What it cannot rewrite it leaves as it is, and reports the place and what to
// do. It never changes the meaning of code silently: where a call means something else in Onion, the report says so.
//
// The module does not require the driver: api.json lists what the driver exports, and a test compares it with the
// driver's source.
package main
