package decide

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/fnv"
	"os"
	"testing"
)

// visited hashes the steps of all explorations, but not the rows that decided, if EXPLORE_DIGEST names a file for the
// sum. From the sum tools/mutate learns whether a changed row makes any difference: if two sums are equal, every
// exploration decides alike.
var visited = func() *digest {
	if os.Getenv("EXPLORE_DIGEST") == "" {
		return nil
	}
	return &digest{hash: fnv.New128a(), seen: map[question]bool{}}
}()

type digest struct {
	hash hash.Hash
	buf  []byte
	seen map[question]bool
}

// isNew reports whether a question is new.
func (d *digest) isNew(q question) bool {
	known := d.seen[q]
	d.seen[q] = true
	return !known
}

// add hashes numbers and structs of numbers.
func (d *digest) add(parts ...any) {
	for _, p := range parts {
		var err error
		if d.buf, err = binary.Append(d.buf[:0], binary.LittleEndian, p); err != nil {
			panic(err)
		}
		d.hash.Write(d.buf)
	}
}

func TestMain(m *testing.M) {
	code := m.Run()
	if visited != nil {
		if err := os.WriteFile(os.Getenv("EXPLORE_DIGEST"), []byte(hex.EncodeToString(visited.hash.Sum(nil))), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}
