package compress

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/specdrivers/onion/generated/core/wire"
)

var compressors = []wire.CompressorID{wire.CompressorNoop, wire.CompressorSnappy, wire.CompressorZlib, wire.CompressorZstd}

func TestExpandUndoesAppend(t *testing.T) {
	for _, id := range compressors {
		for _, size := range []int{0, 1, 100, 255, 256, 70_000, 5 << 20} {
			src := bytes.Repeat([]byte("onion "), size/6+1)[:size]
			packed, err := new(Coders).Append([]byte("before"), src, id, wire.ZlibDefaultLevel)
			if err != nil {
				t.Fatalf("%s of %d bytes: %v", id, size, err)
			}
			out, err := new(Coders).Expand(packed[len("before"):], id, size)
			if err != nil || !bytes.Equal(out, src) {
				t.Errorf("%s of %d bytes: %d came back, %v", id, size, len(out), err)
			}
		}
	}
}

func TestExpandHoldsTheClaimAgainstWhatComesOut(t *testing.T) {
	src := bytes.Repeat([]byte("x"), 1000)
	for _, id := range compressors {
		packed, err := new(Coders).Append(nil, src, id, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, claim := range []int{0, 999, 1001} {
			if _, err := new(Coders).Expand(packed, id, claim); err == nil {
				t.Errorf("%s: a claim of %d bytes was believed", id, claim)
			}
		}
		if id != wire.CompressorNoop {
			if _, err := new(Coders).Expand(packed[:len(packed)/2], id, 1000); err == nil {
				t.Errorf("%s: half of the bytes were enough", id)
			}
		}
	}
	if _, err := new(Coders).Expand(nil, 200, 0); err == nil {
		t.Error("an unknown compressor expanded something")
	}
}

func TestZstdFramesTellTheirSize(t *testing.T) {
	packed, err := new(Coders).Append(nil, []byte("small"), wire.CompressorZstd, 0)
	if err != nil {
		t.Fatal(err)
	}
	var h zstd.Header
	if err := h.Decode(packed); err != nil || !h.HasFCS || h.FrameContentSize != 5 {
		t.Errorf("%+v, %v", h, err)
	}
}

func FuzzExpand(f *testing.F) {
	for _, id := range compressors {
		packed, err := new(Coders).Append(nil, []byte("onion onion onion"), id, 6)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(packed, byte(id), 17)
	}
	f.Fuzz(func(t *testing.T, src []byte, id byte, size int) {
		size &= 1<<16 - 1
		if out, err := new(Coders).Expand(src, wire.CompressorID(id), size); err == nil && len(out) != size {
			t.Fatalf("it expanded to %d bytes, want %d", len(out), size)
		}
	})
}
