package kms

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/kmstable"
	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
)

// Wrap encrypts a data key with a master key of a provider. It also returns the document of the master key to store.
func (s *Service) Wrap(ctx context.Context, id string, master bson.Raw, dek *aead.Key) (wrapped []byte, stored bson.Raw, err error) {
	m, err := parseMasterKey(id, master, false)
	if err != nil {
		return nil, nil, err
	}
	return s.wrap(ctx, m, dek)
}

// Rewrap encrypts a data key with the master key of a stored document.
func (s *Service) Rewrap(ctx context.Context, master bson.Raw, dek *aead.Key) (wrapped []byte, stored bson.Raw, err error) {
	m, err := parseStored(master)
	if err != nil {
		return nil, nil, err
	}
	return s.wrap(ctx, m, dek)
}

func (s *Service) wrap(ctx context.Context, m *masterKey, dek *aead.Key) (wrapped []byte, stored bson.Raw, err error) {
	p, err := s.findProvider(m.id)
	if err != nil {
		return nil, nil, err
	}
	switch m.Name {
	case "aws":
		wrapped, err = s.wrapAWS(ctx, p, m, dek.Material())
	case "azure":
		wrapped, err = s.callAzure(ctx, p, m, "wrapkey", dek.Material())
	case "gcp":
		wrapped, err = s.wrapGCP(ctx, p, m, dek.Material())
	case "kmip":
		wrapped, err = s.wrapKMIP(ctx, p, m, dek)
	default:
		wrapped, err = s.wrapLocally(p.fields.bytes[kmstable.FieldKey], dek)
	}
	return wrapped, m.document(), err
}

// Unwrap decrypts a data key. The caller wipes it.
func (s *Service) Unwrap(ctx context.Context, master bson.Raw, wrapped []byte) (*aead.Key, error) {
	m, err := parseStored(master)
	if err != nil {
		return nil, err
	}
	p, err := s.findProvider(m.id)
	if err != nil {
		return nil, err
	}
	var dek []byte
	switch m.Name {
	case "aws":
		dek, err = s.unwrapAWS(ctx, p, m, wrapped)
	case "azure":
		dek, err = s.callAzure(ctx, p, m, "unwrapkey", wrapped)
	case "gcp":
		dek, err = s.unwrapGCP(ctx, p, m, wrapped)
	case "kmip":
		dek, err = s.unwrapKMIP(ctx, p, m, wrapped)
	default:
		dek, err = unwrapLocally(p.fields.bytes[kmstable.FieldKey], wrapped)
	}
	if err != nil {
		return nil, err
	}
	defer clear(dek)
	return aead.NewKey(dek)
}
