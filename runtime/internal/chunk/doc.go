// Package chunk cuts a file of GridFS into chunks and encodes them. It stores nothing: its caller takes the documents, a
// batch at a time.
//
// Package mongo imports it.
package chunk
