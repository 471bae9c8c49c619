//go:build !purego

package bson

import (
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// TestAnyLayout checks that address.go assumes the layout that the runtime gives an any.
func TestAnyLayout(t *testing.T) {
	text, number, list := "text", int32(-5), D{{"a", 1}}
	tests := []struct{ got, want any }{
		{makeAny(wordString, dataWord(text)), text},
		{makeAny(wordInt32, dataWord(number)), number},
		{makeAny(wordD, dataWord(list)), list},
		{(&codec{pointerType: typeWordOf(&number)}).pointerTo(dataWord(&number)), &number},
	}
	for _, test := range tests {
		if !reflect.DeepEqual(test.got, test.want) || reflect.TypeOf(test.got) != reflect.TypeOf(test.want) {
			t.Errorf("got %#v, want %#v", test.got, test.want)
		}
	}
}

// TestValuesInPlace decodes each type that may stay in its document, at every distance from an even address.
func TestValuesInPlace(t *testing.T) {
	for shift := range 8 {
		values := []any{
			true, false, int32(-5), int64(-1 << 40), 1.5, math.Inf(-1), DateTime(-7), ObjectID{1, 2, 11: 12},
			NewDecimal128(0x3040<<48, 1<<63+5),
		}
		want := D{{Key: strings.Repeat("k", shift), Value: int32(1)}}
		for i, v := range values {
			want = append(want, E{Key: strconv.Itoa(i), Value: v})
		}
		want = append(want, E{Key: "list", Value: A(values)})
		raw := mustMarshal(t, want)
		var got D
		m := M{}
		if err := errors.Join(Unmarshal(raw, &got), Unmarshal(raw, &m)); err != nil {
			t.Fatal(err)
		}
		clear(raw) // decoded values must not depend on it
		seen := map[any]bool{}
		for i, e := range want {
			if !reflect.DeepEqual(got[i], e) || !reflect.DeepEqual(m[e.Key], e.Value) {
				t.Errorf("shifted by %d: got %#v and %#v, want %#v", shift, got[i], m[e.Key], e)
			}
			if e.Key != "list" {
				seen[got[i].Value] = true
			}
		}
		for _, v := range values {
			if !seen[v] {
				t.Errorf("shifted by %d: %#v does not equal itself as the key of a map", shift, v)
			}
		}
	}
}

// TestBooleanInPlace decodes a byte that no Go bool may hold.
func TestBooleanInPlace(t *testing.T) {
	for _, into := range []any{new(D), new(M), new(any)} {
		err := Unmarshal([]byte("\x09\x00\x00\x00\x08b\x00\x02\x00"), into)
		if failed, ok := errors.AsType[*DecodeError](err); !ok || failed.Path != "b" || !errors.Is(err, ErrMalformed) {
			t.Errorf("%T: %v", into, err)
		}
	}
}
