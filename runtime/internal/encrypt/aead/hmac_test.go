package aead

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"os"
	"testing"

	"github.com/specdrivers/onion/bson/emitted/sealed"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/encrypt/vectors"
)

// The vectors of NIST for HMAC-SHA-256, which tokens and values use. Some codes are truncated. Keys longer than a block also serve as
// tokens and as keys of values.
func TestHMACVectors(t *testing.T) {
	data, err := os.ReadFile(vectors.Dir() + "/hmac-sha256-nist-cavp.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct{ Testname, Key, Input, Expect string }
	if err := json.Unmarshal(data, &vectors); err != nil || len(vectors) < 225 {
		t.Fatal(len(vectors), err)
	}
	tokens := 0
	for _, v := range vectors {
		t.Run(v.Testname, func(t *testing.T) {
			key, input, want := unhex(t, v.Key), unhex(t, v.Input), unhex(t, v.Expect)
			mac := hmac.New(sha256.New, key)
			mac.Write(input)
			if got := mac.Sum(nil); len(want) == 0 || !bytes.HasPrefix(got, want) {
				t.Errorf("got %x, want %x", got, want)
			}
			if len(key) <= sha256.BlockSize {
				return // our keys have 32 bytes
			}
			tokens++
			short := sha256.Sum256(key) // HMAC uses it for a key that is longer than a block
			k := new(Key)
			copy(k.macFLE2(), short[:])
			root := sealed.Token(short).Root()
			for range 2 { // the second one starts from the state that the first one left
				f := k.takeFLE2()
				if got := f.code(k, nil, input); !bytes.HasPrefix(got, want) {
					t.Errorf("as the key of values: got %x, want %x", got, want)
				}
				k.fle2.Put(f)
				if got := encryption.EDCDerivedFromDataToken(root, input); !bytes.HasPrefix(got[:], want) {
					t.Errorf("as a token: got %x, want %x", got, want)
				}
			}
		})
	}
	if tokens == 0 {
		t.Error("no key is one of ours")
	}
}
