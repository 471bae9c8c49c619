// Package fulltext implements text search. It splits texts into terms, computes the weights that a text index stores
// for them, and tests documents against a $text search. It knows nothing about collections or commands.
package fulltext
