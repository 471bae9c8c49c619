package mongo_test

import (
	"context"
	"sync/atomic"
	"testing"
)

// fuse is a context that is cancelled when the code under test looks at it for the n-th time. Counting n up from 1
// reaches every place where an operation can notice that its context has ended.
type fuse struct {
	context.Context
	burn func()
	left atomic.Int64
}

func (f *fuse) look() {
	if f.left.Add(-1) == 0 {
		f.burn()
	}
}

func (f *fuse) Err() error            { f.look(); return f.Context.Err() }
func (f *fuse) Done() <-chan struct{} { f.look(); return f.Context.Done() }
func (f *fuse) Value(key any) any     { f.look(); return f.Context.Value(key) }

// cancelAtEachLook runs an operation with a context that is cancelled at the first look, then at the second, and so on,
// until the operation ends before that look. It calls check after each run.
func cancelAtEachLook(t *testing.T, operation func(ctx context.Context) error, check func(n int64, err error)) {
	t.Helper()
	const most = 2000
	for n := int64(1); n < most; n++ {
		ctx, cancel := context.WithCancel(t.Context())
		f := &fuse{Context: ctx, burn: cancel}
		f.left.Store(n)
		err := operation(f)
		burnt := f.left.Load() <= 0
		cancel()
		check(n, err)
		if !burnt {
			if n == 1 {
				t.Error("the operation never looked at its context")
			}
			return
		}
	}
	t.Errorf("the operation still looks at its context after %d times", most)
}
