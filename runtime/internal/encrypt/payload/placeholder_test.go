package payload

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/encryption"
)

func TestContentionFactors(t *testing.T) {
	numbers := func(n ...uint64) *bytes.Reader {
		var b []byte
		for _, v := range n {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
		return bytes.NewReader(b)
	}
	for name, tt := range map[string]struct {
		largest int64
		random  *bytes.Reader
		want    int64
	}{
		"one factor draws nothing": {0, numbers(), 0},
		"one of two":               {1, numbers(7), 1},
		"the remainder":            {8, numbers(25), 7},
		"numbers that would make some factors likelier are skipped": {8, numbers(6, 7), 7},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := drawContention(tt.random, tt.largest); err != nil || got != tt.want || tt.random.Len() != 0 {
				t.Errorf("drew %d, %v, and left %d bytes", got, err, tt.random.Len())
			}
		})
	}
	for _, n := range []int64{-1, math.MaxInt64} {
		if checkContention(n) == nil {
			t.Errorf("a contention of %d was accepted", n)
		}
	}
}

// rangeFind makes the value of a placeholder that searches an index of ints from 0 to 200.
func rangeFind(lower, upper bson.RawValue, lowerIncluded, upperIncluded bool) bson.RawValue {
	f := encryption.RangeFind{FirstOperator: int32(encryption.OperatorGreater), Edges: &encryption.RangeEdges{
		LowerBound: lower, UpperBound: upper, LowerIncluded: lowerIncluded, UpperIncluded: upperIncluded,
		IndexMin: valueOf(int32(0)), IndexMax: valueOf(int32(200)),
	}}
	return bson.RawValue{Type: 3, Value: f.Append(nil)}
}

func rangeInsert(f encryption.RangeInsert) bson.RawValue {
	return bson.RawValue{Type: 3, Value: f.Append(nil)}
}

