package ranges

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/internal/encrypt/vectors"
)

// vector is a row of a file of edges or of covers. Numbers stay texts until their type is known.
type vector struct {
	Value, Min, Max, LowerBound, UpperBound json.RawMessage
	IncludeLowerBound, IncludeUpperBound    bool
	Sparsity                                int64
	Precision                               *int32
	ExpectEdges                             []string
	ExpectMincoverStrings                   []string
}

func readVectors(t *testing.T, name string) []vector {
	t.Helper()
	var r io.Reader
	if folder := vectors.Folder(""); folder != "" {
		kind := "edge-generation"
		if strings.HasPrefix(name, "mincover") {
			kind = "min-cover"
		}
		b, err := os.ReadFile(folder + "/range-" + kind + "/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		r = bytes.NewReader(b)
	} else {
		f, err := os.Open("testdata/" + name + ".json.gz")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	var out []vector
	if err := json.NewDecoder(r).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// encode encodes a value of a row by the type that the file's name says.
func encode(kind string, value json.RawMessage, v vector) (encoded, max Number, err error) {
	if strings.HasPrefix(kind, "decimal128") {
		d, low, high := decimal(value), decimal(v.Min), decimal(v.Max)
		if v.Precision != nil {
			return DecimalWithin(d, low, high, *v.Precision)
		}
		return Decimal(d)
	}
	if strings.HasPrefix(kind, "double") {
		d, low, high := number[float64](value), number[float64](v.Min), number[float64](v.Max)
		if v.Precision != nil {
			return DoubleWithin(d, low, high, *v.Precision)
		}
		return Double(d)
	}
	low, high := int64(math.MinInt32), int64(math.MaxInt32)
	if kind == "int64" {
		low, high = math.MinInt64, math.MaxInt64
	}
	if v.Min != nil {
		low, high = number[int64](v.Min), number[int64](v.Max)
	}
	return Int(number[int64](value), low, high)
}

func number[T int64 | float64](text json.RawMessage) T {
	var out T
	if text != nil {
		if err := json.Unmarshal(text, &out); err != nil {
			panic(err)
		}
	}
	return out
}

func decimal(text json.RawMessage) bson.Decimal128 {
	if text == nil {
		return bson.Decimal128{}
	}
	d, err := bson.ParseDecimal128(strings.TrimSuffix(strings.Trim(string(text), `"`), "L"))
	if err != nil {
		panic(err)
	}
	return d
}

func TestEdgeVectors(t *testing.T) {
	for kind, want := range map[string]int{"int32": 690, "int64": 630, "double": 340, "decimal128": 350} {
		rows := readVectors(t, "edges_"+kind)
		if len(rows) != want {
			t.Errorf("%s: %d rows, want %d", kind, len(rows), want)
		}
		for i, v := range rows {
			value, max, err := encode(kind, v.Value, v)
			if err != nil {
				t.Errorf("%s %d: %v", kind, i, err)
				continue
			}
			if got, err := Edges(value, max, v.Sparsity, 0); err != nil || !slices.Equal(got, v.ExpectEdges) {
				t.Errorf("%s %d: %v, %v, want %v", kind, i, got, err, v.ExpectEdges)
			}
		}
	}
}

func TestMinCoverVectors(t *testing.T) {
	covered, refused := 0, 0
	for _, kind := range []string{"int32", "int64", "double", "double_precision", "decimal128", "decimal128_precision"} {
		for i, v := range readVectors(t, "mincover_"+kind) {
			got, err := coverOf(kind, v)
			if err != nil && v.Precision != nil {
				refused++ // bounds with more digits than the precision
				continue
			}
			var want []string
			for _, s := range v.ExpectMincoverStrings {
				want = append(want, strings.FieldsFunc(s, func(c rune) bool { return c == '\n' })...)
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s %d: %v, %v, want %v", kind, i, got, err, want)
			}
			covered++
		}
	}
	if covered != 640 || refused != 5 {
		t.Errorf("%d ranges covered and %d refused, want 640 and 5", covered, refused)
	}
}

func coverOf(kind string, v vector) ([]string, error) {
	lower, max, err := encode(kind, v.LowerBound, v)
	if err != nil {
		return nil, err
	}
	upper, _, err := encode(kind, v.UpperBound, v)
	if err != nil {
		return nil, err
	}
	if lower, upper, err = Bounds(lower, upper, max, v.IncludeLowerBound, v.IncludeUpperBound); err != nil {
		return nil, err
	}
	return MinCover(lower, upper, max, v.Sparsity, 0)
}

func TestValuesThatAreRefused(t *testing.T) {
	d := func(s string) bson.Decimal128 { return decimal(json.RawMessage(s)) }
	for name, f := range map[string]func() (Number, Number, error){
		"an empty domain":                    func() (Number, Number, error) { return Int(1, 1, 1) },
		"a value below the domain":           func() (Number, Number, error) { return Int(0, 1, 2) },
		"a value above the domain":           func() (Number, Number, error) { return Int(3, 1, 2) },
		"infinity":                           func() (Number, Number, error) { return Double(math.Inf(1)) },
		"NaN":                                func() (Number, Number, error) { return DoubleWithin(math.NaN(), 0, 1, 1) },
		"a bound with more digits":           func() (Number, Number, error) { return DoubleWithin(0.5, 0.25, 1, 1) },
		"a domain that is too large":         func() (Number, Number, error) { return DoubleWithin(0, -1e15, 1e15, 1) },
		"a negative precision":               func() (Number, Number, error) { return DoubleWithin(0, 0, 1, -1) },
		"a double above the domain":          func() (Number, Number, error) { return DoubleWithin(2, 0, 1, 1) },
		"decimal infinity":                   func() (Number, Number, error) { return Decimal(d("Infinity")) },
		"a decimal NaN":                      func() (Number, Number, error) { return DecimalWithin(d("NaN"), d("0"), d("1"), 1) },
		"a decimal above the domain":         func() (Number, Number, error) { return DecimalWithin(d("2"), d("0"), d("1"), 1) },
		"decimal bounds out of order":        func() (Number, Number, error) { return DecimalWithin(d("2"), d("3"), d("1"), 1) },
		"an enormous precision":              func() (Number, Number, error) { return DecimalWithin(d("0"), d("0"), d("1"), math.MaxInt32) },
		"a precision too large":              func() (Number, Number, error) { return DecimalWithin(d("0"), d("0"), d("1E-39"), 39) },
		"a precision too large for doubles":  func() (Number, Number, error) { return DoubleWithin(0, 0, 1, math.MaxInt32) },
		"a decimal domain that is too large": func() (Number, Number, error) { return DecimalWithin(d("2"), d("-9E38"), d("9E38"), 1) },
	} {
		if n, _, err := f(); err == nil {
			t.Errorf("%s: encoded as %v", name, n)
		}
	}
	if _, err := Edges(Number{Lo: 1}, Number{Lo: 7}, 0, 0); err == nil {
		t.Error("a sparsity of 0 was accepted")
	}
	if _, err := Edges(Number{Lo: 9}, Number{Lo: 7}, 1, 0); err == nil {
		t.Error("a value above the largest was accepted")
	}
	for name, c := range map[string]struct {
		sparsity int64
		trim     int
	}{"sparsity": {math.MaxInt64, 0}, "trim factor": {1, 63}} {
		if nodes, err := MinCover(Number{Lo: 1}, Number{Lo: math.MaxInt64}, Number{Lo: math.MaxUint64}, c.sparsity, c.trim); err == nil || !strings.Contains(err.Error(), "parts") {
			t.Errorf("a large %s: %d nodes, %v", name, len(nodes), err)
		}
	}
	if nodes, err := MinCover(Number{Lo: 1}, Number{Lo: maxCover}, Number{Lo: math.MaxUint64}, math.MaxInt64, 0); err != nil || len(nodes) != maxCover {
		t.Errorf("the most nodes: %d, %v", len(nodes), err)
	}
	eight := int32(8)
	if _, err := TrimFactor(&eight, Number{Lo: 255}); err == nil {
		t.Error("a trim factor of all bits was accepted")
	}
	if n, err := TrimFactor(nil, Number{Lo: 7}); n != 2 || err != nil {
		t.Errorf("the default trim factor of 3 bits is %d, %v", n, err)
	}
}

// TestCoversAreExact tries every range of a small domain. The nodes of a cover hold exactly the values of the range,
// each once.
func TestCoversAreExact(t *testing.T) {
	max := Number{Lo: 21}
	for sparsity := int64(1); sparsity <= 3; sparsity++ {
		for trim := range 4 {
			for lower := range uint64(22) {
				for upper := lower; upper < 22; upper++ {
					checkCover(t, Number{Lo: lower}, Number{Lo: upper}, max, sparsity, trim)
				}
			}
		}
	}
}

func checkCover(t *testing.T, lower, upper, max Number, sparsity int64, trim int) {
	t.Helper()
	cover, err := MinCover(lower, upper, max, sparsity, trim)
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(22) {
		edges, err := Edges(Number{Lo: n}, max, sparsity, trim)
		if err != nil {
			t.Fatal(err)
		}
		hits := 0
		for _, node := range cover {
			if slices.Contains(edges, node) {
				hits++
			}
		}
		if want := n >= lower.Lo && n <= upper.Lo; hits != map[bool]int{true: 1}[want] {
			t.Fatalf("%v: %d is in %d of %v (sparsity %d, trim %d)", fmt.Sprint(lower.Lo, "..", upper.Lo), n, hits, cover, sparsity, trim)
		}
	}
}

// TestDecimalsAreRoundedLikeDecimals encodes values whose distance from the least value has more digits than a decimal.
func TestDecimalsAreRoundedLikeDecimals(t *testing.T) {
	d := func(s string) bson.Decimal128 { return decimal(json.RawMessage(s)) }
	for _, c := range []struct {
		value, low, high string
		precision        int32
		want             string
	}{
		{"99999999999999999999999999999999.99", "-0.5", "99999999999999999999999999999999.99", 2, "10000000000000000000000000000000050"},
		{"99999999999999999999999999999999.94", "-0.5", "99999999999999999999999999999999.99", 2, "10000000000000000000000000000000040"},
		{"999999999999999999999999999999999.9", "-0.3", "999999999999999999999999999999999.9", 1, "10000000000000000000000000000000000"},
		{"999999999999999999999999999999999.9", "-0.6", "999999999999999999999999999999999.9", 1, "10000000000000000000000000000000000"},
		{"999999999999999999999999999999999.9", "-1.6", "999999999999999999999999999999999.9", 1, "10000000000000000000000000000000020"},
		{"999999999999999999999999999999999.9", "-0.7", "999999999999999999999999999999999.9", 1, "10000000000000000000000000000000010"},
		{"999999999999999999999999999999999.9", "-0.1", "999999999999999999999999999999999.9", 1, "10000000000000000000000000000000000"},
		{"9999999999999999999999999999999999", "-9999999999999999999999999999999999", "9999999999999999999999999999999999", 0, "20000000000000000000000000000000000"},
		{"1.23", "-0.5", "99999999999999999999999999999999.99", 2, "173"},
	} {
		want, _ := new(big.Int).SetString(c.want, 10)
		got, _, err := DecimalWithin(d(c.value), d(c.low), d(c.high), c.precision)
		if err != nil {
			t.Fatal(err)
		}
		if got != numberOf(want) {
			t.Errorf("%s from %s is %v, want %v", c.value, c.low, got, numberOf(want))
		}
	}
}

// TestDomainsJustAboveAPowerOfTwo encodes values of indexes whose number of bits libmongocrypt rounds down. Each row was taken from it.
func TestDomainsJustAboveAPowerOfTwo(t *testing.T) {
	d := func(s string) bson.Decimal128 { return decimal(json.RawMessage(s)) }
	for _, c := range []struct {
		low, high string
		precision int32
		digits    int
	}{
		{"0", "1298074214633706907132624082305024", 0, 110}, // 2^110 + 1 values
		{"-3", "1298074214633706907132624082305023", 0, 110},
		{"-4.60", "51922968585348276285304963292196.42", 2, 112},
		{"-2336888412", "649037107316853453566309704264123", 0, 109},
		{"0", "649037107316853453566312041152511", 0, 109}, // 2^109 values
		{"0", "649037107316853453566312041152611", 0, 110},
		{"0", "18446744073709551616", 0, 65}, // 2^64 + 1 values
		{"0", "9223372036854775808", 0, 64},
		{"0", "79228162514264337593543950336", 0, 97},
	} {
		_, max, err := DecimalWithin(d(c.low), d(c.low), d(c.high), c.precision)
		if err != nil || max.Len() != c.digits {
			t.Errorf("from %s to %s: %d bits, want %d; %v", c.low, c.high, max.Len(), c.digits, err)
		}
	}
	if _, _, err := DecimalWithin(d("1298074214633706907132624082305024"), d("0"), d("1298074214633706907132624082305024"), 0); err == nil {
		t.Error("a value that does not fit in the bits of the index is encoded")
	}
}
