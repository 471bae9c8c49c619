package pool_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/pool"
)

func TestFastPathDoesNotAllocate(t *testing.T) {
	p := pool.New(pool.Config[pool.Conn]{Address: "a:1", Connect: connectAtOnce})
	defer p.Close()
	p.Ready()
	ctx := t.Context()
	allocs := testing.AllocsPerRun(1000, func() {
		c, err := p.CheckOut(ctx)
		if err != nil {
			t.Fatal(err)
		}
		p.CheckIn(c)
	})
	if allocs != 0 {
		t.Errorf("a check-out and check-in allocate %v times, want 0", allocs)
	}
}

// TestContentionKeepsTheLimits uses a pool from many goroutines while one of them clears it, and counts connections.
func TestContentionKeepsTheLimits(t *testing.T) {
	const maxPoolSize = 5
	var open, most atomic.Int32
	m := &event.PoolMonitor{
		ConnectionCreated: func(*event.ConnectionCreated) { most.Store(max(most.Load(), open.Add(1))) },
		ConnectionClosed:  func(*event.ConnectionClosed) { open.Add(-1) },
	}
	p := pool.New(pool.Config[pool.Conn]{
		Address: "a:1", Connect: connectAtOnce, Monitor: m,
		Options: event.PoolOptions{MaxPoolSize: new(maxPoolSize), MinPoolSize: new(2), MaxConnecting: new(3)},
	})
	p.Ready()
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for n := range 300 {
				if i == 0 && n%50 == 0 {
					p.ClearInterrupting(nil)
					p.Ready()
				}
				c, err := p.CheckOut(t.Context())
				if err != nil {
					continue
				}
				if n%7 == 0 {
					c.Conn.Close()
				}
				p.CheckIn(c)
			}
		})
	}
	wg.Wait()
	p.Close()
	if s := p.Stats(); s.Total+s.Available+s.Pending+s.Waiting != 0 || s.Ready {
		t.Errorf("Stats() after Close = %+v", s)
	}
	if open.Load() != 0 {
		t.Errorf("%d connections were created and not closed", open.Load())
	}
	if most.Load() > maxPoolSize {
		t.Errorf("%d connections at once, want at most %d", most.Load(), maxPoolSize)
	}
}

// BenchmarkContention checks connections out and in from goroutines that share a pool; it also reports how long the
// slowest of a hundred waits compared with the usual one.
func BenchmarkContention(b *testing.B) {
	for _, goroutines := range []int{1, 16, 256, 4096} {
		for _, connections := range []int{1, 10, 100} {
			b.Run(fmt.Sprintf("goroutines=%d/connections=%d", goroutines, connections), func(b *testing.B) {
				benchmarkContention(b, goroutines, connections)
			})
		}
	}
}

func benchmarkContention(b *testing.B, goroutines, connections int) {
	p := pool.New(pool.Config[pool.Conn]{
		Address: "a:1", Connect: connectAtOnce,
		Options: event.PoolOptions{MaxPoolSize: &connections, MaxConnecting: &connections},
	})
	defer p.Close()
	p.Ready()
	b.ReportAllocs()
	samples := make([][]time.Duration, goroutines)
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	for g := range goroutines {
		wg.Go(func() {
			for {
				n := next.Add(1)
				if n > int64(b.N) {
					return
				}
				var began time.Time
				if n%16 == 0 {
					began = time.Now()
				}
				c, err := p.CheckOut(b.Context())
				if err != nil {
					b.Error(err)
					return
				}
				if n%16 == 0 {
					samples[g] = append(samples[g], time.Since(began))
				}
				p.CheckIn(c)
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	all := slices.Concat(samples...)
	if len(all) > 100 {
		slices.Sort(all)
		b.ReportMetric(float64(all[len(all)*99/100])/float64(max(1, all[len(all)/2])), "p99/p50")
	}
}
