package encrypt

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"slices"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// A binary value with the subtype of encrypted values that is not one is passed on as it is, wherever it stands among valid documents.
// One that claims to be a ciphertext and is too short or damaged is an error. No length in it is trusted.
func TestOddBinariesInReplies(t *testing.T) {
	newAutoForPath(t, "", "a", true) // reads the keys
	a := &Auto{Ring: fuzzRing.Ring, Random: rand.Reader}
	// Values of client-side field level encryption, values of Queryable Encryption with and without an index, and what a
	// driver sends to be stored.
	stored := []int{1, 2, 4, 6, 11, 14, 15, 16, 17}
	for kind := -1; kind < 256; kind++ {
		for _, size := range []int{0, 1, 15, 16, 17, 18, 32, 48, 49, 64, 65, 97, 1000, 70_000} {
			data := append([]byte{byte(kind)}, bytes.Repeat([]byte{0xff}, size)...)
			if kind < 0 {
				data = nil
			}
			reply, err := bson.Marshal(bson.Doc("ok", 1, "cursor", bson.Doc("id", int64(0), "firstBatch", bson.A{
				bson.Doc("_id", 1), bson.Doc("_id", 2, "v", bson.Binary{Subtype: bsontype.BinaryEncrypted, Data: data}), bson.Doc("_id", 3)})))
			if err != nil {
				t.Fatal(err)
			}
			opened, err := a.Decrypt(t.Context(), reply)
			name := fmt.Sprintf("kind %d with %d bytes", kind, size)
			if slices.Contains(stored, kind) {
				if err == nil {
					t.Errorf("%s is opened: %x", name, opened)
				}
			} else if err != nil || !bytes.Equal(opened, reply) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
