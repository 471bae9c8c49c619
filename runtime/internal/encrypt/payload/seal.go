package payload

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted/sealed"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
)

// KeysToEncrypt lists the data keys that the markings and placeholders of a document name, each once.
func KeysToEncrypt(doc bson.Raw) ([]Ref, error) {
	var out refs
	err := visit(doc, bson.DefaultMaxDepth, func(value []byte) error {
		return out.addMarked(value)
	})
	return out, err
}

// addMarked adds the keys that a value asks for, if it is a marking or a placeholder.
func (r *refs) addMarked(value []byte) error {
	switch {
	case len(value) == 0:
		return errMalformed
	case encryption.Payload(value[0]) == encryption.FLE1EncryptionPlaceholder:
		m, err := bson.ParseEncryptionMarking(value)
		if err != nil {
			return err
		}
		r.add(markingRef(m))
	case encryption.Payload(value[0]) == encryption.FLE2EncryptionPlaceholder:
		p, err := encryption.ParsePlaceholder(value)
		if err != nil {
			return err
		}
		r.add(Ref{ID: p.IndexKeyID})
		r.add(Ref{ID: p.UserKeyID})
	}
	return nil
}

// Encrypt encrypts what is marked in a document. It returns the document itself if nothing is.
func Encrypt(doc bson.Raw, keys Keys, random io.Reader) (bson.Raw, error) {
	found, err := contains(doc, isMarked)
	if err != nil || !found {
		return doc, err
	}
	seal := func(dst []byte, name string, value []byte) ([]byte, bool, error) {
		if !isMarked(value) {
			return dst, false, nil
		}
		dst, start := appendEncryptedStart(dst, name)
		dst, err := appendSealed(dst, value, keys, random)
		if err != nil {
			return nil, false, err
		}
		binary.LittleEndian.PutUint32(dst[start-5:], uint32(len(dst)-start))
		return dst, true, nil
	}
	return rewrite(make([]byte, 0, len(doc)+len(doc)/4+256), doc, bson.DefaultMaxDepth, seal)
}

// appendEncryptedStart appends a binary value of subtype 6 whose length is not known yet; its bytes begin at start.
func appendEncryptedStart(dst []byte, name string) (out []byte, start int) {
	dst = append(bson.AppendHeader(dst, bsontype.Binary, name), 0, 0, 0, 0, byte(bsontype.BinaryEncrypted))
	return dst, len(dst)
}

// isMarked reports whether a value is to be encrypted. An empty value counts, so sealing it fails.
func isMarked(value []byte) bool {
	if len(value) == 0 {
		return true
	}
	kind := encryption.Payload(value[0])
	return kind == encryption.FLE1EncryptionPlaceholder || kind == encryption.FLE2EncryptionPlaceholder
}

// Seal encrypts what one marking or placeholder asks for. Both the value and the result are the bytes of a binary value of
// subtype 6.
func Seal(value []byte, keys Keys, random io.Reader) ([]byte, error) {
	return appendSealed(nil, value, keys, random)
}

func appendSealed(dst, value []byte, keys Keys, random io.Reader) ([]byte, error) {
	if len(value) == 0 {
		return nil, errMalformed
	}
	switch encryption.Payload(value[0]) {
	case encryption.FLE1EncryptionPlaceholder:
		m, err := bson.ParseEncryptionMarking(value)
		if err != nil {
			return nil, err
		}
		return appendMarking(dst, m, keys, random)
	case encryption.FLE2EncryptionPlaceholder:
		p, err := encryption.ParsePlaceholder(value)
		if err != nil {
			return nil, err
		}
		return appendPlaceholder(dst, p, keys, random)
	}
	return nil, fmt.Errorf("encrypt: a value whose first byte is %d does not ask to be encrypted", value[0])
}

func markingRef(m bson.EncryptionMarking) Ref {
	if m.KeyID != nil {
		return Ref{ID: *m.KeyID}
	}
	return Ref{Name: m.KeyAltName}
}

// appendMarking appends a value of client-side field level encryption.
func appendMarking(dst []byte, m bson.EncryptionMarking, keys Keys, random io.Reader) ([]byte, error) {
	if err := checkType(kindOf(m), m.Value); err != nil {
		return nil, err
	}
	id, key, err := keys(markingRef(m))
	if err != nil {
		return nil, err
	}
	start := len(dst)
	dst = slices.Grow(dst, sealed.Header+2*aead.IVSize+len(m.Value.Value)+32) // so that head stays part of dst
	dst = append(append(append(dst, byte(m.Algorithm)), id[:]...), byte(m.Value.Type))
	head := dst[start:len(dst):len(dst)]
	var iv [aead.IVSize]byte
	if encryption.Payload(m.Algorithm) == encryption.FLE1DeterministicEncryptedValue {
		iv = key.DeterministicIV(head, m.Value.Value)
	} else if _, err := io.ReadFull(random, iv[:]); err != nil {
		return nil, err
	}
	return aead.SealFLE1(dst, key, iv, head, m.Value.Value)
}

// Queryable reports whether a command carries a payload that the server indexes or searches: then it needs the collection's
// schema in encryptionInformation.
func Queryable(command bson.Raw) bool {
	found, err := contains(command, func(value []byte) bool {
		return len(value) > 0 && encryption.Payload(value[0]).Sent()
	})
	return found && err == nil
}
