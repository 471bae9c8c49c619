// Package fulltext is text search: it takes texts apart into terms, gives a document's terms their weights as a text index
// keeps them, and tests documents against a $text search. It knows nothing of collections or of commands.
package fulltext
