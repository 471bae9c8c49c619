package payload

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/encryption"
)

// defaultRange makes a placeholder that inserts an int64 into an index of all int64, with the default sparsity and trim factor.
func defaultRange(b *testing.B) []byte {
	id := bson.UUID(unhex(b, "12345678123498761234123456789012"))
	p := encryption.Placeholder{Intent: encryption.IntentInsert, Algorithm: encryption.AlgorithmRange, IndexKeyID: id, UserKeyID: id, MaxContention: 8,
		Value: rangeInsert(encryption.RangeInsert{Value: valueOf(int64(123456789)), Min: valueOf(int64(math.MinInt64)), Max: valueOf(int64(math.MaxInt64))})}
	return p.Append(nil)
}

// BenchmarkInsertRange compares a payload with the same number of codes, ciphers and initialization vectors made by the standard library
// alone, in turns and in one process. The payload may cost 1.3 times as much. limit is its cost divided by that bound.
func BenchmarkInsertRange(b *testing.B) {
	value, known := defaultRange(b), lookup(b)
	out, err := Seal(value, known, rand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	p, err := encryption.ParseInsertUpdate(out)
	if err != nil {
		b.Fatal(err)
	}
	var sealing, bare time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		if _, err := Seal(value, known, rand.Reader); err != nil {
			b.Fatal(err)
		}
		sealed := time.Now()
		bareRange(b, len(p.Edges)+1)
		sealing, bare = sealing+sealed.Sub(start), bare+time.Since(sealed)
	}
	b.ReportMetric(float64(sealing.Nanoseconds())/float64(b.N), "payload-ns")
	b.ReportMetric(float64(bare.Nanoseconds())/float64(b.N), "bare-ns")
	b.ReportMetric(float64(sealing)/(1.3*float64(bare)), "limit")
}

// bareRange runs only the cryptography of some token sets and of the value.
func bareRange(b *testing.B, sets int) {
	key, text := make([]byte, 32), make([]byte, 33)
	for range 6 + 5*sets + 1 { // roots, five tokens of each set, one code over the value
		mac := hmac.New(sha256.New, key)
		mac.Write(text[:8])
		mac.Sum(text[:0])
	}
	for range sets + 1 {
		var iv [aes.BlockSize]byte
		if _, err := rand.Read(iv[:]); err != nil {
			b.Fatal(err)
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			b.Fatal(err)
		}
		cipher.NewCTR(block, iv[:]).XORKeyStream(text, text)
	}
}

// newTwentyFields makes a document of 20 fields, four of them marked for client-side field level encryption.
func newTwentyFields(b *testing.B) bson.Raw {
	id := bson.UUID(unhex(b, "12345678123498761234123456789012"))
	var d bson.D
	for i := range 20 {
		v := any(fmt.Sprint("a value of usual length ", i))
		if i%5 == 0 {
			v = marking(b, bson.EncryptionMarking{Value: valueOf(v), Algorithm: bson.EncryptedDeterministic, KeyID: &id})
		}
		d = append(d, bson.E{Key: fmt.Sprint("field", i), Value: v})
	}
	return document(b, d)
}

func BenchmarkEncryptTwentyFields(b *testing.B) {
	doc, known := newTwentyFields(b), lookup(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Encrypt(doc, known, rand.Reader); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecryptTwentyFields(b *testing.B) {
	known := lookup(b)
	doc, err := Encrypt(newTwentyFields(b), known, rand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Decrypt(doc, known); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpenFourBare runs only the cryptography of BenchmarkDecryptTwentyFields.
func BenchmarkOpenFourBare(b *testing.B) {
	key, text, out := make([]byte, 32), make([]byte, 112), make([]byte, 48)
	b.ReportAllocs()
	for b.Loop() {
		for range 4 {
			mac := hmac.New(sha512.New, key)
			mac.Write(text)
			mac.Sum(nil)
			block, err := aes.NewCipher(key)
			if err != nil {
				b.Fatal(err)
			}
			cipher.NewCBCDecrypter(block, text[:aes.BlockSize]).CryptBlocks(out, text[:48])
		}
	}
}

// A reply without encrypted values costs one scan and no memory.
func BenchmarkDecryptNothing(b *testing.B) {
	var d bson.D
	for i := range 20 {
		d = append(d, bson.E{Key: fmt.Sprint("field", i), Value: fmt.Sprint("a value of usual length ", i)})
	}
	doc := document(b, d)
	b.ReportAllocs()
	for b.Loop() {
		if _, changed, err := Decrypt(doc, nil); changed || err != nil {
			b.Fatal(err)
		}
	}
}
