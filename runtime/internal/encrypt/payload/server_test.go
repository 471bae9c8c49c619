package payload_test

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
	"github.com/specdrivers/onion/runtime/internal/encrypt/payload"
	"github.com/specdrivers/onion/tools/mongotest"
)

// collection is an encrypted collection on a server. It encrypts and decrypts as a driver does, on a bare connection, because
// these tests would otherwise have to compile the whole driver.
type collection struct {
	t      *testing.T
	server net.Conn
	key    *aead.Key
	random *rand.ChaCha8
	info   bson.D
}

var (
	keyID = bson.UUID{1, 2, 3}
	path  = "f"
)

// newCollection makes a collection with one encrypted field of a query type.
func newCollection(t *testing.T, queryType string) *collection {
	t.Helper()
	server, err := net.Dial("tcp", mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("9.0")).Hosts()[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	c := &collection{t: t, server: server, key: new(aead.Key), random: rand.NewChaCha8([32]byte{byte(len(queryType))})}
	_, _ = c.random.Read(c.key.Material())
	fields := bson.Doc("fields", bson.A{bson.Doc("path", path, "keyId", keyID, "queries", bson.Doc("queryType", queryType))})
	c.info = bson.Doc("type", 1, "schema", bson.Doc("db.c", fields))
	c.run(bson.Doc("create", "c", "encryptedFields", fields))
	return c
}

func (c *collection) keys(ref payload.Ref) (bson.UUID, *aead.Key, error) {
	if ref != (payload.Ref{ID: keyID}) {
		return bson.UUID{}, nil, fmt.Errorf("asked for %v", ref)
	}
	return keyID, c.key, nil
}

// run encrypts a command, sends it and decrypts the reply.
func (c *collection) run(command bson.D) bson.Raw {
	c.t.Helper()
	doc, err := bson.Marshal(command)
	if err != nil {
		c.t.Fatal(err)
	}
	if doc, err = payload.Encrypt(doc, c.keys, c.random); err != nil {
		c.t.Fatalf("%v: %v", command, err)
	}
	dst, _ := bson.AppendDocumentStart(nil)
	dst = append(dst, doc[4:len(doc)-1]...)
	if payload.Queryable(doc) {
		if dst, err = bson.AppendValueElement(dst, "encryptionInformation", c.info); err != nil {
			c.t.Fatal(err)
		}
	}
	reply := c.exchange(bson.AppendDocumentEnd(bson.AppendStringElement(dst, "$db", "db"), 0))
	if ok, _ := reply.Lookup("ok").AsBoolOK(); !ok {
		c.t.Fatalf("%v: %v", command, reply)
	}
	if v := reply.Lookup("writeErrors"); !v.IsZero() {
		c.t.Fatalf("%v: %v", command, v)
	}
	if reply, _, err = payload.Decrypt(reply, c.keys); err != nil {
		c.t.Fatal(err)
	}
	return reply
}

// exchange sends a command and returns the reply.
func (c *collection) exchange(body []byte) bson.Raw {
	c.t.Helper()
	order := binary.LittleEndian
	message := order.AppendUint32(nil, uint32(wire.HeaderSize+5+len(body)))
	message = order.AppendUint64(message, 1)
	message = order.AppendUint32(message, uint32(wire.OpMsg))
	message = append(append(message, 0, 0, 0, 0, wire.KindBody), body...)
	if _, err := c.server.Write(message); err != nil {
		c.t.Fatal(err)
	}
	size := make([]byte, 4)
	if _, err := io.ReadFull(c.server, size); err != nil {
		c.t.Fatal(err)
	}
	rest := make([]byte, order.Uint32(size)-4)
	if _, err := io.ReadFull(c.server, rest); err != nil {
		c.t.Fatal(err)
	}
	return rest[wire.HeaderSize-4+5:]
}

func (c *collection) placeholder(intent, algorithm int32, contention int64, v bson.RawValue) bson.Binary {
	p := encryption.Placeholder{Intent: intent, Algorithm: algorithm, IndexKeyID: keyID, UserKeyID: keyID, Value: v, MaxContention: contention}
	return bson.Binary{Subtype: 6, Data: p.Append(nil)}
}

// findIDs returns the _id of each matching document, after a check that the encrypted field came back unchanged.
func (c *collection) findIDs(filter bson.D, values []any) []int {
	c.t.Helper()
	out := []int{}
	docs, _ := c.run(bson.Doc("find", "c", "filter", filter, "batchSize", 1000)).Lookup("cursor", "firstBatch").ArrayOK()
	for _, v := range docs.All() {
		d, _ := v.DocumentOK()
		id, _ := d.Lookup("_id").AsInt64OK()
		if got := d.Lookup(path); !got.Equal(raw(c.t, values[id])) {
			c.t.Errorf("document %d has %v, want %v", id, got, values[id])
		}
		out = append(out, int(id))
	}
	slices.Sort(out)
	return out
}

func raw(t *testing.T, v any) bson.RawValue {
	t.Helper()
	kind, data, err := bson.AppendValue(nil, v)
	if err != nil {
		t.Fatal(err)
	}
	return bson.RawValue{Type: kind, Value: data}
}

func document(b []byte) bson.RawValue { return bson.RawValue{Type: 3, Value: b} }

// positionsOf returns the indexes of the values that a predicate accepts.
func positionsOf(values []any, accept func(any) bool) []int {
	out := []int{}
	for i, v := range values {
		if accept(v) {
			out = append(out, i)
		}
	}
	return out
}

func TestEqualityAgainstAServer(t *testing.T) {
	c := newCollection(t, "equality")
	var values []any
	for i := range 60 {
		v := fmt.Sprint("value ", i%7)
		values = append(values, v)
		c.run(bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", i, path, c.placeholder(1, 2, 3, raw(t, v)))}))
	}
	for i := range 8 {
		want := fmt.Sprint("value ", i)
		got := c.findIDs(bson.Doc(path, bson.Doc("$eq", c.placeholder(2, 2, 3, raw(t, want)))), values)
		if expected := positionsOf(values, func(v any) bool { return v == want }); !slices.Equal(got, expected) {
			t.Errorf("%s: found %v, want %v", want, got, expected)
		}
	}
}

// index is a range index of one type.
type index struct {
	spec  encryption.RangeInsert // without the value
	value func() any
	order func(a, b any) int
}

func indexes(t *testing.T) map[string]index {
	number := func(x any) float64 {
		switch x := x.(type) {
		case int32:
			return float64(x)
		case int64:
			return float64(x)
		case bson.DateTime:
			return float64(x)
		case float64:
			return x
		case bson.Decimal128:
			var f float64
			_, _ = fmt.Sscan(x.String(), &f)
			return f
		}
		t.Fatalf("no number: %T", x)
		return 0
	}
	order := func(a, b any) int { return cmp.Compare(number(a), number(b)) }
	r := rand.New(rand.NewPCG(1, 2))
	decimal := func() any {
		d, err := bson.ParseDecimal128(fmt.Sprintf("%d.%02d", r.IntN(39)-19, r.IntN(100)))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	ten, _ := bson.ParseDecimal128("-20")
	twenty, _ := bson.ParseDecimal128("20.00")
	trim, precision := int32(1), int32(2)
	return map[string]index{
		"int":                   {encryption.RangeInsert{Min: raw(t, int32(-5)), Max: raw(t, int32(50))}, func() any { return r.Int32N(56) - 5 }, order},
		"int with a trim":       {encryption.RangeInsert{Min: raw(t, int32(0)), Max: raw(t, int32(200)), TrimFactor: &trim}, func() any { return r.Int32N(201) }, order},
		"long":                  {encryption.RangeInsert{Min: raw(t, int64(-1<<40)), Max: raw(t, int64(1<<40))}, func() any { return r.Int64N(1<<41) - 1<<40 }, order},
		"date":                  {encryption.RangeInsert{Min: raw(t, bson.DateTime(0)), Max: raw(t, bson.DateTime(1<<41))}, func() any { return bson.DateTime(r.Int64N(1 << 41)) }, order},
		"double":                {encryption.RangeInsert{}, func() any { return (r.Float64() - 0.5) * math.Pow10(r.IntN(40)-20) }, order},
		"double with precision": {encryption.RangeInsert{Min: raw(t, -10.0), Max: raw(t, 10.0), Precision: &precision}, func() any { return math.Round((r.Float64()-0.5)*2000) / 100 }, order},
		"decimal":               {encryption.RangeInsert{}, decimal, order},
		"decimal and precision": {encryption.RangeInsert{Min: raw(t, ten), Max: raw(t, twenty), Precision: &precision}, decimal, order},
	}
}

func TestRangesAgainstAServer(t *testing.T) {
	for name, x := range indexes(t) {
		t.Run(name, func(t *testing.T) {
			c := newCollection(t, "range")
			var values []any
			for i := range 25 {
				v := x.value()
				values = append(values, v)
				spec := x.spec
				spec.Value = raw(t, v)
				c.run(bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", i, path, c.placeholder(1, 3, 1, document(spec.Append(nil))))}))
			}
			for i := range 6 {
				c.checkRange(x, values, values[i], x.value(), i)
			}
		})
	}
}

// checkRange looks for one range in four ways, and compares what it finds with the values.
func (c *collection) checkRange(x index, values []any, a, b any, id int) {
	c.t.Helper()
	if x.order(a, b) > 0 {
		a, b = b, a
	}
	lowest, highest := raw(c.t, math.Inf(-1)), raw(c.t, math.Inf(1))
	for name, tt := range map[string]struct {
		lower, upper     bson.RawValue
		lowerIn, upperIn bool
		accept           func(any) bool
	}{
		"at least":    {raw(c.t, a), highest, true, true, func(v any) bool { return x.order(v, a) >= 0 }},
		"at most":     {lowest, raw(c.t, b), true, true, func(v any) bool { return x.order(v, b) <= 0 }},
		"within":      {raw(c.t, a), raw(c.t, b), true, true, func(v any) bool { return x.order(v, a) >= 0 && x.order(v, b) <= 0 }},
		"all of them": {lowest, highest, true, true, func(any) bool { return true }},
	} {
		find := encryption.RangeFind{PayloadID: int32(id), FirstOperator: int32(encryption.OperatorGreaterOrEqual), SecondOperator: new(int32(encryption.OperatorLessOrEqual))}
		rest := c.placeholder(2, 3, 1, document(find.Append(nil)))
		spec := x.spec
		kind := raw(c.t, a).Type
		if spec.Min.IsZero() { // the analysis fills in the bounds
			spec.Min, spec.Max = raw(c.t, -math.MaxFloat64), raw(c.t, math.MaxFloat64)
			if kind != spec.Min.Type {
				least, _ := bson.ParseDecimal128("-9999999999999999999999999999999999E6111")
				largest, _ := bson.ParseDecimal128("9999999999999999999999999999999999E6111")
				spec.Min, spec.Max = raw(c.t, least), raw(c.t, largest)
			}
		}
		find.Edges = &encryption.RangeEdges{LowerBound: tt.lower, UpperBound: tt.upper, LowerIncluded: tt.lowerIn, UpperIncluded: tt.upperIn,
			IndexMin: spec.Min, IndexMax: spec.Max, Precision: spec.Precision, TrimFactor: spec.TrimFactor}
		full := c.placeholder(2, 3, 1, document(find.Append(nil)))
		got := c.findIDs(bson.Doc("$and", bson.A{bson.Doc(path, bson.Doc("$gte", full)), bson.Doc(path, bson.Doc("$lte", rest))}), values)
		if want := positionsOf(values, tt.accept); !slices.Equal(got, want) {
			c.t.Errorf("%s of %v and %v: found %v, want %v in %v", name, a, b, got, want, values)
		}
	}
}

func TestTextsAgainstAServer(t *testing.T) {
	words := []any{"Ätna", "atlas", "ATOM", "tom", "tomato", "mat", "Tomate", "zzz"}
	affix := &encryption.Affix{Lower: 1, Upper: 8}
	part := &encryption.Substring{MaxLength: 10, Lower: 2, Upper: 5}
	plain := func(s any) string { return strings.NewReplacer("ä", "a").Replace(strings.ToLower(s.(string))) }
	for name, tt := range map[string]struct {
		insert, find encryption.TextPlaceholder
		expression   string
		argument     string
		accept       func(s, query string) bool
		queries      []string
	}{
		"prefix": {encryption.TextPlaceholder{Prefix: affix, Suffix: affix}, encryption.TextPlaceholder{Prefix: affix}, "$encStrStartsWith", "prefix",
			strings.HasPrefix, []string{"a", "AT", "tom", "tomato", "zzzz", "x"}},
		"suffix": {encryption.TextPlaceholder{Prefix: affix, Suffix: affix}, encryption.TextPlaceholder{Suffix: affix}, "$encStrEndsWith", "suffix",
			strings.HasSuffix, []string{"om", "a", "ato", "ÄTNA", "b"}},
		"substring": {encryption.TextPlaceholder{Substring: part}, encryption.TextPlaceholder{Substring: part}, "$encStrContains", "substring",
			strings.Contains, []string{"at", "om", "mat", "TOMAT", "tn", "zz", "xy"}},
		"whole": {encryption.TextPlaceholder{Prefix: affix}, encryption.TextPlaceholder{}, "$encStrNormalizedEq", "string",
			func(s, query string) bool { return s == query }, []string{"atna", "TOM", "to"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCollection(t, "prefix")
			text := func(p encryption.TextPlaceholder, s any) bson.RawValue {
				p.Value, p.CaseFold, p.DiacriticFold = s.(string), true, true
				return document(p.Append(nil))
			}
			for i, w := range words {
				c.run(bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", i, path, c.placeholder(1, 4, 2, text(tt.insert, w)))}))
			}
			for _, q := range tt.queries {
				value := c.placeholder(2, 4, 2, text(tt.find, q))
				got := c.findIDs(bson.Doc("$expr", bson.Doc(tt.expression, bson.Doc("input", "$"+path, tt.argument, value))), words)
				if want := positionsOf(words, func(s any) bool { return tt.accept(plain(s), plain(strings.ToLower(q))) }); !slices.Equal(got, want) {
					t.Errorf("%q: found %v, want %v", q, got, want)
				}
			}
		})
	}
}
