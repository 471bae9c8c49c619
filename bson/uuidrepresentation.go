package bson

import (
	"fmt"
	"slices"
)

// Binary returns u as a binary value in the given representation, which must not be UUIDUnspecified.
func (u UUID) Binary(r UUIDRepresentation) (Binary, error) {
	subtype, err := uuidSubtype(r)
	if err != nil {
		return prefixError(Binary{}, err)
	}
	u = reorder(u, r)
	return Binary{Subtype: subtype, Data: u[:]}, nil
}

// AsUUID reads a binary value as a UUID. It is an error if the representation has another subtype.
func (b Binary) AsUUID(r UUIDRepresentation) (UUID, error) { return prefixError(b.asUUID(r)) }

func (b Binary) asUUID(r UUIDRepresentation) (UUID, error) {
	subtype, err := uuidSubtype(r)
	if err != nil {
		return NilUUID, err
	}
	if b.Subtype != subtype {
		return NilUUID, fmt.Errorf("a %v UUID has binary subtype %d, not %d", r, subtype, b.Subtype)
	}
	if len(b.Data) != len(UUID{}) {
		return NilUUID, fmt.Errorf("a UUID has 16 bytes, not %d", len(b.Data))
	}
	return reorder(UUID(b.Data), r), nil
}

func uuidSubtype(r UUIDRepresentation) (byte, error) {
	subtype, ok := r.Subtype()
	if !ok {
		return 0, fmt.Errorf("a UUID cannot be converted to or from the representation %v: choose another", r)
	}
	return subtype, nil
}

// reorder puts the bytes into the order of the representation, and back: it is its own inverse.
func reorder(u UUID, r UUIDRepresentation) UUID {
	switch r {
	case UUIDCSharpLegacy:
		slices.Reverse(u[0:4])
		slices.Reverse(u[4:6])
		slices.Reverse(u[6:8])
	case UUIDJavaLegacy:
		slices.Reverse(u[0:8])
		slices.Reverse(u[8:16])
	}
	return u
}

// DecodeBSONValue reads binary subtype 4. Subtype 3 is an error, because its bytes do not say which legacy
// representation they have: decode into a Binary and call AsUUID.
func (u *UUID) DecodeBSONValue(v RawValue) error {
	subtype, data, ok := v.BinaryOK()
	if !ok {
		return fmt.Errorf("cannot read a UUID from %v", v.Type)
	}
	parsed, err := Binary{subtype, data}.asUUID(UUIDStandard)
	if err != nil {
		return err
	}
	*u = parsed
	return nil
}
