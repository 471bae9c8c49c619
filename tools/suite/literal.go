package suite

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"github.com/specdrivers/onion/bson"
)

// ObjectID returns the object identifier with the given hexadecimal digits.
func ObjectID(digits string) bson.ObjectID {
	return must(bson.ObjectIDFromHex(digits))
}

// Decimal returns the decimal number that the text means.
func Decimal(text string) bson.Decimal128 {
	return must(bson.ParseDecimal128(text))
}

// UUID returns the binary value of the given text of a UUID.
func UUID(text string) bson.Binary {
	u := must(bson.ParseUUID(text))
	return bson.Binary{Subtype: 4, Data: u[:]}
}

// Binary is binary data written in base64.
func Binary(subtype byte, text string) bson.Binary {
	return bson.Binary{Subtype: subtype, Data: must(base64.StdEncoding.DecodeString(text))}
}

// KeyID returns the identifier of a data key, written in base64.
func KeyID(text string) bson.UUID {
	return bson.UUID(must(base64.StdEncoding.DecodeString(text)))
}

// Bytes is data written in hexadecimal.
func Bytes(digits string) []byte {
	return must(hex.DecodeString(digits))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("suite: a compiled literal is wrong: %v", err))
	}
	return v
}
