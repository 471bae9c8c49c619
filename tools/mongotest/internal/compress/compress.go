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

// zlibLevel is the level at which a server compresses its replies.
const zlibLevel = 6

// Coders are the compressors of one node. They are kept because they are costly to make. The zero value is ready; it is safe for
// concurrent use and must not be copied. They are not package variables because zstd's coders hold channels, and a testing/synctest
// bubble cannot use channels that another bubble made.
type Coders struct{ zlibWriters, zlibReaders, zstdWriters, zstdReaders sync.Pool }

// Append appends src to dst, compressed.
func (c *Coders) Append(dst, src []byte, id wire.CompressorID) ([]byte, error) {
	switch id {
	case wire.CompressorNoop:
		return append(dst, src...), nil
	case wire.CompressorSnappy:
		return append(dst, snappy.Encode(nil, src)...), nil
	case wire.CompressorZlib:
		buf := bytes.NewBuffer(dst)
		w, err := takeOrMake(&c.zlibWriters, func() (*zlib.Writer, error) { return zlib.NewWriterLevel(nil, zlibLevel) })
		if err == nil {
			w.Reset(buf)
			_, err = w.Write(src)
			err = errors.Join(err, w.Close())
			c.zlibWriters.Put(w)
		}
		if err != nil {
			return nil, fmt.Errorf("compress: zlib: %w", err)
		}
		return buf.Bytes(), nil
	case wire.CompressorZstd:
		w, err := takeOrMake(&c.zstdWriters, newZstdWriter)
		if err != nil {
			return nil, fmt.Errorf("compress: zstd: %w", err)
		}
		defer c.zstdWriters.Put(w)
		return w.EncodeAll(src, dst), nil
	}
	return nil, fmt.Errorf("compress: no compressor with the id %d", id)
}

// newZstdWriter makes an encoder of single segments, whose frames state their size, which drivers require.
func newZstdWriter() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20), zstd.WithSingleSegment(true))
}

// takeOrMake takes a coder out of a pool, or makes one.
func takeOrMake[T any](pool *sync.Pool, make func() (T, error)) (T, error) {
	if coder, ok := pool.Get().(T); ok {
		return coder, nil
	}
	return make()
}

// Expand decompresses src. It fails unless exactly size bytes come out, and never allocates much more than comes out.
func (c *Coders) Expand(src []byte, id wire.CompressorID, size int) (out []byte, err error) {
	switch id {
	case wire.CompressorNoop:
		out, err = readAll(bytes.NewReader(src), size)
	case wire.CompressorSnappy:
		out, err = expandSnappy(src, size)
	case wire.CompressorZlib:
		out, err = c.expandZlib(src, size)
	case wire.CompressorZstd:
		out, err = c.expandZstd(src, size)
	default:
		return nil, fmt.Errorf("compress: no compressor with the id %d", id)
	}
	if err != nil {
		return nil, fmt.Errorf("compress: %s: %w", id, err)
	}
	return out, nil
}

var errSize = errors.New("the size that the message claims is wrong")

// readAll reads one byte more than claimed, which is enough to see that the claim was wrong.
func readAll(r io.Reader, size int) ([]byte, error) {
	out, err := io.ReadAll(io.LimitReader(r, int64(size)+1))
	if err == nil && len(out) != size {
		err = errSize
	}
	return out, err
}

func expandSnappy(src []byte, size int) ([]byte, error) {
	n, err := snappy.DecodedLen(src)
	if err == nil && n != size {
		err = errSize
	}
	if err != nil {
		return nil, err
	}
	return snappy.Decode(nil, src)
}

func (c *Coders) expandZlib(src []byte, size int) ([]byte, error) {
	in := bytes.NewReader(src)
	r, ok := c.zlibReaders.Get().(io.Reader)
	var err error
	if ok {
		err = r.(zlib.Resetter).Reset(in, nil)
	} else {
		r, err = zlib.NewReader(in)
	}
	if err != nil {
		return nil, err
	}
	out, err := readAll(r, size)
	if err == nil {
		c.zlibReaders.Put(r)
	}
	return out, err
}

func (c *Coders) expandZstd(src []byte, size int) ([]byte, error) {
	r, err := takeOrMake(&c.zstdReaders, func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	})
	if err != nil {
		return nil, err
	}
	if err := r.Reset(bytes.NewReader(src)); err != nil {
		return nil, err
	}
	out, err := readAll(r, size)
	if err == nil {
		c.zstdReaders.Put(r) // without a goroutine, a reader that is left to the collector needs no Close
	}
	return out, err
}
