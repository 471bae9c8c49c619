package hostile_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/hostile"
)

// Compressed messages claim, or hold, more than a message may have. The driver must allocate neither size.
func TestBombs(t *testing.T) {
	var list []attack
	for _, id := range []wire.CompressorID{wire.CompressorSnappy, wire.CompressorZlib, wire.CompressorZstd} {
		few, bomb := compressZeros(t, id, 100), compressZeros(t, id, 100<<20)
		for _, tt := range []struct {
			name  string
			claim int
			data  []byte
		}{
			{"a claim of all memory", math.MaxInt32, few},
			{"a claim as great as a message", wire.DefaultMaxMessageSizeBytes - 16, few},
			{"a negative claim", -1, few},
			{"a claim of nothing", 0, few},
			{"a claim of one more", 101, few},
			{"a claim of one less", 99, few},
			{"a bomb with an honest claim", 100 << 20, bomb},
			{"a bomb with a small claim", 1000, bomb},
			{"no data", wire.DefaultMaxMessageSizeBytes - 16, nil},
			{"noise", 1 << 20, bytes.Repeat([]byte{0xa5}, 64)},
			{"half of the data", 100, few[:len(few)/2]},
		} {
			list = append(list, attack{name: fmt.Sprintf("%s of %s", tt.name, id), command: "compressed",
				hello:   bson.Doc("compression", bson.A{id.String()}),
				options: &options.Client{Compressors: []string{id.String()}},
				reply:   func(r hostile.Request) []byte { return hostile.Compressed(r, id, tt.claim, tt.data) }})
		}
	}
	attackAll(t, list)
}

// compressZeros returns the given number of zero bytes, compressed.
func compressZeros(t *testing.T, id wire.CompressorID, n int) []byte {
	t.Helper()
	switch id {
	case wire.CompressorSnappy:
		return snappyRun(n)
	case wire.CompressorZstd:
		return zstdRun(n)
	}
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	if _, err := w.Write(make([]byte, n)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// snappyRun returns a zero byte and copies of it, 64 bytes each.
func snappyRun(n int) []byte {
	out := append(binary.AppendUvarint(nil, uint64(n)), 0, 0)
	for left := n - 1; left > 0; left -= 64 {
		out = append(out, byte(min(left, 64)-1)<<2|2, 1, 0)
	}
	return out
}

// zstdRun returns a frame of RLE blocks.
func zstdRun(n int) []byte {
	out := binary.LittleEndian.AppendUint32([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0}, uint32(n))
	for left := n; left > 0; {
		size := min(left, 128<<10)
		left -= size
		head := uint32(size)<<3 | 1<<1
		if left == 0 {
			head |= 1
		}
		out = append(out, byte(head), byte(head>>8), byte(head>>16), 0)
	}
	return out
}

// The attacks above would prove nothing if their messages did not decompress.
func TestPackedBytesDecompress(t *testing.T) {
	var list []attack
	for _, id := range []wire.CompressorID{wire.CompressorSnappy, wire.CompressorZlib, wire.CompressorZstd} {
		list = append(list, attack{name: id.String(), command: "compressed", wants: "a message without flags",
			hello:   bson.Doc("compression", bson.A{id.String()}),
			options: &options.Client{Compressors: []string{id.String()}},
			reply:   func(r hostile.Request) []byte { return hostile.Compressed(r, id, 3, compressZeros(t, id, 3)) }})
	}
	attackAll(t, list)
}
