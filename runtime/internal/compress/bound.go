package compress

import "github.com/klauspost/compress/zstd"

// The greatest number of bytes that one byte of input can expand to: three bytes of snappy copy 64, and deflate's shortest code
// copies 258 bytes in two bits.
const (
	maxSnappyRatio = 22
	maxZlibRatio   = 1032
)

const (
	zstdBlockHeaderSize = 3
	zstdMaxBlockSize    = 128 << 10
	zstdChecksumSize    = 4
)

// The types of zstd's blocks. RFC 8878, "Blocks".
const (
	zstdRawBlock = iota
	zstdRLEBlock
)

// zstdBound is the most that zstd frames can hold, by the headers of their blocks, or enough if that is sooner.
// Malformed input holds nothing after the point where it breaks.
func zstdBound(src []byte, enough int) int {
	most := 0
	for len(src) > 0 && most < enough {
		var h zstd.Header
		if h.Decode(src) != nil || h.HeaderSize > len(src) {
			break
		}
		src = src[h.HeaderSize:]
		if h.Skippable {
			src = src[min(int(h.SkippableSize), len(src)):]
			continue
		}
		held := 0
		held, src = zstdFrameBound(src, enough-most)
		if h.HasFCS && h.FrameContentSize < uint64(held) {
			held = int(h.FrameContentSize)
		}
		most += held
		if h.HasCheckSum {
			src = src[min(zstdChecksumSize, len(src)):]
		}
	}
	return most
}

// zstdFrameBound walks over the blocks of a frame and returns what follows them.
func zstdFrameBound(src []byte, enough int) (most int, rest []byte) {
	for last := false; !last && most < enough && len(src) >= zstdBlockHeaderSize; {
		head := int(src[0]) | int(src[1])<<8 | int(src[2])<<16
		src = src[zstdBlockHeaderSize:]
		size := head >> 3
		last = head&1 == 1
		inside := size
		switch head >> 1 & 3 {
		case zstdRawBlock:
			most += size
		case zstdRLEBlock:
			most += min(size, zstdMaxBlockSize)
			inside = 1
		default:
			most += zstdMaxBlockSize
		}
		if inside > len(src) {
			return most, nil
		}
		src = src[inside:]
	}
	return most, src
}
