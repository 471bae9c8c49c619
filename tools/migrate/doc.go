// Migrate rewrites a module from the official MongoDB driver for Go, versions 1 and 2, to Onion.
//
//	go run github.com/specdrivers/onion/tools/migrate@latest ./...
//
// It loads the packages with their types, so that it knows which method of which type each call names. Without -write
// it prints a diff and changes nothing. What it cannot carry over it leaves as it is and reports with its place and
// what to do. It never changes the meaning of code in silence: where a call means something else in Onion, the report
// says so.
//
// The module requires nothing of the driver: what the driver exports stands in api.json, which a test compares with
// the driver's source.
package main
