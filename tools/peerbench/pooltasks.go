package main

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	official "go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/address"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/pool"
)

// poolGoal is the goal for the pool's throughput, as a multiple of the official pool's, where many goroutines share few
// connections and hold them for no time.
const poolGoal = 2

// poolTasks check connections out and in from many goroutines. The connections do nothing, so the tasks measure only
// the pool.
func poolTasks() []task {
	var tasks []task
	for _, hold := range []time.Duration{0, 100 * time.Microsecond} {
		for _, goroutines := range []int{1, 16, 256, 4096} {
			for _, connections := range []int{1, 10, 100} {
				tasks = append(tasks, poolTask(goroutines, connections, hold))
			}
		}
	}
	return tasks
}

func poolTask(goroutines, connections int, hold time.Duration) task {
	ours := sync.OnceValue(func() *pool.Pool[*idleConn] { return openPool(connections) })
	theirs := sync.OnceValue(func() *topology.Server { return openOfficial(connections) })
	t := task{
		family: "pool", least: goroutines,
		name: fmt.Sprintf("pool, %d goroutines, %d connections, held %v", goroutines, connections, hold),
		sides: []side{
			{name: "official", run: func(n int) {
				server := theirs()
				share(n, goroutines, func() error { return useOfficial(server, hold) })
			}},
			{name: "onion", run: func(n int) {
				p := ours()
				share(n, goroutines, func() error { return usePool(p, hold) })
			}},
		},
	}
	if goroutines == 256 && connections == 10 && hold == 0 {
		t.goal = poolGoal
	}
	return t
}

// share does something n times in all from many goroutines.
func share(n, goroutines int, use func() error) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(goroutines, n) {
		wg.Go(func() {
			for next.Add(1) <= int64(n) {
				if err := use(); err != nil {
					panic(err)
				}
			}
		})
	}
	wg.Wait()
}

func openPool(connections int) *pool.Pool[*idleConn] {
	p := pool.New(pool.Config[*idleConn]{
		Address: "localhost:27017",
		Connect: func(context.Context, int64) (*idleConn, error) { return newIdleConn(), nil },
		Options: event.PoolOptions{MaxPoolSize: &connections},
	})
	p.Ready()
	return p
}

func usePool(p *pool.Pool[*idleConn], hold time.Duration) error {
	c, err := p.CheckOut(context.Background())
	if err != nil {
		return err
	}
	spin(hold)
	return p.CheckIn(c)
}

// spin waits by looking at the clock. An idle processor would sleep for a millisecond at least, and the pool that leaves it
// more to sleep would seem slower.
func spin(hold time.Duration) {
	if hold == 0 {
		return
	}
	for until := time.Now().Add(hold); time.Now().Before(until); {
		runtime.Gosched()
	}
}

// openOfficial opens a server of the official driver behind a load balancer: such a server has no monitor.
func openOfficial(connections int) *topology.Server {
	dial := func(context.Context, string, string) (net.Conn, error) { return newIdleConn(), nil }
	server, err := topology.ConnectServer(address.Address("localhost:27017"), nil, official.NewObjectID(), time.Second,
		topology.WithServerLoadBalanced(func(bool) bool { return true }),
		topology.WithMaxConnections(func(uint64) uint64 { return uint64(connections) }),
		topology.WithConnectionOptions(func(...topology.ConnectionOption) []topology.ConnectionOption {
			return []topology.ConnectionOption{
				topology.WithDialer(func(topology.Dialer) topology.Dialer { return topology.DialerFunc(dial) }),
			}
		}))
	if err != nil {
		panic(err)
	}
	return server
}

func useOfficial(server *topology.Server, hold time.Duration) error {
	c, err := server.Connection(context.Background())
	if err != nil {
		return err
	}
	spin(hold)
	return c.Close()
}

// idleConn is a connection that never reads or writes anything.
type idleConn struct {
	net.Conn // nil: a call of any method that is not below panics
	closed   chan struct{}
	once     sync.Once
}

func newIdleConn() *idleConn { return &idleConn{closed: make(chan struct{})} }

func (c *idleConn) IsBroken() bool { return false }

func (c *idleConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

func (c *idleConn) Read([]byte) (int, error) {
	<-c.closed
	return 0, net.ErrClosed
}

func (c *idleConn) SetDeadline(time.Time) error      { return nil }
func (c *idleConn) SetReadDeadline(time.Time) error  { return nil }
func (c *idleConn) SetWriteDeadline(time.Time) error { return nil }
