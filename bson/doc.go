// Package bson reads and writes BSON, the binary documents of MongoDB.
//
// There are three ways to hold a document. [Raw] is the encoded bytes themselves: it walks and looks up without
// allocating. [D], [M] and [A] are documents and arrays whose shape is known only at run time. Go structs are the third:
// one plan per type says how to encode and decode it, compiled at first use and kept.
//
// [Marshal] and [Unmarshal] convert between Go values and bytes, [MarshalAppend] does so into the caller's buffer, and the
// Append functions (AppendStringElement, ...) write elements one by one for code that knows its document.
//
// # What decoded values keep in memory
//
// Decoding copies: nothing that Unmarshal returns aliases its input. Values of one document share allocations, though. A D, M,
// A or any keeps a copy of its whole document as long as any part of it, be it one string, is in use. Strings that are
// decoded into fields of structs share chunks of at most 1 KB, and those of 128 bytes or more have memory of their own. Who
// keeps one short string of a large document for long should keep strings.Clone of it. What a [Raw] or [Reader] returns
// aliases the document itself.
//
// # Types that encode themselves
//
// A type takes part in encoding by implementing one of the interfaces of this package, on itself or on its pointer. Of
// several, the first in this order is used: ValueAppender, Appender, ValueMarshaler, Marshaler; for decoding ValueDecoder,
// DocumentDecoder, ValueUnmarshaler, Unmarshaler. Nil pointers are null and are not asked. Methods on the pointer are
// called with the address of the value in place and must not change it while encoding. Methods that append must not keep
// dst. A struct that embeds such a type inherits its methods, and with them its BSON form, unless it has methods of its
// own.
//
// A struct that implements none of them and has no exported field is encoded by the standard library's interfaces: as a
// string by encoding.TextAppender or encoding.TextMarshaler, else as binary subtype 0 by encoding.BinaryAppender or
// encoding.BinaryMarshaler. For decoding, encoding.TextUnmarshaler takes a string, and encoding.BinaryUnmarshaler takes
// binary data, wherever the Go type could not take the value otherwise. So an integer type with MarshalText stays a BSON
// integer, as it does in other drivers, but can be read from a string as well.
//
// # What is left to the package
//
// The package has no I/O of its own ([Encoder] and [Decoder] use the caller's io.Writer and io.Reader) and knows nothing of
// servers or commands. It imports only the standard library and the generated type table. All packages may import it.
package bson
