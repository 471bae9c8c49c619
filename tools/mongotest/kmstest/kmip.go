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

	"github.com/specdrivers/onion/generated/core/kmip"
)

// Reasons of failures that clients do not distinguish. KMIP Specification 1.2, "Result Reason Enumeration".
const reasonNotSupported, reasonInvalidField, reasonPermission, reasonGeneral = 5, 7, 12, 0x100

var operationNames = map[uint32]string{
	kmip.OperationCreate: "Create", kmip.OperationRegister: "Register", kmip.OperationGet: "Get",
	kmip.OperationActivate: "Activate", kmip.OperationEncrypt: "Encrypt", kmip.OperationDecrypt: "Decrypt",
}

// secret is an object on a KMIP server.
type secret struct {
	data   []byte
	key    bool // it is a key that never leaves the server
	active bool
}

// Secret stores secret data of 96 bytes on the KMIP server.
func Secret(id string, data []byte) Option {
	return func(s *Server) { s.secrets[id] = &secret{data: bytes.Clone(data), active: true} }
}

// SymmetricKey stores a key of 32 bytes on the KMIP server. The server encrypts with it and never returns it.
func SymmetricKey(id string, key []byte) Option {
	return func(s *Server) { s.secrets[id] = &secret{data: bytes.Clone(key), key: true, active: true} }
}

// refusal says why an operation failed.
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
	if err != nil || request.tag != kmip.TagRequestMessage {
		return false
	}
	batch := request.find(kmip.TagBatchItem)
	operation := batch.find(kmip.TagOperation).number()
	f := s.takeFault(host, operationNames[operation])
	if f != nil && f.status == 0 {
		f.wait(r)
		return false
	}
	var payload []item
	refused := &refusal{reasonGeneral, "injected"}
	if f == nil {
		payload, refused = s.runKMIP(operation, batch.find(kmip.TagRequestPayload))
	}
	result := []item{enumeration(kmip.TagOperation, operation)}
	if refused != nil {
		result = append(result, enumeration(kmip.TagResultStatus, kmip.StatusOperationFailed),
			enumeration(kmip.TagResultReason, refused.reason), text(kmip.TagResultMessage, refused.message))
	} else {
		result = append(result, enumeration(kmip.TagResultStatus, kmip.StatusSuccess),
			structure(kmip.TagResponsePayload, payload...))
	}
	now := item{tag: kmip.TagTimeStamp, kind: kmip.TypeDateTime, value: binary.BigEndian.AppendUint64(nil, uint64(time.Now().Unix()))}
	version := structure(kmip.TagProtocolVersion,
		integer(kmip.TagProtocolVersionMajor, kmip.TypeInteger, 1), integer(kmip.TagProtocolVersionMinor, kmip.TypeInteger, 2))
	answer := structure(kmip.TagResponseMessage,
		structure(kmip.TagResponseHeader, version, now, integer(kmip.TagBatchCount, kmip.TypeInteger, 1)),
		structure(kmip.TagBatchItem, result...))
	_, err = w.Write(answer.bytes())
	return err == nil
}

// runKMIP runs an operation.
func (s *Server) runKMIP(operation uint32, payload item) ([]item, *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch operation {
	case kmip.OperationRegister:
		data := payload.find(kmip.TagSecretData, kmip.TagKeyBlock, kmip.TagKeyValue, kmip.TagKeyMaterial).value
		if payload.find(kmip.TagObjectType).number() != kmip.ObjectSecretData || len(data) == 0 {
			return nil, &refusal{reasonInvalidField, "there is no secret data"}
		}
		return s.keep(&secret{data: bytes.Clone(data)}), nil
	case kmip.OperationCreate:
		if payload.find(kmip.TagObjectType).number() != kmip.ObjectSymmetricKey || !asksForAES(payload.find(kmip.TagTemplateAttribute)) {
			return nil, &refusal{reasonInvalidField, "only symmetric keys for AES of 256 bits that encrypt and decrypt can be made"}
		}
		key := make([]byte, kmip.AESBits/8)
		must(rand.Read(key))
		return s.keep(&secret{data: key, key: true}), nil
	}
	id := string(payload.find(kmip.TagUniqueIdentifier).value)
	kept := s.secrets[id]
	if kept == nil {
		return nil, &refusal{kmip.ReasonItemNotFound, "Could not locate object: " + id}
	}
	found := text(kmip.TagUniqueIdentifier, id)
	switch operation {
	case kmip.OperationActivate:
		if kept.active {
			return nil, &refusal{reasonPermission, "The object is active already."}
		}
		kept.active = true
		return []item{found}, nil
	case kmip.OperationGet:
		if kept.key {
			return nil, &refusal{reasonPermission, "The key may not leave the server."}
		}
		block := structure(kmip.TagKeyBlock, enumeration(kmip.TagKeyFormatType, kmip.KeyFormatOpaque),
			structure(kmip.TagKeyValue, octets(kmip.TagKeyMaterial, kept.data)))
		return []item{enumeration(kmip.TagObjectType, kmip.ObjectSecretData), found,
			structure(kmip.TagSecretData, enumeration(kmip.TagSecretDataType, kmip.SecretDataSeed), block)}, nil
	case kmip.OperationEncrypt, kmip.OperationDecrypt:
		if !kept.key || !kept.active {
			return nil, &refusal{reasonPermission, "The object is no active key."}
		}
		return kept.crypt(operation, found, payload)
	}
	return nil, &refusal{reasonNotSupported, "The operation is not supported."}
}

