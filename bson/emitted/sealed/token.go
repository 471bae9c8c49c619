package sealed

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// Token is a key derived from a data key. A server that has a token can do only what the token is for.
type Token [32]byte

// TokenKey is the part of a data key that all tokens derive from: its last 32 bytes.
type TokenKey [32]byte

// Derive returns the token of a message.
func (t Token) Derive(message []byte) Token {
	mac := hmac.New(sha256.New, t[:])
	mac.Write(message)
	var out Token
	mac.Sum(out[:0])
	return out
}

// Root is a token from which many others derive. It does the work that they share only once. Only one goroutine may use
// it.
type Root struct{ mac hash.Hash }

// Root prepares a token from which many others derive.
func (t Token) Root() Root { return Root{hmac.New(sha256.New, t[:])} }

// Derive does the same as the token's Derive.
func (r Root) Derive(message []byte) (out Token) {
	r.mac.Reset()
	r.mac.Write(message)
	r.mac.Sum(out[:0])
	return out
}

// Tag returns the tag that the count-th insert of a value adds to __safeContent__. t is an EDCTwiceDerivedToken.
func (t Token) Tag(count uint64) Token { return t.Derive(Number(count)) }

// Position returns the _id of the count-th document of a value in the state collection. t is an ESCTwiceDerivedTagToken.
func (t Token) Position(count uint64) Token { return t.Derive(Number(count)) }

// Anchor returns the _id of the n-th anchor of a value in the state collection, or with 0 the _id of its null anchor. t
// is an ESCTwiceDerivedTagToken.
func (t Token) Anchor(n uint64) Token { return t.Derive(append(Number(0), Number(n)...)) }

// Number is the message of a constant, a count or a contention factor: 8 bytes, little endian.
func Number(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }

// Padding is the message of the root of padding tokens.
func Padding() []byte { return make([]byte, 17) }
