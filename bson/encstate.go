package bson

// encState says how a value is encoded. It travels by value from a document to its parts.
type encState struct {
	bits   encBits
	codecs *codecCache
}

// encBits are marshal options as bits, and above them how many levels of nesting are left.
type encBits uint64

const (
	encJSONTags encBits = 1 << iota
	encInlineDuplicates
	encNilSliceAsEmpty
	encNilMapAsEmpty
	encNilBytesAsEmpty
	encOmitEmpty
	encOmitZeroStruct
	encMinSize
	encStringifyKeys
	encInvalidText
	encUserCodecs

	encLevel encBits = 1 << 32
)

// encFull are the bits without any option.
const encFull = DefaultMaxDepth * encLevel

// newEncState merges the options.
func newEncState(opts []*MarshalOptions) encState {
	if len(opts) == 0 {
		return encState{encFull, defaultCaches[0]}
	}
	var bits encBits
	depth, caches := DefaultMaxDepth, &defaultCaches
	for _, o := range opts {
		if o == nil {
			continue
		}
		bits |= encBit(o.UseJSONTags, encJSONTags) | encBit(o.ErrorOnInlineDuplicates, encInlineDuplicates) |
			encBit(o.NilSliceAsEmpty, encNilSliceAsEmpty) | encBit(o.NilMapAsEmpty, encNilMapAsEmpty) |
			encBit(o.NilByteSliceAsEmpty, encNilBytesAsEmpty) | encBit(o.OmitEmpty, encOmitEmpty) |
			encBit(o.OmitZeroStruct, encOmitZeroStruct) | encBit(o.IntMinSize, encMinSize) |
			encBit(o.StringifyMapKeysWithFmt, encStringifyKeys) | encBit(o.AllowInvalidUTF8, encInvalidText)
		if o.MaxDepth > 0 {
			depth = min(o.MaxDepth, 1<<30)
		}
		if o.Codecs != nil {
			caches = &o.Codecs.caches
			bits = bits | encUserCodecs | encBit(o.Codecs.jsonTags, encJSONTags)
		}
	}
	variant := bits & (encJSONTags | encInlineDuplicates)
	return encState{bits | encBits(depth)*encLevel, caches[variant]}
}

func encBit(set bool, bit encBits) encBits {
	if set {
		return bit
	}
	return 0
}

// has reports whether an option is set.
func (f encState) has(o encBits) bool { return f.bits&o != 0 }

// plain reports whether no option is set.
func (f encState) plain() bool { return f.bits&(encLevel-1) == 0 }

// levels returns how many levels of nesting are left.
func (f encState) levels() int { return int(f.bits / encLevel) }

// deeper takes one level from the levels that are left.
func (f encState) deeper() (encState, error) {
	if f.bits < encLevel {
		return f, ErrMaxDepth
	}
	f.bits -= encLevel
	return f, nil
}
