package bson

// MarshalOptions changes how Go values are encoded. The zero value and nil mean the defaults. Several options are
// combined.
type MarshalOptions struct {
	// UseJSONStructTags takes name and omitempty of a field without a bson tag from its json tag.
	UseJSONStructTags bool
	// NilSliceAsEmpty writes nil slices as empty arrays instead of null.
	NilSliceAsEmpty bool
	// NilMapAsEmpty writes nil maps as empty documents instead of null.
	NilMapAsEmpty bool
	// NilByteSliceAsEmpty writes nil []byte as empty binary data instead of null.
	NilByteSliceAsEmpty bool
	// OmitEmpty treats every field as if its tag said omitempty.
	OmitEmpty bool
	// OmitZeroStruct makes omitempty leave out structs whose exported fields are all empty.
	OmitZeroStruct bool
	// IntMinSize writes every Go integer that fits in 32 bits, as if each field's tag said minsize.
	IntMinSize bool
	// StringifyMapKeysWithFmt turns map keys into text with fmt.Sprint.
	StringifyMapKeysWithFmt bool
	// ErrorOnInlineDuplicates makes it an error if a field hides one of the same name in an inlined struct.
	ErrorOnInlineDuplicates bool
	// AllowInvalidUTF8 writes text that is not valid UTF-8, unchanged.
	AllowInvalidUTF8 bool
	// MaxDepth limits how deeply documents and arrays are nested; 0 means DefaultMaxDepth.
	MaxDepth int
	// Codecs says how Go types are encoded; nil means none. Of several Codecs, the last one applies.
	Codecs *Codecs
}

// UnmarshalOptions changes how BSON is decoded. The zero value and nil mean the defaults. Several options are combined.
type UnmarshalOptions struct {
	// UseJSONStructTags takes the name of a field without a bson tag from its json tag.
	UseJSONStructTags bool
	// DefaultDocument is the type of documents that are decoded into an any.
	DefaultDocument DocumentType
	// AllowTruncatingDoubles decodes doubles into integers by cutting off the fraction, and into float32 by rounding,
	// as if each field's tag said truncate.
	AllowTruncatingDoubles bool
	// BinaryAsSlice decodes binary subtypes 0 and 2 into an any as []byte instead of Binary.
	BinaryAsSlice bool
	// ObjectIDAsHexString decodes ObjectIDs into strings, in hexadecimal form.
	ObjectIDAsHexString bool
	// UseLocalTimeZone decodes dates into time.Time in the local time zone instead of UTC.
	UseLocalTimeZone bool
	// ZeroMaps empties maps before decoding into them.
	ZeroMaps bool
	// ZeroStructs sets structs to their zero value before decoding into them.
	ZeroStructs bool
	// RejectDuplicateKeys makes it an error if a key occurs twice in a document. Without it, D keeps both, and in maps
	// and structs the last one wins.
	RejectDuplicateKeys bool
	// AllowInvalidUTF8 accepts text that is not valid UTF-8, unchanged.
	AllowInvalidUTF8 bool
	// MaxDepth limits how deeply documents and arrays are nested; 0 means DefaultMaxDepth.
	MaxDepth int
	// Codecs says how Go types are decoded; nil means none. Of several Codecs, the last one applies.
	Codecs *Codecs
}
