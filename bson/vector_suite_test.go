package bson_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/gen/upstream"
	"github.com/specdrivers/onion/generated/bsontype"
)

// readSuite reads the JSON files of a directory of the checkout into values of type T, by file name.
func readSuite[T any](t *testing.T, path string) map[string]T {
	t.Helper()
	files, err := filepath.Glob(upstream.Path(t, path, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no JSON files in %s: %v", path, err)
	}
	suites := map[string]T{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var suite T
		if err := json.Unmarshal(data, &suite); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		suites[strings.TrimSuffix(filepath.Base(file), ".json")] = suite
	}
	return suites
}

type vectorSuite struct {
	TestKey string `json:"test_key"`
	Tests   []vectorCase
}

type vectorCase struct {
	Description   string
	Valid         bool
	Vector        []any
	DTypeHex      string `json:"dtype_hex"`
	Padding       int
	CanonicalBSON string `json:"canonical_bson"`
}

func TestVectorSuite(t *testing.T) {
	for name, suite := range readSuite[vectorSuite](t, "source/bson-binary-vector/tests") {
		for _, tt := range suite.Tests {
			t.Run(name+"/"+tt.Description, func(t *testing.T) { tt.run(t, suite.TestKey) })
		}
	}
}

func (tt *vectorCase) run(t *testing.T, key string) {
	canonical, err := hex.DecodeString(tt.CanonicalBSON)
	if err != nil {
		t.Fatal(err)
	}
	vector, err := tt.encode()
	if !tt.Valid {
		if tt.Vector != nil && err == nil {
			t.Errorf("encoding succeeds: %v", vector)
		}
		if len(canonical) > 0 {
			if _, data, ok := bson.Raw(canonical).Lookup(key).BinaryOK(); !ok {
				t.Error("the document holds no binary value")
			} else if v, err := bson.ParseVector(data); err == nil {
				t.Errorf("decoding succeeds: %v", v)
			}
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	doc, start := bson.AppendDocumentStart(nil)
	b := vector.Binary()
	doc = bson.AppendDocumentEnd(bson.AppendBinaryElement(doc, key, b.Subtype, b.Data), start)
	if string(doc) != string(canonical) {
		t.Errorf("encoded %x, want %x", doc, canonical)
	}
	subtype, data, ok := bson.Raw(canonical).Lookup(key).BinaryOK()
	decoded, err := bson.ParseVector(data)
	if !ok || subtype != bsontype.BinaryVector || err != nil || !decoded.Equal(vector) {
		t.Errorf("decoded %v, %v, want %v", decoded, err, vector)
	}
	if _, padding, _ := decoded.PackedBitOK(); int(padding) != tt.Padding || fmt.Sprintf("0x%02x", byte(decoded.Type())) != tt.DTypeHex {
		t.Errorf("decoded type %#x and padding %d", byte(decoded.Type()), padding)
	}
}

// encode calls the constructor of the vector's type. Go's types already exclude some values (300 as an int8, 1.5 as a
// bit): users get an error from the compiler, and encode returns one.
func (tt *vectorCase) encode() (bson.Vector, error) {
	code, err := strconv.ParseUint(tt.DTypeHex, 0, 8)
	if err != nil {
		return bson.Vector{}, err
	}
	var floats []float32
	var bytes []byte
	for _, n := range tt.Vector {
		f, ok := n.(float64)
		if !ok {
			if f, err = strconv.ParseFloat(n.(map[string]any)["$numberDouble"].(string), 64); err != nil {
				return bson.Vector{}, err
			}
		}
		lo, hi := -128.0, 127.0
		if bson.VectorType(code) == bson.VectorPackedBit {
			lo, hi = 0, 255
		}
		if bson.VectorType(code) != bson.VectorFloat32 && (f != math.Trunc(f) || f < lo || f > hi) {
			return bson.Vector{}, fmt.Errorf("%v does not fit the element type", f)
		}
		floats, bytes = append(floats, float32(f)), append(bytes, byte(int(f)))
	}
	switch bson.VectorType(code) {
	case bson.VectorPackedBit:
		return bson.NewPackedBitVector(bytes, uint8(tt.Padding))
	case bson.VectorInt8:
		if tt.Padding == 0 {
			ints := make([]int8, len(bytes))
			for i, b := range bytes {
				ints[i] = int8(b)
			}
			return bson.NewInt8Vector(ints), nil
		}
	case bson.VectorFloat32:
		if tt.Padding == 0 {
			return bson.NewFloat32Vector(floats), nil
		}
	}
	// The constructors of the other types take no padding, so only the parser can reject it.
	return bson.ParseVector(append([]byte{byte(code), byte(tt.Padding)}, bytes...))
}
