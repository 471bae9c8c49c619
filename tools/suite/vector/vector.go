package vector

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/suite"
)

// Vector is a vector as a case describes it. The numbers need not fit the type: that is what some cases are about.
type Vector struct {
	dtype   bson.VectorType
	padding int
	numbers []float64
}

// Of returns the vector of some numbers.
func Of(dtype bson.VectorType, padding int, numbers ...float64) Vector {
	return Vector{dtype, padding, numbers}
}

// EncodesTo checks that a document of the vector is the given BSON.
func (v Vector) EncodesTo(t *testing.T, key, canonical string) {
	t.Helper()
	made, err := v.make()
	if err != nil {
		t.Fatalf("make the vector: %v", err)
	}
	doc, err := bson.Marshal(bson.D{{Key: key, Value: made}})
	if err != nil {
		t.Fatalf("marshal the vector: %v", err)
	}
	if want := suite.Bytes(canonical); !bytes.Equal(doc, want) {
		t.Errorf("marshaled to %X, want %X", []byte(doc), want)
	}
}

// DecodesFrom checks that the vector is what a document of BSON holds.
func (v Vector) DecodesFrom(t *testing.T, key, canonical string) {
	t.Helper()
	got, err := decode(key, canonical)
	if err != nil {
		t.Fatal(err)
	}
	if _, padding, _ := got.PackedBitOK(); got.Type() != v.dtype || int(padding) != v.padding {
		t.Errorf("decoded a %v with padding %d, want a %v with padding %d", got.Type(), padding, v.dtype, v.padding)
	}
	if numbers := elements(got); !slices.EqualFunc(numbers, v.numbers, v.isSame) {
		t.Errorf("decoded %v, want %v", numbers, v.numbers)
	}
}

// DoesNotEncode checks that no vector can be made of the numbers, or that it cannot be marshaled. A number that the Go
// type of the elements does not hold cannot reach the encoder at all.
func (v Vector) DoesNotEncode(t *testing.T) {
	t.Helper()
	made, err := v.make()
	if err != nil {
		return
	}
	if doc, err := bson.Marshal(bson.D{{Key: "v", Value: made}}); err == nil {
		t.Errorf("marshaled to %X, want an error", []byte(doc))
	}
}

// DoesNotDecode checks that a document of BSON holds no vector.
func DoesNotDecode(t *testing.T, key, canonical string) {
	t.Helper()
	if v, err := decode(key, canonical); err == nil {
		t.Errorf("decoded %v, want an error", elements(v))
	}
}

// make returns the vector that the driver makes of the description.
func (v Vector) make() (bson.Vector, error) {
	if v.dtype == bson.VectorPackedBit {
		data, err := integers[byte](v.numbers, 0, math.MaxUint8)
		if err != nil {
			return bson.Vector{}, err
		}
		return bson.NewPackedBitVector(data, uint8(v.padding))
	}
	data := []byte{byte(v.dtype), byte(v.padding)}
	switch v.dtype {
	case bson.VectorInt8:
		numbers, err := integers[int8](v.numbers, math.MinInt8, math.MaxInt8)
		if err != nil {
			return bson.Vector{}, err
		}
		if v.padding == 0 {
			return bson.NewInt8Vector(numbers), nil
		}
		for _, n := range numbers {
			data = append(data, byte(n))
		}
	case bson.VectorFloat32:
		numbers := make([]float32, len(v.numbers))
		for i, n := range v.numbers {
			numbers[i] = float32(n)
		}
		if v.padding == 0 {
			return bson.NewFloat32Vector(numbers), nil
		}
		data = append(data, bson.NewFloat32Vector(numbers).Binary().Data[2:]...)
	}
	// The constructors of these types take no padding; only bytes can ask for one.
	return bson.ParseVector(data)
}

func integers[T byte | int8](numbers []float64, low, high float64) ([]T, error) {
	out := make([]T, len(numbers))
	for i, n := range numbers {
		if n != math.Trunc(n) || n < low || n > high {
			return nil, fmt.Errorf("%v is no %T", n, out[i])
		}
		out[i] = T(n)
	}
	return out, nil
}

func decode(key, canonical string) (bson.Vector, error) {
	var doc map[string]bson.Vector
	if err := bson.Unmarshal(suite.Bytes(canonical), &doc); err != nil {
		return bson.Vector{}, fmt.Errorf("unmarshal the vector: %w", err)
	}
	v, ok := doc[key]
	if !ok {
		return bson.Vector{}, fmt.Errorf("the document has no %q", key)
	}
	return v, nil
}

// elements returns the numbers of a vector, bytes for packed bits.
func elements(v bson.Vector) []float64 {
	var out []float64
	if numbers, ok := v.Int8OK(); ok {
		for _, n := range numbers {
			out = append(out, float64(n))
		}
	} else if numbers, ok := v.Float32OK(); ok {
		for _, n := range numbers {
			out = append(out, float64(n))
		}
	} else if data, _, ok := v.PackedBitOK(); ok {
		for _, b := range data {
			out = append(out, float64(b))
		}
	}
	return out
}

// isSame compares an element with the number of the case, at the precision of the type.
func (v Vector) isSame(got, want float64) bool {
	if v.dtype == bson.VectorFloat32 {
		return math.Float32bits(float32(got)) == math.Float32bits(float32(want))
	}
	return got == want
}
