package bson

// MarshalOptions changes how Go values are encoded. The zero value, and nil, mean the defaults. Options given together add
// up.
type MarshalOptions struct {
	// UseJSONTags takes name and omitempty of a field without a bson tag from its json tag.
	UseJSONTags bool
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
	// IntMinSize writes every Go integer in 32 bits where it fits, as if each field's tag said minsize.
	IntMinSize bool
	// StringifyMapKeysWithFmt turns map keys into text with fmt.Sprint.
	StringifyMapKeysWithFmt bool
	// ErrorOnInlineDuplicates refuses structs where a field hides another one of the same name in an inlined struct.
	ErrorOnInlineDuplicates bool
	// AllowInvalidUTF8 writes text that is not UTF-8 as it is.
	AllowInvalidUTF8 bool
	// MaxDepth limits how deeply documents and arrays are nested; 0 means DefaultMaxDepth.
	MaxDepth int
	// Codecs encodes the Go types that it names in its own way; nil means none. Of several, the last one counts.
	Codecs *Codecs
}

// UnmarshalOptions changes how BSON is decoded. The zero value, and nil, mean the defaults. Options given together add up.
type UnmarshalOptions struct {
	// UseJSONTags takes the name of a field without a bson tag from its json tag.
	UseJSONTags bool
	// DefaultDocument is the type of documents that are decoded into an any.
	DefaultDocument DocumentType
	// AllowTruncatingDoubles lets integers take doubles by cutting off the fraction, and float32 take doubles by rounding, as
	// if each field's tag said truncate.
	AllowTruncatingDoubles bool
	// BinaryAsSlice decodes binary subtypes 0 and 2 into an any as []byte instead of Binary.
	BinaryAsSlice bool
	// ObjectIDAsHexString lets strings take ObjectIDs, as their hexadecimal form.
	ObjectIDAsHexString bool
	// UseLocalTimeZone decodes dates into time.Time in the local time zone instead of UTC.
	UseLocalTimeZone bool
	// ZeroMaps empties maps before decoding into them.
	ZeroMaps bool
	// ZeroStructs sets structs to their zero value before decoding into them.
	ZeroStructs bool
	// RejectDuplicateKeys makes a key that occurs twice in a document an error. Without it D keeps both, and in maps and
	// structs the last one wins.
	RejectDuplicateKeys bool
	// AllowInvalidUTF8 accepts text that is not UTF-8 as it is.
	AllowInvalidUTF8 bool
	// MaxDepth limits how deeply documents and arrays are nested; 0 means DefaultMaxDepth.
	MaxDepth int
	// Codecs decodes the Go types that it names in its own way; nil means none. Of several, the last one counts.
	Codecs *Codecs
}
