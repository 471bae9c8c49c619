package compress

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"github.com/specdrivers/onion/generated/core/wire"
)

// Append appends src to dst, compressed. level is zlib's alone.
func Append(dst, src []byte, id wire.CompressorID, level int) ([]byte, error) {
	switch id {
	case wire.CompressorNoop:
		return append(dst, src...), nil
	case wire.CompressorSnappy:
		return append(dst, snappy.Encode(nil, src)...), nil
	case wire.CompressorZlib:
		buf := bytes.NewBuffer(dst)
		w, err := zlib.NewWriterLevel(buf, level)
		if err == nil {
			_, err = w.Write(src)
			err = errors.Join(err, w.Close())
		}
		if err != nil {
			return nil, fmt.Errorf("compress: zlib: %w", err)
		}
		return buf.Bytes(), nil
	case wire.CompressorZstd:
		w, err := zstdWriter()
		if err != nil {
			return nil, fmt.Errorf("compress: zstd: %w", err)
		}
		return w.EncodeAll(src, dst), nil
	}
	return nil, fmt.Errorf("compress: no compressor with the id %d", id)
}

// Expand decompresses src. It fails unless exactly size bytes come out, and never allocates much more than comes out.
func Expand(src []byte, id wire.CompressorID, size int) ([]byte, error) {
	var r io.Reader
	switch id {
	case wire.CompressorNoop:
		r = bytes.NewReader(src)
	case wire.CompressorSnappy:
		return expandSnappy(src, size)
	case wire.CompressorZlib:
		z, err := zlib.NewReader(bytes.NewReader(src))
		if err != nil {
			return nil, fmt.Errorf("compress: %s: %w", id, err)
		}
		r = z
	case wire.CompressorZstd:
		z, err := zstd.NewReader(bytes.NewReader(src), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, fmt.Errorf("compress: %s: %w", id, err)
		}
		defer z.Close()
		r = z
	default:
		return nil, fmt.Errorf("compress: no compressor with the id %d", id)
	}
	// One byte more than claimed is enough to see that the claim was wrong.
	out, err := io.ReadAll(io.LimitReader(r, int64(size)+1))
	if err == nil && len(out) != size {
		err = errors.New("the size that the message claims is wrong")
	}
	if err != nil {
		return nil, fmt.Errorf("compress: %s: %w", id, err)
	}
	return out, nil
}

func expandSnappy(src []byte, size int) ([]byte, error) {
	n, err := snappy.DecodedLen(src)
	if err == nil && n != size {
		err = errors.New("the size that the message claims is wrong")
	}
	if err != nil {
		return nil, fmt.Errorf("compress: snappy: %w", err)
	}
	return snappy.Decode(nil, src)
}

// zstdWriter is shared: EncodeAll keeps no state. A single segment makes the frame tell its size, which drivers ask for.
var zstdWriter = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20), zstd.WithSingleSegment(true))
})
