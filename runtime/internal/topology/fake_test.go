package topology

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// fakeDeployment simulates servers and the network between them, in the time of the synctest bubble.
type fakeDeployment struct {
	mu      sync.Mutex
	servers map[string]*fakeServer
}

// fakeServer answers hello with its fields.
type fakeServer struct {
	fields  bson.D // without ok and topologyVersion
	streams bool
	counter int64
	changed chan struct{} // closed at every change
	down    bool          // connections are refused and broken
	silent  bool          // nothing is answered
	latency time.Duration
	dials   int
	hellos  int
	open    int // monitoring connections

	asking      int             // hellos under way
	mostAsking  int             // the most there ever were
	awaits      []time.Duration // maxAwaitTimeMS of each awaitable hello
	versions    []bson.Raw      // topologyVersion of each awaitable hello
	onlyDials   int             // monitoring connections after so many are refused; 0 = none
	failures    int             // how many hellos fail with an error of the server
	connects    int             // pooled connections
	refusesFrom int             // pooled connections from this one on are dropped; 0 = none
	refusal     string          // what fails then
	hurries     int             // how many awaitable hellos are answered at once although nothing has changed
	ages        bool            // each reply has a newer topologyVersion
	forgets     bool            // its replies have none
	drops       bool            // it breaks the connection when it should await a change
	cuts        int             // how many hellos that await nothing break their connection
}

func newFakeDeployment(servers map[string]*fakeServer) *fakeDeployment {
	for _, s := range servers {
		s.changed = make(chan struct{})
	}
	return &fakeDeployment{servers: servers}
}

// change changes a server and wakes everyone who waits for a change.
func (d *fakeDeployment) change(address string, f func(*fakeServer)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.servers[address]
	f(s)
	s.counter++
	close(s.changed)
	s.changed = make(chan struct{})
}

func (d *fakeDeployment) count(address string) (dials, hellos int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.servers[address].dials, d.servers[address].hellos
}

func refusedError(address string) error {
	return fault.NetworkError{Address: address, Doing: "connecting to", Err: syscall.ECONNREFUSED}
}

// answer waits for the latency and returns the server's current reply.
func (d *fakeDeployment) answer(ctx context.Context, address string) (bson.Raw, error) {
	d.mu.Lock()
	s := d.servers[address]
	latency := s.latency
	s.hellos++
	s.asking++
	s.mostAsking = max(s.mostAsking, s.asking)
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		s.asking--
	}()
	if latency > 0 {
		select {
		case <-time.After(latency):
		case <-ctx.Done():
		}
	}
	d.mu.Lock()
	down, silent := s.down, s.silent
	failing := s.failures > 0
	if failing {
		s.failures--
	}
	d.mu.Unlock()
	if silent {
		<-ctx.Done()
	}
	if ctx.Err() != nil {
		return nil, fault.NetworkError{Address: address, Err: ctx.Err()}
	}
	if down {
		return nil, refusedError(address)
	}
	if failing {
		return bson.Marshal(bson.D{{Key: "ok", Value: 0}, {Key: "code", Value: 1234}, {Key: "errmsg", Value: "fail point"}})
	}
	return d.reply(address), nil
}

func (d *fakeDeployment) reply(address string) bson.Raw {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.servers[address]
	doc := append(bson.D{{Key: "ok", Value: 1}, {Key: "helloOk", Value: true}, {Key: "maxWireVersion", Value: 21}}, s.fields...)
	if s.streams && !s.forgets {
		doc = append(doc, bson.E{Key: "topologyVersion", Value: bson.D{
			{Key: "processId", Value: bson.ObjectID{1}}, {Key: "counter", Value: s.counter},
		}})
	}
	raw, err := bson.Marshal(doc)
	if err != nil {
		panic(err)
	}
	return raw
}

// dial is Config.dialMonitor.
func (d *fakeDeployment) dial(ctx context.Context, address string) (monitorConn, error) {
	d.mu.Lock()
	s, ok := d.servers[address]
	if ok {
		s.dials++
		ok = s.onlyDials == 0 || s.dials <= s.onlyDials
	}
	d.mu.Unlock()
	if !ok {
		return nil, refusedError(address)
	}
	began := time.Now()
	reply, err := d.answer(ctx, address)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	s.open++
	d.mu.Unlock()
	return &fakeMonitorConn{d: d, address: address, hello: reply, elapsed: time.Since(began)}, nil
}

// connect is Config.connect.
func (d *fakeDeployment) connect(_ context.Context, address string, _ int64) (*Connection, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.servers[address]
	if !ok || s.down {
		return nil, refusedError(address)
	}
	s.connects++
	if s.refusesFrom > 0 && s.connects >= s.refusesFrom {
		return nil, fault.NetworkError{Address: address, Doing: s.refusal, Err: io.EOF}
	}
	c := &Connection{Conn: conn.New(&fakeConn{}, address, nil)}
	c.Hello().ServiceID = &bson.ObjectID{9}
	return c, nil
}

// fakeConn is a connection that carries nothing.
type fakeConn struct{ net.Conn }

func (*fakeConn) Close() error { return nil }

type fakeMonitorConn struct {
	d       *fakeDeployment
	address string
	hello   bson.Raw
	elapsed time.Duration
	counter int64
	await   time.Duration
}

func (c *fakeMonitorConn) Handshake() (bson.Raw, time.Duration) { return c.hello, c.elapsed }

func (c *fakeMonitorConn) Close() error {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	c.d.servers[c.address].open--
	return nil
}

