//go:build cse

package libmongocrypt

import (
	"flag"
	"math/big"
	"math/rand/v2"
	"testing"

	"go.mongodb.org/mongo-driver/bson"

	onionbson "github.com/specdrivers/onion/bson"
)

var (
	count = flag.Int("decimals", 400, "how many random decimals to encrypt")
	seed  = flag.Uint64("seed", 1, "chooses them")
)

// TestDecimalEdges encrypts decimals for two kinds of indexes: the distance from the least value has more digits than a decimal, or the
// number of values is close to a power of two. Both sides must derive the same tokens for their edges.
func TestDecimalEdges(t *testing.T) {
	s := start(t)
	key, err := s.sides[0].createKey(t.Context(), "local", nil)
	if err != nil {
		t.Fatal(err)
	}
	cases := []decimalRange{
		{"1.23", "-0.5", "99999999999999999999999999999999.99", 2},
		{"99999999999999999999999999999999.99", "-0.5", "99999999999999999999999999999999.99", 2},
		{"99999999999999999999999999999999.94", "-0.5", "99999999999999999999999999999999.99", 2},
		{"999999999999999999999999999999999.9", "-0.6", "999999999999999999999999999999999.9", 1},
		{"999999999999999999999999999999999.9", "-1.6", "999999999999999999999999999999999.9", 1},
		{"999999999999999999999999999999999.9", "-0.7", "999999999999999999999999999999999.9", 1},
		{"9999999999999999999999999999999999", "-9999999999999999999999999999999999", "9999999999999999999999999999999999", 0},
	}
	r := rand.New(rand.NewPCG(*seed, 2))
	for len(cases) < *count {
		if c, ok := randomRange(r); ok {
			cases = append(cases, c)
		}
	}
	agreed := 0
	for _, c := range cases {
		var edges [2]map[string]bool
		var failures [2]error
		for i, by := range s.sides {
			payload, err := by.encryptDecimal(t.Context(), key, c)
			if failures[i] = err; err != nil {
				continue
			}
			list, err := bson.Raw(payload[1:]).LookupErr("g")
			if err != nil {
				t.Fatalf("%s: %v", by.name(), err)
			}
			values, _ := list.Array().Values()
			edges[i] = map[string]bool{}
			for _, v := range values {
				_, token := v.Document().Lookup("d").Binary()
				edges[i][string(token)] = true
			}
		}
		same := 0
		for token := range edges[0] {
			if edges[1][token] {
				same++
			}
		}
		if (failures[0] == nil) != (failures[1] == nil) || len(edges[0]) != len(edges[1]) || same != len(edges[0]) {
			t.Errorf("%v: %d and %d edges, %d of them alike; %v, %v", c, len(edges[0]), len(edges[1]), same, failures[0], failures[1])
		}
		if failures[0] == nil {
			agreed++
		}
	}
	if t.Logf("%d of %d values are encrypted alike, the others are refused by both", agreed, len(cases)); agreed < *count*3/4 {
		t.Error("that is too few")
	}
}

// randomRange makes a value of an index with about 2^k values, if decimals can represent its bounds.
func randomRange(r *rand.Rand) (decimalRange, bool) {
	precision := int32(r.IntN(4))
	domain := new(big.Int).Lsh(big.NewInt(1), uint(90+r.IntN(37)))
	if r.IntN(3) > 0 {
		domain.Add(domain, big.NewInt(r.Int64N(1<<r.IntN(40))))
	} else {
		domain.Mul(domain, big.NewInt(int64(8+r.IntN(8))))
		domain.Rsh(domain, 4)
	}
	low := big.NewInt(-r.Int64N(1 << r.IntN(40)))
	high := new(big.Int).Add(low, domain)
	value := new(big.Int).Rsh(domain, uint(r.IntN(90)))
	value.Sub(value, big.NewInt(r.Int64N(100)))
	value.Add(value, low)
	var text [3]string
	for i, n := range []*big.Int{value, low, high} {
		d, err := onionbson.ParseDecimal128(n.Text(10) + "E-" + string(rune('0'+precision)))
		if err != nil {
			return decimalRange{}, false
		}
		text[i] = d.String()
	}
	return decimalRange{text[0], text[1], text[2], precision}, value.Cmp(low) >= 0
}
