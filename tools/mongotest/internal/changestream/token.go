package changestream

import (
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// Token is a decoded resume token. Tokens sort in the order of their keys.
type Token struct {
	Time       store.Timestamp
	Invalidate bool   // the token belongs to an invalidate event
	HighWater  bool   // the token marks a time, not an event
	Key        string // the bytes of the whole token without the end mark
}

// eventToken is the type of a token that belongs to an event. The token of a time has type 0.
const eventToken = 128

func appendHead(version int32, at store.Timestamp, kind, index int64, invalidate bool) []byte {
	format := int64(1) // the token's format
	if version >= wire.Server60 {
		format = 2
	}
	key := appendKey(nil, value.Timestamp(at.T(), at.I()))
	key = appendInteger(appendInteger(appendInteger(key, format), kind), index)
	return appendKey(key, value.Bool(invalidate))
}

// HighWaterMark returns the token of a time. Everything at that time or later comes after it.
func HighWaterMark(version int32, at store.Timestamp) Token {
	key := appendHead(version, at, 0, 0, false)
	if version >= wire.Server60 {
		key = append(key, markNull)
	}
	return Token{Time: at, HighWater: true, Key: string(key)}
}

// tokenOf returns the token of an event.
func tokenOf(version int32, e *store.Entry, identifier bson.RawValue, invalidate bool) Token {
	key := appendHead(version, e.Time, eventToken, int64(e.Index), invalidate)
	if e.UUID != (bson.UUID{}) {
		key = append(append(key, markBinary, byte(len(e.UUID)), bsontype.BinaryUUID), e.UUID[:]...)
	} else if version >= wire.Server60 {
		key = append(key, markNull)
	}
	if !identifier.IsZero() {
		key = appendKey(key, identifier)
	}
	return Token{Time: e.Time, Invalidate: invalidate, Key: string(key)}
}

// Place compares an event's token with the token of a starting point. after is 1 for an event after the start, and 0
// for the start itself. For a start inside a split event, after is 1 and fragment is the number of parts before it.
func (t Token) Place(start Token) (after, fragment int) {
	rest, within := strings.CutPrefix(start.Key, t.Key)
	switch n, _, ok := readInteger([]byte(rest)); {
	case within && rest == "":
		return 0, 0
	case within && ok:
		return 1, int(n) + 1
	}
	return strings.Compare(t.Key, start.Key), 0
}

// Document returns the token in the form that events and replies use.
func (t Token) Document() bson.Raw { return document(t.Key) }

// Fragment returns the token of one part of a split event.
func (t Token) Fragment(i int) bson.Raw {
	return document(string(appendInteger([]byte(t.Key), int64(i))))
}

func document(key string) bson.Raw {
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendStringElement(d, "_data", strings.ToUpper(hex.EncodeToString([]byte(key+string(rune(markEnd))))))
	return bson.AppendDocumentEnd(d, start)
}

// ParseToken reads a token sent by a client.
func ParseToken(d bson.Raw) (Token, error) {
	data, ok := path.Field(d, "_data").StringOK()
	if !ok {
		return Token{}, status.Errorf(40647, "Bad resume token: _data of missing or of wrong type: %s", status.Text(d))
	}
	b, err := hex.DecodeString(data)
	if err != nil {
		return Token{}, status.Errorf(errcode.FailedToParse, "resume token string was not a valid hex string")
	}
	bad := func() error { return status.Errorf(40649, "Invalid resume token: %s", data) }
	if len(b) < 10 || b[0] != markTimestamp {
		return Token{}, bad()
	}
	t := Token{Time: store.Timestamp(binary.BigEndian.Uint64(b[1:9])), Key: string(b)}
	if b[len(b)-1] == markEnd {
		t.Key = string(b[:len(b)-1])
	}
	var numbers [3]uint64 // version, type, index within a transaction
	rest := b[9:]
	for i := range numbers {
		if numbers[i], rest, ok = readInteger(rest); !ok {
			return Token{}, bad()
		}
	}
	if len(rest) == 0 || rest[0] != markTrue && rest[0] != markFalse {
		return Token{}, bad()
	}
	t.HighWater, t.Invalidate = numbers[1] != eventToken, rest[0] == markTrue
	return t, nil
}

// readInteger reads a non-negative number.
func readInteger(b []byte) (n uint64, rest []byte, ok bool) {
	switch {
	case len(b) == 0 || b[0] < markZero || b[0] > markPositive+7:
		return 0, nil, false
	case b[0] == markZero:
		return 0, b[1:], true
	}
	size := int(b[0]) - markPositive + 1
	if size < 1 || len(b) <= size {
		return 0, nil, false
	}
	for _, digit := range b[1 : size+1] {
		n = n<<8 | uint64(digit)
	}
	return n >> 1, b[size+1:], true
}
