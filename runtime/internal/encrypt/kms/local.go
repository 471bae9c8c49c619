package kms

import (
	"io"

	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
)

// wrapLocally encrypts a data key with a master key that the program supplies.
func (s *Service) wrapLocally(master []byte, dek *aead.Key) ([]byte, error) {
	key, err := aead.NewKey(master)
	if err != nil {
		return nil, err
	}
	defer key.Wipe()
	var iv [aead.IVSize]byte
	if _, err := io.ReadFull(s.random, iv[:]); err != nil {
		return nil, err
	}
	return aead.SealFLE1(nil, key, iv, nil, dek.Material())
}

// unwrapLocally decrypts what wrapLocally encrypted.
func unwrapLocally(master, wrapped []byte) ([]byte, error) {
	key, err := aead.NewKey(master)
	if err != nil {
		return nil, err
	}
	defer key.Wipe()
	return aead.OpenFLE1(key, nil, wrapped)
}
