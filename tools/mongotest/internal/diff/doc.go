// Package diff is the difference of two versions of a document, as the oplog of a server since 5.0 writes it, and what
// change streams report about it.
//
// A difference is a document: d names the fields that are gone, u holds those with another value, i the new ones, and
// s followed by a field's name the difference inside of that field. The difference of an array has a: true, l as its new
// length, and u or s followed by a position.
package diff
