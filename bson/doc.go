// Package bson reads and writes BSON, the binary documents of MongoDB.
//
// A program can hold a document in three ways. A [Raw] is the encoded bytes; reading its elements allocates nothing.
// [D], [M] and [A] are documents and arrays whose shape is known only at run time. Structs are for documents of known
// shape: the package compiles an encoding plan for each type at its first use, and caches it. The program tools/bsongen
// generates methods that are faster than the plan.
//
// [Marshal] and [Unmarshal] convert between Go values and bytes. [MarshalAppend] writes into the caller's buffer, and the
// Append functions (AppendStringElement, ...) write elements one by one, for code that knows its document.
//
// # What decoded values keep in memory
//
// Decoding copies: nothing that Unmarshal returns aliases its input. But values decoded from one document share memory.
// As long as any part of a decoded D, M, A or any is in use, even one string, a copy of the whole document stays in
// memory. Strings in struct fields share chunks of at most 1 KB; strings of 128 bytes or more have memory of their own.
// To keep one short string of a large document for a long time, keep its strings.Clone. What a [Raw] or [Reader]
// returns aliases the document itself.
//
// # Types that encode themselves
//
// A type controls its own encoding if it, or a pointer to it, implements one of the interfaces of this package. If it
// implements several, the first in this list applies: ValueAppender, DocumentAppender, ValueMarshaler, Marshaler; and for
// decoding ValueDecoder, DocumentDecoder, ValueUnmarshaler, Unmarshaler. There is one exception, which the official
// driver makes too: the value passed to [Marshal] or [Unmarshal] itself has to be a document, so Marshaler and
// Unmarshaler come before ValueMarshaler and ValueUnmarshaler there. A nil pointer is null, and its methods are not
// called. Methods on the pointer get the address of the value in place and must not change it while encoding. Methods
// that append must not keep dst. A struct that embeds such a type inherits its methods, and with them its BSON form,
// unless it has methods of its own.
//
// A struct with none of these interfaces and no exported fields uses the interfaces of the standard library. It becomes
// a string by encoding.TextAppender or encoding.TextMarshaler, or else binary subtype 0 by encoding.BinaryAppender or
// encoding.BinaryMarshaler. Decoding is more lenient. If a Go type cannot take a value otherwise,
// encoding.TextUnmarshaler takes a string and encoding.BinaryUnmarshaler takes binary data. So an integer type with
// MarshalText is written as a BSON integer, as in other drivers, but can be read from a string as well.
//
// # Types of other packages
//
// [Codecs] holds codecs for types that a program cannot add methods to, or that one client or collection treats
// differently. [NewCodec] converts a type to one that has a BSON form, [AnyAs] chooses what an any receives, and
// [JSONTags] makes json tags count. The options of [Marshal] and [Unmarshal], and the options of clients, databases and
// collections, take a Codecs. runtime/mongo/guide/types.md shows both ways.
//
// # Limits of the package
//
// The package does no I/O of its own ([Encoder] and [Decoder] use the caller's io.Writer and io.Reader) and knows nothing
// of servers or commands. It imports only the standard library and the generated type table. All packages may import it.
//
// With the build tag purego it does not use package unsafe. It is slower then, and results are the same.
package bson
