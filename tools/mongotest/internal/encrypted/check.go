package encrypted

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted/sealed"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// storedKinds are the payload kinds that an encrypted field may hold.
var storedKinds = map[bool][]encryption.Payload{
	true: {encryption.FLE2IndexedEqualityEncryptedValueV2, encryption.FLE2IndexedRangeEncryptedValueV2,
		encryption.FLE2IndexedTextEncryptedValue},
	false: {encryption.FLE2UnindexedEncryptedValueV2, encryption.FLE2UnindexedEncryptedValue},
}

// Holds reports whether every encrypted field of a document is either missing or encrypted as its index requires. The
// path to such a field has no arrays.
func (s *Schema) Holds(doc bson.Raw) bool {
	if s == nil {
		return true
	}
	for _, f := range s.Fields {
		if !f.holds(doc, f.Path) {
			return false
		}
	}
	return true
}

func (f Field) holds(doc bson.Raw, rest string) bool {
	key, rest, more := strings.Cut(rest, ".")
	v := path.Field(doc, key)
	switch {
	case v.IsZero():
		return true
	case !more:
		kind, data := parsePayload(v)
		return slices.Contains(storedKinds[f.Indexed], kind) && len(data) > sealed.Header &&
			(f.Type == 0 || bsontype.Type(data[sealed.Header-1]) == f.Type)
	}
	inner, ok := v.DocumentOK()
	return ok && f.holds(inner, rest)
}

// CheckNames refuses state collections with other names than drivers give them.
func (s *Schema) CheckNames() error {
	if !isState(s.ESC) {
		return status.Errorf(7406900, "Encrypted State Collection name should follow enxcol_.<collection>.esc naming pattern")
	}
	if !isState(s.ECOC) {
		return status.Errorf(7406902, "Encrypted Compaction Collection name should follow enxcol_.<collection>.ecoc naming pattern")
	}
	return nil
}

func isState(name string) bool {
	return strings.HasPrefix(name, "enxcol_.") && (strings.HasSuffix(name, ".esc") || strings.HasSuffix(name, ".ecoc"))
}

// CheckFields refuses the field _id, and paths that are equal or contain each other.
func (s *Schema) CheckFields() error {
	for i, f := range s.Fields {
		for _, g := range s.Fields[:i] {
			if f.Path == g.Path {
				return status.Errorf(6338402, "Duplicate paths are not allowed")
			}
			if strings.HasPrefix(f.Path, g.Path+".") || strings.HasPrefix(g.Path, f.Path+".") {
				return status.Errorf(6338403, "Conflicting index specifications found as %s and %s", g.Path, f.Path)
			}
		}
		if f.Path == "_id" || f.Path == SafeContent || strings.HasPrefix(f.Path, "_id.") {
			return status.Errorf(errcode.BadValue, "Cannot encrypt _id or its subfields")
		}
	}
	return nil
}
