//go:build poison

package poison

import (
	"bytes"
	"testing"
)

func TestBytesOverwritesTheWholeCapacity(t *testing.T) {
	b := make([]byte, 3, 10)
	Bytes(b)
	if !bytes.Equal(b[:10], bytes.Repeat([]byte{pattern}, 10)) {
		t.Errorf("%x", b[:10])
	}
}

func TestMarksPanic(t *testing.T) {
	for _, tt := range []struct {
		name   string
		use    func(m *Mark)
		panics bool
	}{
		{"in use", func(m *Mark) { m.InUse() }, false},
		{"used after it went back", func(m *Mark) { m.GoesBack(); m.InUse() }, true},
		{"went back twice", func(m *Mark) { m.GoesBack(); m.GoesBack() }, true},
		{"came out in between", func(m *Mark) { m.GoesBack(); m.ComesOut(); m.InUse(); m.GoesBack() }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if panicked := recover() != nil; panicked != tt.panics {
					t.Errorf("it panicked: %t", panicked)
				}
			}()
			tt.use(new(Mark))
		})
	}
}
