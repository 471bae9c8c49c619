package conn

import (
	"slices"
	"testing"
)

// An idle connection holds no read buffer. One that has read more than its reply keeps its buffer, and does not count
// as settled.
func TestReadersAreLent(t *testing.T) {
	reply := lateReply(1, 10)
	for name, tt := range map[string]struct {
		says []byte
		kept int
	}{
		"a reply":                      {reply, 0},
		"a reply larger than a buffer": {lateReply(1, 3*readBufferSize), 0},
		"a reply and a bit":            {slices.Concat(reply, []byte("bit")), 3},
	} {
		c, _ := newDialogue(tt.says)
		if _, err := c.RoundTrip(t.Context(), requestMessage(c), false); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if lent := c.reader != nil; lent != (tt.kept > 0) || c.buffered() != tt.kept || c.Settled() == lent {
			t.Errorf("%s: a reader is lent: %t, %d bytes are left, settled: %t", name, lent, c.buffered(), c.Settled())
		}
	}
}
