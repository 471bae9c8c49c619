package kmstest

import (
	"bufio"
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"io"
	"strconv"
	"time"
)

// Operations, results and objects. KMIP Specification 1.2, "Enumerations".
const (
	opCreate, opRegister, opGet, opActivate, opEncrypt, opDecrypt = 0x01, 0x03, 0x0A, 0x12, 0x1F, 0x20

	reasonNotFound, reasonInvalidMessage, reasonNotSupported, reasonPermission, reasonInvalidField = 1, 4, 5, 12, 7

	objectSymmetricKey, objectSecretData = 2, 7
)

var operationNames = map[uint32]string{
	opCreate: "Create", opRegister: "Register", opGet: "Get", opActivate: "Activate", opEncrypt: "Encrypt", opDecrypt: "Decrypt",
}

// secret is what a KMIP server keeps.
type secret struct {
	data   []byte
	key    bool // it is a key that never leaves the server
	active bool
}

// Secret has the KMIP server keep secret data of 96 bytes.
func Secret(id string, data []byte) Option {
	return func(s *Server) { s.secrets[id] = &secret{data: bytes.Clone(data), active: true} }
}

// SymmetricKey has the KMIP server keep a key of 32 bytes, which it encrypts with and never shows.
func SymmetricKey(id string, key []byte) Option {
	return func(s *Server) { s.secrets[id] = &secret{data: bytes.Clone(key), key: true, active: true} }
}

// refusal is why an operation failed.
type refusal struct {
	reason  uint32
	message string
}

// answerKMIP answers one message, and reports whether the connection stays open.
func (s *Server) answerKMIP(w io.Writer, r *bufio.Reader, host string) bool {
	head := make([]byte, 8)
	if _, err := io.ReadFull(r, head); err != nil {
		return false
	}
	n := binary.BigEndian.Uint32(head[4:])
	if n > maxBody {
		return false
	}
	message := append(head, make([]byte, n)...)
	if _, err := io.ReadFull(r, message[8:]); err != nil {
		return false
	}
	request, _, err := parse(message)
	if err != nil || request.tag != tagRequestMessage {
		return false
	}
	batch := request.find(tagBatchItem)
	operation := batch.find(tagOperation).number()
	if f := s.fault(host, operationNames[operation]); f != nil {
		return false
	}
	payload, refused := s.kmip(operation, batch.find(tagRequestPayload))
	result := []item{integer(tagOperation, typeEnumeration, operation)}
	if refused != nil {
		result = append(result, integer(tagResultStatus, typeEnumeration, 1),
			integer(tagResultReason, typeEnumeration, refused.reason), text(tagResultMessage, refused.message))
	} else {
		result = append(result, integer(tagResultStatus, typeEnumeration, 0), structure(tagResponsePayload, payload...))
	}
	now := item{tag: tagTimeStamp, kind: typeDateTime, value: binary.BigEndian.AppendUint64(nil, uint64(time.Now().Unix()))}
	version := structure(tagProtocolVersion, integer(tagVersionMajor, typeInteger, 1), integer(tagVersionMinor, typeInteger, 2))
	answer := structure(tagResponseMessage,
		structure(tagResponseHeader, version, now, integer(tagBatchCount, typeInteger, 1)), structure(tagBatchItem, result...))
	_, err = w.Write(answer.bytes())
	return err == nil
}

// kmip runs an operation.
func (s *Server) kmip(operation uint32, payload item) ([]item, *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch operation {
	case opRegister:
		data := payload.find(tagSecretData, tagKeyBlock, tagKeyValue, tagKeyMaterial).value
		if payload.find(tagObjectType).number() != objectSecretData || len(data) == 0 {
			return nil, &refusal{reasonInvalidField, "there is no secret data"}
		}
		return s.keep(&secret{data: bytes.Clone(data)}), nil
	case opCreate:
		if payload.find(tagObjectType).number() != objectSymmetricKey {
			return nil, &refusal{reasonInvalidField, "only symmetric keys can be made"}
		}
		key := make([]byte, 32)
		must(rand.Read(key))
		return s.keep(&secret{data: key, key: true}), nil
	}
	id := string(payload.find(tagUniqueIdentifier).value)
	kept := s.secrets[id]
	if kept == nil {
		return nil, &refusal{reasonNotFound, "Could not locate object: " + id}
	}
	found := text(tagUniqueIdentifier, id)
	switch operation {
	case opActivate:
		if kept.active {
			return nil, &refusal{reasonPermission, "The object is active already."}
		}
		kept.active = true
		return []item{found}, nil
	case opGet:
		if kept.key {
			return nil, &refusal{reasonPermission, "The key may not leave the server."}
		}
		block := structure(tagKeyBlock, integer(tagKeyFormatType, typeEnumeration, 2), structure(tagKeyValue, octets(tagKeyMaterial, kept.data)))
		return []item{integer(tagObjectType, typeEnumeration, objectSecretData), found,
			structure(tagSecretData, integer(tagSecretDataType, typeEnumeration, 2), block)}, nil
	case opEncrypt, opDecrypt:
		if !kept.key || !kept.active {
			return nil, &refusal{reasonPermission, "The object is no active key."}
		}
		return kept.crypt(operation, found, payload)
	}
	return nil, &refusal{reasonNotSupported, "The operation is not supported."}
}

// keep stores a secret under a new identifier.
func (s *Server) keep(one *secret) []item {
	s.nextID++
	id := strconv.Itoa(s.nextID)
	s.secrets[id] = one
	return []item{text(tagUniqueIdentifier, id)}
}

// crypt encrypts or decrypts with AES-256-CBC and PKCS #5 padding.
func (k *secret) crypt(operation uint32, id, payload item) ([]item, *refusal) {
	block := must(aes.NewCipher(k.data))
	data, iv := bytes.Clone(payload.find(tagData).value), payload.find(tagIV).value
	if operation == opEncrypt {
		iv = make([]byte, aes.BlockSize)
		must(rand.Read(iv))
		n := aes.BlockSize - len(data)%aes.BlockSize
		data = append(data, bytes.Repeat([]byte{byte(n)}, n)...)
		cipher.NewCBCEncrypter(block, iv).CryptBlocks(data, data)
		return []item{id, octets(tagData, data), octets(tagIV, iv)}, nil
	}
	if len(iv) != aes.BlockSize || len(data) == 0 || len(data)%aes.BlockSize != 0 {
		return nil, &refusal{reasonInvalidField, "The data are not whole blocks."}
	}
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(data, data)
	n := int(data[len(data)-1])
	if n == 0 || n > aes.BlockSize || !bytes.Equal(data[len(data)-n:], bytes.Repeat([]byte{byte(n)}, n)) {
		return nil, &refusal{reasonInvalidField, "The padding is wrong."}
	}
	return []item{id, octets(tagData, data[:len(data)-n])}, nil
}
