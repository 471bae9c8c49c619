package compress

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"github.com/specdrivers/onion/generated/core/wire"
)

// Coders are the compressors of one client. They keep what is costly to make. The zero value is ready; it is safe for
// concurrent use and must not be copied. They are not package variables, because those of zstd hold channels: one
// testing/synctest bubble could not use the channels of another.
type Coders struct {
	zlibWriters [wire.ZlibBestCompression + 2]sync.Pool // by level, offset by one since the default level is -1
	zlibReaders sync.Pool

	// The zstd coders are stateless in the way they are used here (EncodeAll, DecodeAll), so all connections share
	// them. They are made at the first use: a client that never negotiates zstd pays nothing.
	encoder lazyValue[*zstd.Encoder]
	decoder lazyValue[*zstd.Decoder]
}

// lazyValue is made at its first use.
type lazyValue[T any] struct {
	once  sync.Once
	value T
	err   error
}

func (l *lazyValue[T]) get(make func() (T, error)) (T, error) {
	l.once.Do(func() { l.value, l.err = make() })
	return l.value, l.err
}

// Append compresses src and appends it to dst. Only zlib uses level.
func (c *Coders) Append(dst, src []byte, id wire.CompressorID, level int) ([]byte, error) {
	switch id {
	case wire.CompressorNoop:
		return append(dst, src...), nil
	case wire.CompressorSnappy:
		return appendSnappy(dst, src)
	case wire.CompressorZlib:
		return c.appendZlib(dst, src, level)
	case wire.CompressorZstd:
		enc, err := c.encoder.get(newZstdEncoder)
		if err != nil {
			return nil, err
		}
		return enc.EncodeAll(src, dst), nil
	}
	return nil, fmt.Errorf("compress: no compressor with the id %d", id)
}

// Expand decompresses src, which must yield size bytes: an input that holds more or fewer is an error. Neither much
// more than size bytes are allocated nor more than an input of that length can hold.
func (c *Coders) Expand(src []byte, id wire.CompressorID, size int) ([]byte, error) {
	var out []byte
	var err error
	switch id {
	case wire.CompressorNoop:
		out = src
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
	if len(out) != size {
		return nil, fmt.Errorf("compress: %s: it expanded to %d bytes, and the message claims %d", id, len(out), size)
	}
	return out, nil
}

func appendSnappy(dst, src []byte) ([]byte, error) {
	n := snappy.MaxEncodedLen(len(src))
	if n < 0 {
		return nil, fmt.Errorf("compress: snappy: %d bytes are too many", len(src))
	}
	have := len(dst)
	dst = append(dst, make([]byte, n)...)
	return dst[:have+len(snappy.Encode(dst[have:], src))], nil
}

func expandSnappy(src []byte, size int) ([]byte, error) {
	n, err := snappy.DecodedLen(src)
	if err != nil {
		return nil, err
	}
	if n != size || n > maxSnappyRatio*len(src) {
		return nil, fmt.Errorf("the input of %d bytes claims to hold %d bytes, and the message claims %d", len(src), n, size)
	}
	return snappy.Decode(nil, src)
}

func (c *Coders) appendZlib(dst, src []byte, level int) ([]byte, error) {
	if level < -1 || level > wire.ZlibBestCompression {
		return nil, fmt.Errorf("compress: zlib has no level %d", level)
	}
	pool := &c.zlibWriters[level+1]
	z, ok := pool.Get().(*zlibWriter)
	if ok {
		z.out = *bytes.NewBuffer(dst)
		z.w.Reset(&z.out)
	} else {
		z = &zlibWriter{out: *bytes.NewBuffer(dst)}
		var err error
		if z.w, err = zlib.NewWriterLevel(&z.out, level); err != nil {
			return nil, fmt.Errorf("compress: zlib: %w", err)
		}
	}
	if _, err := z.w.Write(src); err != nil {
		return nil, fmt.Errorf("compress: zlib: %w", err)
	}
	if err := z.w.Close(); err != nil {
		return nil, fmt.Errorf("compress: zlib: %w", err)
	}
	dst = z.out.Bytes()
	z.out = bytes.Buffer{}
	pool.Put(z)
	return dst, nil
}

// zlibWriter and zlibReader do not keep a message, which may have 48 MB, while they wait for the next one.
type (
	zlibWriter struct {
		w   *zlib.Writer
		out bytes.Buffer
	}
	zlibReader struct {
		r  io.ReadCloser
		in bytes.Reader
	}
)

func (c *Coders) expandZlib(src []byte, size int) ([]byte, error) {
	z, ok := c.zlibReaders.Get().(*zlibReader)
	if ok {
		z.in.Reset(src)
		if err := z.r.(zlib.Resetter).Reset(&z.in, nil); err != nil {
			return nil, err
		}
	} else {
		z = new(zlibReader)
		z.in.Reset(src)
		var err error
		if z.r, err = zlib.NewReader(&z.in); err != nil {
			return nil, err
		}
	}
	out := bytes.NewBuffer(make([]byte, 0, min(size, maxZlibRatio*len(src))+bytes.MinRead))
	// One byte more than claimed is enough to tell that the claim was wrong.
	if _, err := io.Copy(out, io.LimitReader(z.r, int64(size)+1)); err != nil {
		return nil, err
	}
	z.in.Reset(nil)
	c.zlibReaders.Put(z)
	return out.Bytes(), nil
}

// newZstdEncoder writes frames of a single segment, because they state their size, which decoders of whole frames need.
func newZstdEncoder() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20), zstd.WithSingleSegment(true))
}

func newZstdDecoder() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0),
		zstd.WithDecoderMaxMemory(wire.GreatestMaxMessageSizeBytes), zstd.WithDecodeAllCapLimit(true))
}

// expandZstd gives the decoder a buffer whose capacity is the claimed size, which the decoder will not outgrow.
func (c *Coders) expandZstd(src []byte, size int) ([]byte, error) {
	dec, err := c.decoder.get(newZstdDecoder)
	if err != nil {
		return nil, err
	}
	if most := zstdBound(src, size); size > most {
		return nil, fmt.Errorf("the input of %d bytes can hold at most %d bytes, and the message claims %d", len(src), most, size)
	}
	return dec.DecodeAll(src, make([]byte, 0, size))
}
