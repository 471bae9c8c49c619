package encryption

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// ErrMalformed reports an encrypted value that has none of the layouts.
var ErrMalformed = errors.New("encrypt: malformed ciphertext")

// Stored is an encrypted value as a document stores it.
type Stored struct {
	Kind  Payload
	KeyID bson.UUID     // the index's key if there is one, otherwise the user's key
	Type  bsontype.Type // of the value inside

	// Ciphertext is the value, encrypted with the user's key. The server encrypts an indexed value a second time.
	Ciphertext []byte
	// Blocks has a metadata block of 96 bytes for each tag of an indexed value.
	Blocks []byte
	// Substrings and Suffixes count the blocks of a text that are for substrings and for suffixes.
	Substrings, Suffixes uint32
}

// Header is the first byte, the id of a key and the type of the value.
const Header = 1 + 16 + 1

// blockSize is the length of a metadata block: an encrypted count, a tag, and encrypted zeros, each of 32 bytes.
const blockSize = 96

// ParseStored splits an encrypted value into its parts. The result shares its bytes. It refuses kinds that a driver
// does not decrypt.
func ParseStored(value []byte) (Stored, error) {
	if len(value) < Header+1 {
		return Stored{}, ErrMalformed
	}
	s := Stored{Kind: Payload(value[0]), KeyID: bson.UUID(value[1:17]), Type: bsontype.Type(value[17])}
	rest := value[Header:]
	switch s.Kind {
	case FLE1DeterministicEncryptedValue, FLE1RandomEncryptedValue, FLE2UnindexedEncryptedValue, FLE2UnindexedEncryptedValueV2:
		s.Ciphertext = rest
		return s, nil
	case FLE2IndexedEqualityEncryptedValueV2:
		return s.split(rest, 1)
	case FLE2IndexedRangeEncryptedValueV2:
		return s.split(rest[1:], uint64(rest[0]))
	case FLE2IndexedTextEncryptedValue:
		if len(rest) < 12 {
			return Stored{}, ErrMalformed
		}
		count := uint64(binary.LittleEndian.Uint32(rest))
		s.Substrings, s.Suffixes = binary.LittleEndian.Uint32(rest[4:]), binary.LittleEndian.Uint32(rest[8:])
		if count == 0 || uint64(s.Substrings)+uint64(s.Suffixes) > count-1 {
			return Stored{}, ErrMalformed
		}
		return s.split(rest[12:], count)
	}
	return Stored{}, fmt.Errorf("encrypt: a driver does not open a value of the kind %v", s.Kind)
}

// split separates what the server encrypted from the blocks that follow it.
func (s Stored) split(rest []byte, blocks uint64) (Stored, error) {
	if blocks == 0 || blocks > uint64(len(rest))/blockSize {
		return Stored{}, ErrMalformed
	}
	at := len(rest) - int(blocks)*blockSize
	if at <= IVSize {
		return Stored{}, ErrMalformed
	}
	s.Ciphertext, s.Blocks = rest[:at], rest[at:]
	return s, nil
}

// Indexed reports whether the value has an index. Decrypting an indexed value takes two keys.
func (s *Stored) Indexed() bool { return s.Blocks != nil }

// Append appends the value.
func (s *Stored) Append(dst []byte) []byte {
	dst = append(append(append(dst, byte(s.Kind)), s.KeyID[:]...), byte(s.Type))
	switch count := len(s.Blocks) / blockSize; s.Kind {
	case FLE2IndexedRangeEncryptedValueV2:
		dst = append(dst, byte(count))
	case FLE2IndexedTextEncryptedValue:
		dst = binary.LittleEndian.AppendUint32(dst, uint32(count))
		dst = binary.LittleEndian.AppendUint32(dst, s.Substrings)
		dst = binary.LittleEndian.AppendUint32(dst, s.Suffixes)
	}
	return append(append(dst, s.Ciphertext...), s.Blocks...)
}

// AddBlock adds a metadata block: the count under which the server inserted an edge or text, and its contention factor.
// server is the ServerDerivedFromDataToken; the two initialization vectors are for the two things that it encrypts.
func (s *Stored) AddBlock(server, tag Token, count uint64, contention int64, ivs [2][IVSize]byte) {
	numbers := append(number(count), number(uint64(contention))...)
	s.Blocks = ServerCountAndContentionFactorEncryptionToken(server).Seal(s.Blocks, ivs[0], numbers)
	s.Blocks = append(s.Blocks, tag[:]...)
	s.Blocks = ServerZerosEncryptionToken(server).Seal(s.Blocks, ivs[1], make([]byte, 16))
}

// Tags returns the tags of an indexed value. The document's __safeContent__ holds them, too.
func (s *Stored) Tags() []Token {
	var out []Token
	for rest := s.Blocks; len(rest) >= blockSize; rest = rest[blockSize:] {
		out = append(out, Token(rest[32:64]))
	}
	return out
}
