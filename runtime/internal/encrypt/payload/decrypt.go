package payload

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/encryption"
)

// NeededToDecrypt lists the data keys that it takes to open the encrypted values of a document, each once.
//
// An indexed value hides the id of the user's key under the key of its index. Without keys, only ids in the open are
// listed; with keys, which must have those, the hidden ones are listed too.
func NeededToDecrypt(doc bson.Raw, keys Keys) ([]Ref, error) {
	var out refs
	err := visit(doc, bson.DefaultMaxDepth, func(value []byte) error {
		if len(value) == 0 {
			return errMalformed
		}
		if !encryption.Payload(value[0]).Decryptable() {
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

// Decrypt opens the encrypted values of a document, and reports whether there were any. Without, it returns the document
// itself. Values of kinds that a driver does not open stay as they are.
func Decrypt(doc bson.Raw, keys Keys) (out bson.Raw, changed bool, err error) {
	found, err := contains(doc, func(value []byte) bool {
		return len(value) == 0 || encryption.Payload(value[0]).Decryptable()
	})
	if err != nil || !found {
		return doc, false, err
	}
	known := prepared{}
	out, err = rewrite(make([]byte, 0, len(doc)), doc, bson.DefaultMaxDepth, func(value []byte) (bson.RawValue, bool, error) {
		if len(value) > 0 && !encryption.Payload(value[0]).Decryptable() {
			return bson.RawValue{}, false, nil
		}
		v, err := openWith(value, keys, known)
		return v, err == nil, err
	})
	return out, err == nil, err
}

// Open decrypts one value: the bytes of a binary value of subtype 6.
func Open(value []byte, keys Keys) (bson.RawValue, error) { return openWith(value, keys, nil) }

func openWith(value []byte, keys Keys, known prepared) (bson.RawValue, error) {
	if len(value) == 0 {
		return bson.RawValue{}, errMalformed
	}
	if isInsert(value) {
		insert, err := ParseInsert(value)
		if err != nil {
			return bson.RawValue{}, err
		}
		_, key, err := keys(Ref{ID: insert.KeyID})
		if err != nil {
			return bson.RawValue{}, err
		}
		return insert.Open(key)
	}
	s, err := Parse(value)
	if err != nil {
		return bson.RawValue{}, err
	}
	_, index, err := keys(Ref{ID: s.KeyID})
	if err != nil {
		return bson.RawValue{}, err
	}
	if !s.Indexed() {
		return s.open(nil, index, known)
	}
	id, err := s.UserKeyID(index)
	if err != nil {
		return bson.RawValue{}, err
	}
	_, user, err := keys(Ref{ID: id})
	if err != nil {
		return bson.RawValue{}, err
	}
	return s.open(index, user, known)
}
