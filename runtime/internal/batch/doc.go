// Package batch reads what a cursor returns: the documents of its batches, and events that the server has split. It does
// no I/O and knows no cursor.
//
// Package mongo imports it.
package batch
