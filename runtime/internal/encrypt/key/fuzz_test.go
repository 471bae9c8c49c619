package key

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/internal/encrypt/vectors"
)

// The driver reads or refuses anything that a key vault returns. A key that it writes and reads again stays the same.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob(vectors.Dir() + "/*/key-document*.json")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		doc, err := bson.ExtJSONToRaw(b, false)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := Parse(b)
		if err != nil {
			return
		}
		again, err := Parse(d.Raw())
		if err != nil || again.ID != d.ID || !bytes.Equal(again.Material, d.Material) || !bytes.Equal(again.Master, d.Master) {
			t.Errorf("%+v becomes %+v, %v", d, again, err)
		}
	})
}