// asksForAES reports whether attributes describe the only kind of key that the server creates.
func asksForAES(template item) bool {
	want := map[string]uint32{
		"Cryptographic Algorithm": kmip.AlgorithmAES, "Cryptographic Length": kmip.AESBits,
		"Cryptographic Usage Mask": kmip.UsageEncryptDecrypt,
	}
	for _, attribute := range template.items {
		name := string(attribute.find(kmip.TagAttributeName).value)
		if attribute.tag != kmip.TagAttribute || attribute.find(kmip.TagAttributeValue).number() != want[name] {
			return false
		}
		delete(want, name)
	}
	return len(want) == 0
}

// asksForCBC reports whether parameters name the only mode that the server supports. A client that encrypts lets the
// server choose the initialization vector.
func asksForCBC(payload item, encrypts bool) bool {
	p := payload.find(kmip.TagCryptographicParameters)
	random := p.find(kmip.TagRandomIV).value
	return p.find(kmip.TagBlockCipherMode).number() == kmip.ModeCBC && p.find(kmip.TagPaddingMethod).number() == kmip.PaddingPKCS5 &&
		p.find(kmip.TagCryptographicAlgorithm).number() == kmip.AlgorithmAES && (!encrypts || len(random) == 8 && random[7] == 1)
}

// keep stores a secret under a new identifier.
func (s *Server) keep(one *secret) []item {
	s.nextID++
	id := strconv.Itoa(s.nextID)
	s.secrets[id] = one
	return []item{text(kmip.TagUniqueIdentifier, id)}
}

// crypt encrypts or decrypts with AES-256-CBC and PKCS #5 padding.
func (k *secret) crypt(operation uint32, id, payload item) ([]item, *refusal) {
	if !asksForCBC(payload, operation == kmip.OperationEncrypt) {
		return nil, &refusal{reasonInvalidField, "only AES-CBC with PKCS #5 padding is supported"}
	}
	block := must(aes.NewCipher(k.data))
	data, iv := bytes.Clone(payload.find(kmip.TagData).value), payload.find(kmip.TagIVCounterNonce).value
	if operation == kmip.OperationEncrypt {
		iv = make([]byte, aes.BlockSize)
		must(rand.Read(iv))
		n := aes.BlockSize - len(data)%aes.BlockSize
		data = append(data, bytes.Repeat([]byte{byte(n)}, n)...)
		cipher.NewCBCEncrypter(block, iv).CryptBlocks(data, data)
		return []item{id, octets(kmip.TagData, data), octets(kmip.TagIVCounterNonce, iv)}, nil
	}
	if len(iv) != aes.BlockSize || len(data) == 0 || len(data)%aes.BlockSize != 0 {
		return nil, &refusal{reasonInvalidField, "The data are not whole blocks."}
	}
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(data, data)
	n := int(data[len(data)-1])
	if n == 0 || n > aes.BlockSize || !bytes.Equal(data[len(data)-n:], bytes.Repeat([]byte{byte(n)}, n)) {
		return nil, &refusal{reasonInvalidField, "The padding is wrong."}
	}
	return []item{id, octets(kmip.TagData, data[:len(data)-n])}, nil
}
