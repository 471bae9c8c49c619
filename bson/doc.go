// Package bson reads and writes BSON, the binary documents of MongoDB.
//
// There are three ways to hold a document. [Raw] is the encoded bytes themselves: it walks and looks up without
// allocating. [D], [M] and [A] are documents and arrays whose shape is known only at run time. Go structs are the third:
// one plan per type says how to encode and decode it, compiled at first use and kept.
//
// [Marshal] and [Unmarshal] convert between Go values and bytes, [MarshalAppend] does so into the caller's buffer, and the
// Append functions (AppendStringElement, ...) write elements one by one for code that knows its document.
//
// The package has no I/O of its own ([Encoder] and [Decoder] use the caller's io.Writer and io.Reader) and knows nothing of
// servers or commands. It imports only the standard library and the generated type table. All packages may import it.
package bson
