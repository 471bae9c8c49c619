package payload

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted/sealed"
	"github.com/specdrivers/onion/generated/core/encryption"
)

// NeededToDecrypt lists the data keys that the encrypted values of a document need, each once.
//
// An indexed value hides the id of the user's key under the key of its index. Without keys it lists only the ids
// in plain text; with keys, which must include those, it lists the hidden ones too.
func NeededToDecrypt(doc bson.Raw, keys Keys) ([]Ref, error) {
	var out refs
	err := visit(doc, bson.DefaultMaxDepth, func(value []byte) error {
		if !isOpenable(value) {
			return nil
		}
		if isInsert(value) {
			insert, err := ParseInsert(value)
			if err != nil {
				return err
			}
			out.add(Ref{ID: insert.KeyID})
			return nil
		}
		return out.addStored(value, keys)
	})
	return out, err
}

func (r *refs) addStored(value []byte, keys Keys) error {
	s, err := Parse(value)
	if err != nil {
		return err
	}
	r.add(Ref{ID: s.KeyID})
	if keys == nil || !s.Indexed() {
		return nil
	}
	_, index, err := keys(Ref{ID: s.KeyID})
	if err != nil {
		return err
	}
	id, err := s.UserKeyID(index)
	if err != nil {
		return err
	}
	r.add(Ref{ID: id})
	return nil
}

// Decrypt opens the encrypted values of a document, and reports whether there were any. If not, it returns the document
// itself. Values of kinds that a driver does not open stay as they are.
func Decrypt(doc bson.Raw, keys Keys) (out bson.Raw, changed bool, err error) {
	found, err := contains(doc, isOpenable)
	if err != nil || !found {
		return doc, false, err
	}
	open := func(dst []byte, name string, value []byte) ([]byte, bool, error) {
		if !isOpenable(value) {
			return dst, false, nil
		}
		dst, err := appendOpened(dst, name, value, keys)
		return dst, err == nil, err
	}
	out, err = rewrite(make([]byte, 0, len(doc)), doc, bson.DefaultMaxDepth, open)
	return out, err == nil, err
}

// isOpenable reports whether a value is of a kind that a driver opens. An empty value has no kind.
func isOpenable(value []byte) bool {
	return len(value) > 0 && encryption.Payload(value[0]).Decryptable()
}

// Open decrypts one value: the bytes of a binary value of subtype 6.
func Open(value []byte, keys Keys) (bson.RawValue, error) {
	doc, err := appendOpened(nil, "", value, keys)
	if err != nil {
		return bson.RawValue{}, err
	}
	return bson.RawValue{Type: bson.Type(doc[0]), Value: doc[2:]}, nil
}

// appendOpened appends an element with the value that was encrypted.
func appendOpened(dst []byte, name string, value []byte, keys Keys) ([]byte, error) {
	if len(value) == 0 {
		return nil, errMalformed
	}
	if isInsert(value) {
		insert, err := ParseInsert(value)
		if err != nil {
			return nil, err
		}
		_, key, err := keys(Ref{ID: insert.KeyID})
		if err != nil {
			return nil, err
		}
		dst = bson.AppendHeader(dst, insert.Type, name)
		return appendWhole(dst, insert.Type, func(dst []byte) ([]byte, error) { return insert.append(dst, key) })
	}
	s, err := sealed.ParseStored[encryption.Payload](value)
	if err != nil {
		return nil, err
	}
	stored := Stored{s}
	_, index, err := keys(Ref{ID: stored.KeyID})
	if err != nil {
		return nil, err
	}
	user := index
	if stored.Indexed() {
		id, err := stored.UserKeyID(index)
		if err != nil {
			return nil, err
		}
		if _, user, err = keys(Ref{ID: id}); err != nil {
			return nil, err
		}
	}
	dst = bson.AppendHeader(dst, stored.Type, name)
	return appendWhole(dst, stored.Type, func(dst []byte) ([]byte, error) { return stored.append(dst, index, user) })
}