func TestPlaceholdersThatAreRefused(t *testing.T) {
	id := bson.UUID(unhex(t, "12345678123498761234123456789012"))
	number := func(n int32) bson.RawValue { return valueOf(n) }
	zero := int64(0)
	for name, tt := range map[string]struct {
		p    encryption.Placeholder
		want string
	}{
		"null in an equality index":               {encryption.Placeholder{Intent: encryption.IntentInsert, Algorithm: encryption.AlgorithmEquality, Value: valueOf(nil)}, "BSON type invalid for encryption: null"},
		"nothing":                                 {encryption.Placeholder{Intent: 1, Algorithm: 1, Value: valueOf(nil)}, "BSON type invalid for encryption: null"},
		"an encrypted value":                      {encryption.Placeholder{Intent: 1, Algorithm: 1, Value: valueOf(bson.Binary{Subtype: 6, Data: []byte{1}})}, "BSON binary subtype 6 is invalid"},
		"an unknown algorithm":                    {encryption.Placeholder{Intent: 1, Algorithm: 9, Value: number(1)}, "unknown algorithm 9"},
		"an unknown intent":                       {encryption.Placeholder{Intent: 3, Algorithm: 2, Value: number(1)}, "unknown intent 3"},
		"a search in an unindexed field":          {encryption.Placeholder{Intent: 2, Algorithm: 1, Value: number(1)}, "cannot be searched"},
		"a negative contention":                   {encryption.Placeholder{Intent: 1, Algorithm: 2, MaxContention: -1, Value: number(1)}, "non-negative"},
		"a contention that is too large":          {encryption.Placeholder{Intent: 1, Algorithm: 2, MaxContention: math.MaxInt64, Value: number(1)}, "INT64_MAX"},
		"a range that is not a document":          {encryption.Placeholder{Intent: 1, Algorithm: 3, Value: number(1)}, "does not hold a document"},
		"a text that is not a document":           {encryption.Placeholder{Intent: 1, Algorithm: 4, Value: number(1)}, "does not hold a document"},
		"a sparsity of zero":                      {encryption.Placeholder{Intent: 1, Algorithm: 3, Sparsity: &zero, Value: rangeInsert(encryption.RangeInsert{Value: number(1), Min: number(0), Max: number(9)})}, "sparsity"},
		"a number without bounds":                 {encryption.Placeholder{Intent: 1, Algorithm: 3, Value: rangeInsert(encryption.RangeInsert{Value: number(1)})}, "'min' is required"},
		"a bound of another type":                 {encryption.Placeholder{Intent: 1, Algorithm: 3, Value: rangeInsert(encryption.RangeInsert{Value: number(1), Min: valueOf(int64(1)), Max: number(9)})}, "expected matching 'min' and value type"},
		"a value of a type without ranges":        {encryption.Placeholder{Intent: 1, Algorithm: 3, Value: rangeInsert(encryption.RangeInsert{Value: valueOf("x"), Min: valueOf("a"), Max: valueOf("z")})}, "cannot hold a value of type"},
		"a value outside the index":               {encryption.Placeholder{Intent: 1, Algorithm: 3, Value: rangeInsert(encryption.RangeInsert{Value: number(10), Min: number(0), Max: number(9)})}, "value must be greater than or equal to the minimum value"},
		"a negative precision":                    {encryption.Placeholder{Intent: 1, Algorithm: 3, Value: rangeInsert(encryption.RangeInsert{Value: valueOf(1.5), Precision: new(int32(-1))})}, "non-negative"},
		"a precision without bounds":              {encryption.Placeholder{Intent: 1, Algorithm: 3, Value: rangeInsert(encryption.RangeInsert{Value: valueOf(1.5), Precision: new(int32(1))})}, "required"},
		"a trim factor of as many levels as bits": {encryption.Placeholder{Intent: 1, Algorithm: 3, Value: rangeInsert(encryption.RangeInsert{Value: number(1), Min: number(0), Max: number(7), TrimFactor: new(int32(3))})}, "trim factor"},
		"a range after its index":                 {encryption.Placeholder{Intent: 2, Algorithm: 3, Value: rangeFind(number(200), valueOf(math.Inf(1)), false, true)}, "must be less than the range maximum"},
		"a range before its index":                {encryption.Placeholder{Intent: 2, Algorithm: 3, Value: rangeFind(valueOf(math.Inf(-1)), number(0), true, false)}, "must be greater than the range minimum"},
		"a range that ends before it starts":      {encryption.Placeholder{Intent: 2, Algorithm: 3, Value: rangeFind(number(3), number(2), true, true)}, "range min must be less than or equal to range max"},
		"an empty range":                          {encryption.Placeholder{Intent: 2, Algorithm: 3, Value: rangeFind(number(3), number(3), false, true)}, "range min must be less than or equal to range max"},
		"a range that starts above":               {encryption.Placeholder{Intent: 2, Algorithm: 3, Value: rangeFind(number(201), valueOf(math.Inf(1)), true, true)}, "range m"},
		"a bound that is a text":                  {encryption.Placeholder{Intent: 2, Algorithm: 3, Value: rangeFind(valueOf("a"), number(2), true, true)}, "a bound of a range has type"},
		"a text with a null byte":                 {encryption.Placeholder{Intent: 1, Algorithm: 4, Value: textOf("a\x00", encryption.TextPlaceholder{})}, "null byte"},
		"an empty substring":                      {encryption.Placeholder{Intent: 2, Algorithm: 4, Value: textOf("", encryption.TextPlaceholder{Substring: &encryption.Substring{MaxLength: 9, Upper: 9, Lower: 1}})}, "cannot be empty"},
	} {
		t.Run(name, func(t *testing.T) {
			tt.p.IndexKeyID, tt.p.UserKeyID = id, id
			if got, err := seal(t, tt.p, rand.Reader); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("made %x, %v, want %q", got, err, tt.want)
			}
		})
	}
}

