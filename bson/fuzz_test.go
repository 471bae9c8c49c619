package bson

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// addSeeds adds documents with every type, and damaged ones.
func addSeeds(f *testing.F) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		raw := mustMarshal(f, randomDocument(r, 3))
		f.Add([]byte(raw))
		f.Add([]byte(raw[:len(raw)*3/4]))
		damaged := bytes.Clone(raw)
		damaged[r.IntN(len(damaged))] ^= byte(1 << r.IntN(8))
		f.Add(damaged)
	}
	f.Add([]byte(mustMarshal(f, randomZoo(rand.New(rand.NewPCG(1, 4)), 1))))
	f.Add([]byte(mustMarshal(f, sampleOrder())))
}

// FuzzUnmarshalD checks that Validate and Unmarshal accept the same documents, and that the result encodes again.
func FuzzUnmarshalD(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		original := bytes.Clone(data)
		var d D
		err := Unmarshal(data, &d)
		if valid := Raw(data).Validate(); (err == nil) != (valid == nil) {
			t.Fatalf("Unmarshal says %v, Validate says %v", err, valid)
		}
		if !bytes.Equal(data, original) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			return
		}
		again, err := Marshal(d)
		if err != nil {
			t.Fatalf("decoded, but not encoded again: %v", err)
		}
		// The decoder may have corrected the keys of arrays and the order of regular expression options. Compare from
		// here on.
		var second D
		if err := Unmarshal(again, &second); err != nil {
			t.Fatal(err)
		}
		third, err := Marshal(second)
		if err != nil || !bytes.Equal(again, third) {
			t.Fatalf("%x became %x (%v)", again, third, err)
		}
		if raw := Raw(data); raw.Len() != len(d) {
			t.Fatalf("a walk sees %d elements, D has %d", raw.Len(), len(d))
		}
	})
}

// FuzzUnmarshalM checks that M accepts what D accepts, and keeps the last of duplicate keys.
func FuzzUnmarshalM(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var m M
		var d D
		errM, errD := Unmarshal(data, &m), Unmarshal(data, &d)
		if (errM == nil) != (errD == nil) {
			t.Fatalf("M says %v, D says %v", errM, errD)
		}
		if errM != nil {
			return
		}
		last := map[string]any{}
		for _, e := range d {
			last[e.Key] = e.Value
		}
		if len(last) != len(m) {
			t.Fatalf("M has %d keys, D has %d", len(m), len(last))
		}
		if _, err := Marshal(m); err != nil {
			t.Fatalf("decoded, but not encoded again: %v", err)
		}
	})
}

// FuzzUnmarshalStruct decodes into a struct with a field of each kind. The result must encode, and decode to the same
// struct.
func FuzzUnmarshalStruct(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var z zoo
		if err := Unmarshal(data, &z); err != nil {
			return
		}
		raw, err := Marshal(&z)
		if err != nil {
			t.Fatalf("decoded, but not encoded again: %v", err)
		}
		if err := raw.Validate(); err != nil {
			t.Fatalf("encoded to %x: %v", raw, err)
		}
		if err := Unmarshal(raw, new(zoo)); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzRaw reads any bytes, valid or not.
func FuzzRaw(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		raw := Raw(data)
		valid := raw.Validate() == nil
		elements, err := raw.Elements()
		if valid && err != nil {
			t.Fatalf("Validate accepts it, Elements says %v", err)
		}
		if n := raw.Len(); n != len(elements) {
			t.Fatalf("a walk sees %d elements, Elements returns %d", n, len(elements))
		}
		for _, e := range elements {
			if v := raw.Lookup(e.Key); v.Type == 0 {
				t.Fatalf("Lookup does not find %q", e.Key)
			}
			readAll(e.Value)
			_ = e.Value.String()
			if valid {
				if err := e.Value.Validate(); err != nil {
					t.Fatalf("the document is valid, its element %q is not: %v", e.Key, err)
				}
			}
		}
		_, _ = raw.LookupErr("a", "0", "b")
		_, _ = raw.Index(3)
	})
}

// readAll calls every reader of a value.
func readAll(v RawValue) {
	v.DoubleOK()
	v.StringOK()
	v.DocumentOK()
	v.ArrayOK()
	v.BinaryOK()
	v.ObjectIDOK()
	v.BooleanOK()
	v.TimeOK()
	v.RegexOK()
	v.DBPointerOK()
	v.JavaScriptOK()
	v.SymbolOK()
	v.CodeWithScopeOK()
	v.Int32OK()
	v.TimestampOK()
	v.Decimal128OK()
	v.AsInt64OK()
	v.AsFloat64OK()
	v.AsBoolOK()
}
