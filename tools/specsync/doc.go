// Specsync compares the tables in specs/ with a checkout of the upstream specifications and brings the columns that
// can be read from it up to date.
//
//	go run ./tools/specsync -from DIR           edits the tables and prints what changed, a line per row and column
//	go run ./tools/specsync -from DIR -check    edits nothing and exits 1 when the tables are behind
//	-grammar FILE                               also reads the BSON grammar, which is not part of the specifications
//
// Each reader (read*.go) knows one kind of document and yields rows of facts; what it does not understand is an error
// with file and line. Columns that no reader yields, such as doc, are ours and stay. A column or row with an override
// differs on purpose; an override that no longer differs is an error.
package main
