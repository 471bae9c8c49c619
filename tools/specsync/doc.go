// Specsync compares the tables in specs/ with a checkout of the upstream specifications and updates the columns that can
// be read from it.
//
//	go run ./tools/specsync -from DIR           edits the tables and prints what changed, a line per row and column
//	go run ./tools/specsync -from DIR -check    edits nothing and exits 1 when somebody has to act
//	-generate                                   runs gen behind the refresh, as go generate does
//	-accept "FILE ROW"                          removes a row that upstream no longer has; -ask asks about each
//	-acknowledge "DOC, SECTION" -because "..."  moves the pin of a section that somebody has read as it is now
//	-move "DOC, SECTION, ID -> SECTION, ID" -because "..."  gives a row of evidence the sentence that it answers now
//	-replay DIR FROM..TO                        follows the history of a clone, forwards and, commit by commit, backwards
//	-grammar FILE                               also reads the BSON grammar, which is not part of the specifications
//
// Each reader (read*.go) knows one kind of document and yields rows of facts. A reader reports what it does not
// understand as an error with file and line. The other readers still report, but specsync then writes nothing. Columns
// that no reader yields, such as doc, are ours and stay. A column or row with an override differs on purpose; an
// override that no longer differs is an error.
//
// UPSTREAM pins every section of every document by fingerprints of its sentences, and files of data by their values;
// UPSTREAM-TESTS pins every case of the test files. A section that changed or moved is reported with its new sentences
// and with the rows, comments and prose tests that cite it. Words, structure and values count: markdown.go writes the
// many forms of a document in one.
//
// The folder evidence has a row for each sentence with MUST: what carries it, and what proves it. normative.go finds the
// sentences; their identifiers survive another flow of the text, other bullets, links and markup.
package main
