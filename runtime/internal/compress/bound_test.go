package compress

import (
	"runtime"
	"testing"

	"github.com/specdrivers/onion/generated/core/wire"
)

// For a few bytes that claim a large size, the driver allocates no more than they can expand to.
func TestAClaimAllocatesNothingByItself(t *testing.T) {
	const claim = wire.GreatestMaxMessageSizeBytes
	zlibHead := []byte{0x78, 0x9c}
	for name, tt := range map[string]struct {
		id  wire.CompressorID
		src []byte
	}{
		"zstd without blocks":            {wire.CompressorZstd, []byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0xb8, 0x71, 0x0b}},
		"zstd with an RLE block":         {wire.CompressorZstd, []byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0xb8, 0x71, 0x0b, 0xfb, 0xff, 0xff, 'x'}},
		"zstd with a cut block":          {wire.CompressorZstd, []byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0xb8, 0x71, 0x0b, 0x05, 0xff, 0xff, 'x'}},
		"zstd without a frame":           {wire.CompressorZstd, []byte("no frame at all")},
		"zstd with a skippable frame":    {wire.CompressorZstd, []byte{0x50, 0x2a, 0x4d, 0x18, 0xff, 0xff, 0xff, 0xff, 0}},
		"snappy with a length alone":     {wire.CompressorSnappy, []byte{0x80, 0xf0, 0xc6, 0x5b}},
		"snappy with a literal":          {wire.CompressorSnappy, []byte{0x80, 0xf0, 0xc6, 0x5b, 0, 'x'}},
		"zlib with a head alone":         {wire.CompressorZlib, zlibHead},
		"zlib with an empty final block": {wire.CompressorZlib, append(zlibHead, 3, 0, 0, 0, 0, 1)},
		"noop":                           {wire.CompressorNoop, []byte("x")},
	} {
		t.Run(name, func(t *testing.T) {
			c := new(Coders)
			c.Expand(tt.src, tt.id, claim) // the coders themselves are made once
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := c.Expand(tt.src, tt.id, claim); err == nil {
				t.Error("the claim was believed")
			}
			runtime.ReadMemStats(&after)
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
				t.Errorf("%d bytes allocated %d", len(tt.src), grown)
			}
		})
	}
}

// The driver still expands data that really grows that much: a run of one byte, as long as a message may be.
func TestARunAsLongAsAMessageExpands(t *testing.T) {
	src := make([]byte, wire.DefaultMaxMessageSizeBytes)
	for _, id := range []wire.CompressorID{wire.CompressorSnappy, wire.CompressorZlib, wire.CompressorZstd} {
		packed, err := new(Coders).Append(nil, src, id, wire.ZlibDefaultLevel)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := new(Coders).Expand(packed, id, len(src)); err != nil || len(out) != len(src) {
			t.Errorf("%s: %d bytes of %d, %v", id, len(out), len(packed), err)
		}
	}
}
