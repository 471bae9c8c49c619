package exec

import "testing"

func TestGrowBatchGuessesFromTheItemsBefore(t *testing.T) {
	const limit = 48_000_000
	tests := map[string]struct {
		length, size, sent, remain int
		free                       int // free bytes after the message
		least, most                int // of the capacity
	}{
		"uniform items":         {length: 1100, size: 1000, sent: 1, remain: 2, least: 3100, most: 4000},
		"four times at most":    {length: 1100, size: 1000, sent: 1, remain: 1000, least: 4400, most: 5000},
		"no items remain":       {length: 1100, size: 1000, sent: 1, remain: 0, least: 1100, most: 1100},
		"one item remains":      {length: 1100, size: 1000, sent: 1, remain: 1, least: 2100, most: 3200},
		"room for one item":     {length: 1100, size: 1000, sent: 1, remain: 1000, free: 1001, least: 2101, most: 2101},
		"not quite enough room": {length: 1100, size: 1000, sent: 1, remain: 1000, free: 1000, least: 4400, most: 5000},
		"as much as is allowed": {length: 20_000_000, size: 19_000_000, sent: 10, remain: 90, least: limit, most: limit + 4_000_000},
		"more than is allowed":  {length: limit + 5, size: 16_000_000, sent: 3, remain: 90, least: limit, most: limit + 16_000_000},
	}
	for name, tt := range tests {
		msg := make([]byte, tt.length, tt.length+tt.free)
		got := growBatch(msg, tt.size, tt.sent, tt.remain, limit)
		if len(got) != tt.length || cap(got) < tt.least || cap(got) > tt.most {
			t.Errorf("%s: capacity %d, want %d to %d", name, cap(got), tt.least, tt.most)
		}
	}
}
