package encrypted

import (
	"fmt"
	"strconv"
	"time"

	"github.com/specdrivers/onion/bson"
)

// encodeBound encodes a bound of a range. It must have the type of the values: an integer is written as the field's type says.
func (f *Field) encodeBound(name string, value any) (bson.RawValue, error) {
	v, err := encode(value)
	if err != nil {
		return v, f.errorf("has the bound %s, which cannot be written: %v", name, err)
	}
	if n, ok := v.AsInt64OK(); ok && v.Type.String() != f.Type {
		switch f.Type {
		case "int":
			if n == int64(int32(n)) {
				return encode(int32(n))
			}
		case "long":
			return encode(n)
		case "double":
			return encode(float64(n))
		}
	}
	if v.Type.String() != f.Type {
		return v, f.errorf("has the bound %s of the type %s: give it the type of the values, %s", name, v.Type, f.Type)
	}
	return v, nil
}

func encode(value any) (bson.RawValue, error) {
	t, data, err := bson.AppendValue(nil, value)
	return bson.RawValue{Type: t, Value: data}, err
}

// parseBound reads a bound in a tag by the BSON type of the field.
func parseBound(bsonType, text string) (any, error) {
	switch bsonType {
	case "int":
		n, err := strconv.ParseInt(text, 10, 32)
		return int32(n), err
	case "long":
		return strconv.ParseInt(text, 10, 64)
	case "double":
		return strconv.ParseFloat(text, 64)
	case "decimal":
		return bson.ParseDecimal128(text)
	case "date":
		for _, layout := range []string{time.RFC3339, time.DateOnly} {
			if at, err := time.Parse(layout, text); err == nil {
				return at, nil
			}
		}
		return nil, fmt.Errorf("write a date as 2006-01-02 or 2006-01-02T15:04:05Z")
	}
	return nil, fmt.Errorf("a range has numbers or dates, not values of the type %q", bsonType)
}