func (c *fakeMonitorConn) Check(ctx context.Context, version bson.Raw, maxAwait time.Duration) (bson.Raw, bool, error) {
	if version == nil {
		if c.d.breaksHello(c.address) {
			return nil, false, fault.NetworkError{Address: c.address, Doing: "reading from", Err: io.EOF}
		}
		reply, err := c.d.answer(ctx, c.address)
		return reply, false, err
	}
	c.counter, _ = version.Lookup("counter").AsInt64OK()
	c.await = maxAwait
	c.d.mu.Lock()
	s := c.d.servers[c.address]
	s.awaits = append(s.awaits, maxAwait)
	s.versions = append(s.versions, version)
	c.d.mu.Unlock()
	return c.awaitChange(ctx)
}

// breaksHello reports whether a hello breaks its connection.
func (d *fakeDeployment) breaksHello(address string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.servers[address]
	if s.cuts == 0 {
		return false
	}
	s.cuts--
	return true
}

func (c *fakeMonitorConn) Next(ctx context.Context) (bson.Raw, bool, error) {
	return c.awaitChange(ctx)
}

func (c *fakeMonitorConn) awaitChange(ctx context.Context) (bson.Raw, bool, error) {
	c.d.mu.Lock()
	s := c.d.servers[c.address]
	changed, counter := s.changed, s.counter
	if s.drops {
		c.d.mu.Unlock()
		return nil, false, fault.NetworkError{Address: c.address, Doing: "reading from", Err: io.EOF}
	}
	if s.hurries > 0 {
		s.hurries--
		counter = -1 // do not wait
	}
	if s.ages {
		s.counter++
	}
	c.d.mu.Unlock()
	if counter == c.counter {
		select {
		case <-changed:
		case <-time.After(c.await):
		case <-ctx.Done():
		}
	}
	c.d.mu.Lock()
	c.counter = s.counter
	streams := s.streams
	c.d.mu.Unlock()
	reply, err := c.d.answer(ctx, c.address)
	return reply, streams, err
}

// log keeps the events of a topology as short texts.
type log struct {
	mu    sync.Mutex
	lines []string
}

func (l *log) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

func (l *log) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.lines
	l.lines = nil
	return out
}

// keepLines keeps the lines that begin with one of the words.
func keepLines(lines []string, words ...string) []string {
	return slices.DeleteFunc(lines, func(line string) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(line, word) })
	})
}

func (l *log) listen(o *options.Client) {
	o.ServerMonitor = &event.ServerMonitor{
		TopologyOpening:            func(*event.TopologyOpening) { l.add("topology opening") },
		TopologyDescriptionChanged: func(e *event.TopologyDescriptionChanged) { l.add("topology %v", e.NewDescription.Type) },
		TopologyClosed:             func(*event.TopologyClosed) { l.add("topology closed") },
		ServerOpening:              func(e *event.ServerOpening) { l.add("server opening %s", e.Address) },
		ServerClosed:               func(e *event.ServerClosed) { l.add("server closed %s", e.Address) },
		ServerDescriptionChanged:   func(e *event.ServerDescriptionChanged) { l.add("server %s %v", e.Address, e.NewDescription.Type) },
		ServerHeartbeatStarted:     func(e *event.ServerHeartbeatStarted) { l.add("heartbeat started %v", e.Awaited) },
		ServerHeartbeatSucceeded:   func(e *event.ServerHeartbeatSucceeded) { l.add("heartbeat succeeded %v", e.Awaited) },
		ServerHeartbeatFailed:      func(e *event.ServerHeartbeatFailed) { l.add("heartbeat failed %v", e.Awaited) },
	}
	o.PoolMonitor = &event.PoolMonitor{
		PoolReady:   func(e *event.PoolReady) { l.add("pool ready %s", e.Address) },
		PoolCleared: func(e *event.PoolCleared) { l.add("pool cleared %s %v", e.Address, e.InterruptInUseConnections) },
		PoolClosed:  func(e *event.PoolClosed) { l.add("pool closed %s", e.Address) },
	}
}

// runInBubble runs a test with a connected topology in a synctest bubble, which fails if a goroutine is left after
// Close.
func runInBubble(t *testing.T, d *fakeDeployment, o *options.Client, hosts []string, test func(*testing.T, *Topology, *log)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		for _, s := range d.servers {
			s.changed = make(chan struct{}) // belongs to the bubble
		}
		l := &log{}
		if o.ServerMonitor == nil {
			l.listen(o)
		}
		top := New(Config{
			Hosts: hosts, Options: o, dialMonitor: d.dial, connect: d.connect, getenv: func(string) string { return "" },
		})
		top.Connect()
		defer func() {
			if err := top.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}()
		test(t, top, l)
	})
}

// replicaSet is a deployment of streaming members whose primary is the first.
func replicaSet(addresses ...string) *fakeDeployment {
	servers := map[string]*fakeServer{}
	for i, address := range addresses {
		servers[address] = &fakeServer{streams: true, fields: memberFields(addresses, address, i == 0, 1)}
	}
	return newFakeDeployment(servers)
}

func memberFields(addresses []string, me string, primary bool, election byte) bson.D {
	hosts := bson.A{}
	for _, address := range addresses {
		hosts = append(hosts, address)
	}
	fields := bson.D{
		{Key: "setName", Value: "rs"}, {Key: "hosts", Value: hosts}, {Key: "me", Value: me},
		{Key: "isWritablePrimary", Value: primary}, {Key: "secondary", Value: !primary}, {Key: "setVersion", Value: 1},
	}
	if primary {
		fields = append(fields, bson.E{Key: "electionId", Value: bson.ObjectID{11: election}})
	}
	return fields
}

func standalone() *fakeDeployment {
	return newFakeDeployment(map[string]*fakeServer{"a:1": {fields: bson.D{{Key: "isWritablePrimary", Value: true}}}})
}
