// Package bson reads and writes BSON, the binary documents of MongoDB.
//
// A program can hold a document in three ways. A [Raw] is the encoded bytes: walking it and looking elements up allocates
// nothing. [D], [M] and [A] are documents and arrays whose shape is known only at run time. And there are Go structs: the
// package compiles a plan for each type at its first use, and keeps it. The program tools/bsongen writes methods that are
// faster than the plan.
//
// [Marshal] and [Unmarshal] convert between Go values and bytes. [MarshalAppend] writes into the caller's buffer, and the
// Append functions (AppendStringElement, ...) write elements one by one, for code that knows its document.
//
// # What decoded values keep in memory
//
// Decoding copies: nothing that Unmarshal returns aliases its input. Values of one document do share allocations. A D, M, A
// or any keeps a copy of its whole document alive as long as any part of it is in use, even one string. Strings in fields of
// structs share chunks of at most 1 KB, and strings of 128 bytes or more have memory of their own. To keep one short string
// of a large document for a long time, keep its strings.Clone. What a [Raw] or [Reader] returns aliases the document itself.
//
// # Types that encode themselves
//
// A type takes part in encoding when it, or a pointer to it, implements one of the interfaces of this package. If it
// implements several, the first of this list counts: ValueAppender, Appender, ValueMarshaler, Marshaler; and for decoding
// ValueDecoder, DocumentDecoder, ValueUnmarshaler, Unmarshaler. A nil pointer is null, and its methods are not called.
// Methods on the pointer get the address of the value in place and must not change it while encoding. Methods that append
// must not keep dst. A struct that embeds such a type inherits its methods, and with them its BSON form, unless it has
// methods of its own.
//
// A struct without any of these interfaces and without exported fields uses the interfaces of the standard library. It is a
// string by encoding.TextAppender or encoding.TextMarshaler, or else binary subtype 0 by encoding.BinaryAppender or
// encoding.BinaryMarshaler. In decoding, encoding.TextUnmarshaler takes a string, and encoding.BinaryUnmarshaler takes
// binary data, where the Go type cannot take the value otherwise. So an integer type with MarshalText stays a BSON integer,
// as in other drivers, but can be read from a string as well.
//
// # Types of other packages
//
// [Codecs] holds rules for types that a program cannot give methods, or that one client or collection treats differently:
// [NewCodec] converts a type to one that has a BSON form, [AnyAs] chooses what an any receives, and [JSONTags] makes json
// tags count. The options of [Marshal] and [Unmarshal], and those of clients, databases and collections, take a Codecs.
//
// # Limits of the package
//
// The package does no I/O of its own ([Encoder] and [Decoder] use the caller's io.Writer and io.Reader) and knows nothing
// of servers or commands. It imports only the standard library and the generated type table. All packages may import it.
package bson
