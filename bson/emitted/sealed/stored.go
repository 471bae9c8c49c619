package sealed

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/form"
)

// ErrMalformed reports an encrypted value that has none of the layouts.
var ErrMalformed = errors.New("encrypt: malformed ciphertext")

// Layout says what follows the type in a stored value.
type Layout uint8

// The layouts of stored values.
const (
	Unopened Layout = iota // a driver does not open the value
	Plain                  // a ciphertext alone
	Block                  // a ciphertext and one metadata block
	Counted                // the number of blocks in one byte, a ciphertext, and the blocks
	Text                   // the numbers of blocks, of substrings and of suffixes, a ciphertext, and the blocks
)

// Kind is the first byte of an encrypted value.
type Kind interface {
	~byte
	Layout() Layout
	String() string
}

// Stored is an encrypted value as a document stores it.
type Stored[K Kind] struct {
	Kind  K
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
const Header = form.CiphertextValueAt

// blockSize is the length of a metadata block: an encrypted count, a tag, and encrypted zeros, each of 32 bytes.
const blockSize = 96

// ParseStored splits an encrypted value into its parts. The result shares its bytes. It refuses kinds that a driver
// does not decrypt.
func ParseStored[K Kind](value []byte) (Stored[K], error) {
	if len(value) < Header+1 {
		return Stored[K]{}, ErrMalformed
	}
	s := Stored[K]{Kind: K(value[form.CiphertextSubtypeAt]),
		KeyID: bson.UUID(value[form.CiphertextKeyIDAt:form.CiphertextTypeAt]), Type: bsontype.Type(value[form.CiphertextTypeAt])}
	rest := value[Header:]
	switch s.Kind.Layout() {
	case Plain:
		s.Ciphertext = rest
		return s, nil
	case Block:
		return s.split(rest, 1)
	case Counted:
		return s.split(rest[1:], uint64(rest[0]))
	case Text:
		if len(rest) < 12 {
			return Stored[K]{}, ErrMalformed
		}
		count := uint64(binary.LittleEndian.Uint32(rest))
		s.Substrings, s.Suffixes = binary.LittleEndian.Uint32(rest[4:]), binary.LittleEndian.Uint32(rest[8:])
		if count == 0 || uint64(s.Substrings)+uint64(s.Suffixes) > count-1 {
			return Stored[K]{}, ErrMalformed
		}
		return s.split(rest[12:], count)
	}
	return Stored[K]{}, fmt.Errorf("encrypt: a driver cannot decrypt a value of the kind %v", s.Kind)
}

// split separates what the server encrypted from the blocks that follow it.
func (s Stored[K]) split(rest []byte, blocks uint64) (Stored[K], error) {
	if blocks == 0 || blocks > uint64(len(rest))/blockSize {
		return Stored[K]{}, ErrMalformed
	}
	at := len(rest) - int(blocks)*blockSize
	if at <= IVSize {
		return Stored[K]{}, ErrMalformed
	}
	s.Ciphertext, s.Blocks = rest[:at], rest[at:]
	return s, nil
}

// Indexed reports whether the value has an index. Decrypting an indexed value takes two keys.
func (s *Stored[K]) Indexed() bool { return s.Blocks != nil }

// Append appends the value.
func (s *Stored[K]) Append(dst []byte) []byte {
	dst = append(append(append(dst, byte(s.Kind)), s.KeyID[:]...), byte(s.Type))
	switch count := len(s.Blocks) / blockSize; s.Kind.Layout() {
	case Counted:
		dst = append(dst, byte(count))
	case Text:
		dst = binary.LittleEndian.AppendUint32(dst, uint32(count))
		dst = binary.LittleEndian.AppendUint32(dst, s.Substrings)
		dst = binary.LittleEndian.AppendUint32(dst, s.Suffixes)
	}
	return append(append(dst, s.Ciphertext...), s.Blocks...)
}

// AddBlock adds a metadata block: the count under which the server inserted an edge or text, and its contention factor. The
// tokens counts and zeros encrypt the two numbers and the zeros; the two initialization vectors are theirs.
func (s *Stored[K]) AddBlock(counts, zeros, tag Token, count uint64, contention int64, ivs [2][IVSize]byte) {
	numbers := append(Number(count), Number(uint64(contention))...)
	s.Blocks = counts.Seal(s.Blocks, ivs[0], numbers)
	s.Blocks = append(s.Blocks, tag[:]...)
	s.Blocks = zeros.Seal(s.Blocks, ivs[1], make([]byte, 16))
}

// Tags returns the tags of an indexed value. The document's __safeContent__ holds them, too.
func (s *Stored[K]) Tags() []Token {
	var out []Token
	for rest := s.Blocks; len(rest) >= blockSize; rest = rest[blockSize:] {
		out = append(out, Token(rest[32:64]))
	}
	return out
}
