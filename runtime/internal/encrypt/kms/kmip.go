package kms

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/specdrivers/onion/generated/core/kmip"
	"github.com/specdrivers/onion/generated/core/kmstable"
	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
)

// wrapKMIP encrypts a data key with a key of a KMIP server, and creates that key unless the master key names one. The driver encrypts
// with secret data that the server hands out, or delegates the encryption to the server, whose key then never leaves it.
//
// Client Side Encryption, "masterKey".
func (s *Service) wrapKMIP(ctx context.Context, p *provider, m *masterKey, dek *aead.Key) ([]byte, error) {
	to, err := m.endpoint(kmstable.FieldEndpoint, p.fields.text[kmstable.FieldEndpoint])
	if err != nil {
		return nil, fmt.Errorf("encrypt: the master key of %s: %w", m.id, err)
	}
	if m.fields.text[kmstable.FieldKeyID] == "" {
		made := createKey()
		if !m.fields.flags[kmstable.FieldDelegated] {
			var secret [aead.KeySize]byte
			if _, err := io.ReadFull(s.random, secret[:]); err != nil {
				return nil, err
			}
			made = registerSecret(secret[:])
			clear(secret[:])
		}
		payload, err := s.callKMIP(ctx, p, to, made)
		if err != nil {
			return nil, err
		}
		id, ok := find(payload, kmip.TagUniqueIdentifier)
		if !ok || id.kind != kmip.TypeText || len(id.value) == 0 {
			return nil, errTTLV
		}
		m.fields.text[kmstable.FieldKeyID] = string(id.value)
		if _, err := s.callKMIP(ctx, p, to, requestByID(kmip.OperationActivate, m.fields.text[kmstable.FieldKeyID])); err != nil {
			return nil, err
		}
	}
	if m.fields.flags[kmstable.FieldDelegated] {
		return s.encryptKMIP(ctx, p, to, m.fields.text[kmstable.FieldKeyID], dek)
	}
	secret, err := s.fetchSecretKMIP(ctx, p, to, m.fields.text[kmstable.FieldKeyID])
	if err != nil {
		return nil, err
	}
	defer clear(secret)
	return s.wrapLocally(secret, dek)
}

func (s *Service) unwrapKMIP(ctx context.Context, p *provider, m *masterKey, wrapped []byte) ([]byte, error) {
	to, err := m.endpoint(kmstable.FieldEndpoint, p.fields.text[kmstable.FieldEndpoint])
	if err != nil {
		return nil, fmt.Errorf("encrypt: the master key of %s: %w", m.id, err)
	}
	id := m.fields.text[kmstable.FieldKeyID]
	if id == "" {
		return nil, errors.New("encrypt: the master key: keyId required for KMIP")
	}
	if m.fields.flags[kmstable.FieldDelegated] {
		if len(wrapped) <= aead.IVSize {
			return nil, errors.New("encrypt: the data key is too short for one that a KMIP server encrypted")
		}
		payload, err := s.callKMIP(ctx, p, to, decryptData(id, wrapped[:aead.IVSize], wrapped[aead.IVSize:]))
		if err != nil {
			return nil, err
		}
		return findField(payload, kmip.TagData)
	}
	secret, err := s.fetchSecretKMIP(ctx, p, to, id)
	if err != nil {
		return nil, err
	}
	defer clear(secret)
	return unwrapLocally(secret, wrapped)
}

// encryptKMIP has the server encrypt a data key. The result begins with the initialization vector.
func (s *Service) encryptKMIP(ctx context.Context, p *provider, to endpoint, id string, dek *aead.Key) ([]byte, error) {
	payload, err := s.callKMIP(ctx, p, to, encryptData(id, dek.Material()))
	if err != nil {
		return nil, err
	}
	data, err := findField(payload, kmip.TagData)
	if err != nil {
		return nil, err
	}
	iv, err := findField(payload, kmip.TagIVCounterNonce)
	if err != nil || len(iv) != aead.IVSize {
		return nil, errTTLV
	}
	return append(iv[:len(iv):len(iv)], data...), nil
}

// fetchSecretKMIP fetches secret data. The caller wipes it.
func (s *Service) fetchSecretKMIP(ctx context.Context, p *provider, to endpoint, id string) ([]byte, error) {
	payload, err := s.callKMIP(ctx, p, to, requestByID(kmip.OperationGet, id))
	if err != nil {
		return nil, err
	}
	secret, err := findField(payload, kmip.TagSecretData, kmip.TagKeyBlock, kmip.TagKeyValue, kmip.TagKeyMaterial)
	if err == nil && len(secret) != aead.KeySize {
		return nil, fmt.Errorf("encrypt: the secret data of the KMIP server must be %d bytes, not %d", aead.KeySize, len(secret))
	}
	return secret, err
}

func findField(payload []byte, path ...uint32) ([]byte, error) {
	i, ok := find(payload, path...)
	if !ok || i.kind != kmip.TypeBytes {
		return nil, errTTLV
	}
	return i.value, nil
}

// callKMIP sends one message on a connection of its own and returns the payload of the answer. It does not retry: the
// server may have created a key.
func (s *Service) callKMIP(ctx context.Context, p *provider, to endpoint, message []byte) ([]byte, error) {
	var answer []byte
	err := s.exchange(ctx, p.id, to, message, func(r *bufio.Reader) error {
		var err error
		answer, err = readItem(r)
		return err
	})
	clear(message) // it may hold a key
	if err != nil {
		return nil, fmt.Errorf("encrypt: a request to the KMS provider %s at %s: %w", p.id, to.address(), err)
	}
	return parseResponse(answer)
}

// readItem reads one item with everything inside. Its length is checked before anything is allocated for it.
func readItem(r *bufio.Reader) ([]byte, error) {
	head, err := r.Peek(8)
	if err != nil {
		return nil, err
	}
	length := uint64(binary.BigEndian.Uint32(head[4:])) + 8
	if length > kmstable.MaxAnswerSize {
		return nil, errors.New("KMS KMIP response too large")
	}
	b := make([]byte, length)
	_, err = io.ReadFull(r, b)
	return b, err
}

// parseResponse finds the payload of an answer, or the error that the server reports.
func parseResponse(answer []byte) ([]byte, error) {
	batch, ok := find(answer, kmip.TagResponseMessage, kmip.TagBatchItem)
	if !ok || batch.kind != kmip.TypeStructure {
		return nil, errTTLV
	}
	status, _ := find(batch.value, kmip.TagResultStatus)
	code, ok := status.number()
	if !ok {
		return nil, errTTLV
	}
	if code != kmip.StatusSuccess {
		return nil, resultError(batch.value, code)
	}
	payload, ok := find(batch.value, kmip.TagResponsePayload)
	if !ok || payload.kind != kmip.TypeStructure {
		return nil, errTTLV
	}
	return payload.value, nil
}

func resultError(batch []byte, code uint32) error {
	i, _ := find(batch, kmip.TagResultReason)
	reason, _ := i.number()
	message, _ := find(batch, kmip.TagResultMessage)
	return fmt.Errorf("encrypt: KMIP response error: result status (%d): %s, result reason (%d): %s, result message: %.256q",
		code, kmip.StatusText(code), reason, kmip.ReasonText(reason), message.value)
}
