// Specsync compares the tables in specs/ with a checkout of the upstream specifications and updates the columns that can
// be read from it.
//
//	go run ./tools/specsync -from DIR           edits the tables and prints what changed, a line per row and column
//	go run ./tools/specsync -from DIR -check    edits nothing and exits 1 when somebody has to act
//	-accept "FILE ROW, ..."                     removes rows that upstream no longer has; -ask asks about each
//	-acknowledge "DOC, SECTION" -because "..."  moves the pin of a section that somebody has read as it is now
//	-pin-new                                    pins the sections of documents that are new
//	-replay REPO FROM..TO                       walks upstream's history and prints what each commit would change
//	-grammar FILE                               also reads the BSON grammar, which is not part of the specifications
//
// Each reader (read*.go) knows one kind of document and yields rows of facts. A reader reports what it does not
// understand as an error with file and line. The other readers still report, but specsync then writes nothing. Columns
// that no reader yields, such as doc, are ours and stay. A column or row with an override differs on purpose; an
// override that no longer differs is an error.
//
// UPSTREAM pins every section of every document by fingerprints of its sentences. A section that changed is reported
// with its new sentences and with the rows, comments and prose tests that cite it.
package main
