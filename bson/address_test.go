//go:build !purego

package bson

import (
	"reflect"
	"testing"
)

// TestAnyLayout checks that address.go knows the layout of an any.
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