// The terms of a range query match the terms in the index exactly where the values match.
func TestRangesMeetTheirValues(t *testing.T) {
	id := bson.UUID(unhex(t, "12345678123498761234123456789012"))
	for _, v := range []int32{0, 1, 99, 100, 199, 200} {
		insert, err := seal(t, encryption.Placeholder{Intent: 1, Algorithm: 3, IndexKeyID: id, UserKeyID: id,
			Value: rangeInsert(encryption.RangeInsert{Value: valueOf(v), Min: valueOf(int32(0)), Max: valueOf(int32(200))})}, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if opened, err := Open(insert, lookup(t)); err != nil || !opened.Equal(valueOf(v)) {
			t.Errorf("%d opened as %v, %v", v, opened, err)
		}
		p, err := encryption.ParseInsertUpdate(insert)
		if err != nil {
			t.Fatal(err)
		}
		for name, tt := range map[string]struct {
			spec bson.RawValue
			want bool
		}{
			"> 99":       {rangeFind(valueOf(int32(99)), valueOf(math.Inf(1)), false, true), v > 99},
			">= 100":     {rangeFind(valueOf(int32(100)), valueOf(math.Inf(1)), true, false), v >= 100},
			"< 100":      {rangeFind(valueOf(math.Inf(-1)), valueOf(int32(100)), false, false), v < 100},
			"[1, 199]":   {rangeFind(valueOf(int32(1)), valueOf(int32(199)), true, true), v >= 1 && v <= 199},
			"everything": {rangeFind(valueOf(math.Inf(-1)), valueOf(math.Inf(1)), true, true), true},
		} {
			find, err := seal(t, encryption.Placeholder{Intent: 2, Algorithm: 3, IndexKeyID: id, UserKeyID: id, Value: tt.spec}, nil)
			if err != nil {
				t.Fatal(name, err)
			}
			q, err := encryption.ParseFindRange(find)
			if err != nil {
				t.Fatal(name, err)
			}
			if got := anyMeets(p.Edges, q.Tokens.Edges); got != tt.want {
				t.Errorf("%d %s: %v", v, name, got)
			}
		}
	}
}

func anyMeets(stored []encryption.TokenSet, sought []encryption.FindTokens) bool {
	for _, s := range stored {
		for _, f := range sought {
			if s.Server == f.Server {
				return true
			}
		}
	}
	return false
}

// Sealing any placeholder neither hangs nor panics, and what it yields is one of the payloads.
func FuzzSeal(f *testing.F) {
	known := lookup(f)
	id := bson.UUID(unhex(f, "12345678123498761234123456789012"))
	for _, p := range []encryption.Placeholder{
		{Intent: 1, Algorithm: 2, Value: valueOf(int32(1))},
		{Intent: 1, Algorithm: 3, Value: rangeInsert(encryption.RangeInsert{Value: valueOf(1.5), Min: valueOf(0.0), Max: valueOf(9.0), Precision: new(int32(2))})},
		{Intent: 2, Algorithm: 3, Value: rangeFind(valueOf(int32(1)), valueOf(int32(2)), true, false)},
		{Intent: 1, Algorithm: 4, Value: textOf("abc", encryption.TextPlaceholder{Substring: &encryption.Substring{MaxLength: 10, Upper: 5, Lower: 2}})},
		{Intent: 2, Algorithm: 4, Value: textOf("abc", encryption.TextPlaceholder{Prefix: &encryption.Affix{Upper: 5, Lower: 2}})},
	} {
		p.IndexKeyID, p.UserKeyID = id, id
		f.Add(p.Append(nil))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		out, err := Seal(value, known, rand.Reader)
		if err != nil {
			return
		}
		if p := encryption.Payload(out[0]); !p.Sent() && !p.Decryptable() {
			t.Errorf("%x became %x", value, out)
		}
	})
}

func TestMarkingsThatAreRefused(t *testing.T) {
	id := bson.UUID(unhex(t, "12345678123498761234123456789012"))
	for name, tt := range map[string]struct {
		algorithm bson.EncryptedKind
		value     any
		want      string
	}{
		"a deterministic boolean":  {bson.EncryptedDeterministic, true, "BSON type invalid for deterministic encryption: bool"},
		"a deterministic double":   {bson.EncryptedDeterministic, 1.5, "BSON type invalid for deterministic encryption: double"},
		"a deterministic document": {bson.EncryptedDeterministic, bson.D{}, "BSON type invalid for deterministic encryption: object"},
		"null":                     {bson.EncryptedRandomized, nil, "BSON type invalid for encryption: null"},
		"minKey":                   {bson.EncryptedRandomized, bson.MinKey{}, "BSON type invalid for encryption: minKey"},
		"an encrypted value":       {bson.EncryptedRandomized, bson.Binary{Subtype: 6, Data: []byte{1}}, "BSON binary subtype 6 is invalid for encryption"},
	} {
		m := marking(t, bson.EncryptionMarking{Value: valueOf(tt.value), Algorithm: tt.algorithm, KeyID: &id})
		if got, err := Seal(m.Data, lookup(t), rand.Reader); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: made %x, %v", name, got, err)
		}
	}
}
