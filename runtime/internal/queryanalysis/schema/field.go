package schema

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/analysis"
)

// Field says how one field is encrypted.
type Field struct {
	Path    string
	Kind    analysis.Kind
	KeyID   *bson.UUID // nil if KeyPath names the key, or if the collection is yet to get one
	KeyPath []string   // where the document holds the key's alternative name
	Types   []string   // the BSON types that the schema allows; empty if it says nothing

	// The rest counts for Queryable Encryption only.
	Contention int64
	Sparsity   int64
	Min, Max   bson.RawValue // bounds of a range; zero if there are none
	Precision  *int32
	TrimFactor *int32
	Text       Text
}

// Text says which searches in a text are possible.
type Text struct {
	CaseFold, DiacriticFold   bool
	Prefix, Suffix, Substring *Lengths
}

// Lengths bounds the searches in a text. Total counts for substrings only.
type Lengths struct{ Min, Max, Total int32 }

// Queryable reports whether the field is encrypted by Queryable Encryption.
func (f *Field) Queryable() bool {
	return f.Kind != analysis.KindRandom && f.Kind != analysis.KindDeterministic
}

// EncryptsLike reports whether values of both fields are encrypted alike: then equal values have equal ciphertexts if the
// encryption is deterministic. Fields of Queryable Encryption are never alike.
func (f *Field) EncryptsLike(o *Field) bool {
	if f == o {
		return true
	}
	if f.Queryable() || f.Kind != o.Kind || f.KeyID == nil || o.KeyID == nil || *f.KeyID != *o.KeyID {
		return false
	}
	return slices.Equal(f.Types, o.Types)
}

// Takes reports whether the field may hold a value of a BSON type.
func (f *Field) Takes(t bson.Type) bool {
	name := t.String()
	return f.Kind.Takes(name) && (len(f.Types) == 0 || slices.Contains(f.Types, name))
}

// IsType reports whether a BSON type has a name.
func IsType(name string) bool {
	for t := range 256 {
		if t := bson.Type(t); t.IsValid() && t.String() == name {
			return true
		}
	}
	return false
}
