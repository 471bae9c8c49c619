package hostile_test

import (
	"bytes"
	"context"
	"net"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/hostile"
)

// attack is one row: what the server does instead of answering a command, and what the driver may do then.
type attack struct {
	name    string
	command string // the command that is attacked; hello stands for the legacy hello too
	reply   func(r hostile.Request) []byte
	then    func(nc net.Conn) // after the reply, nil to leave the connection open

	hello   bson.D          // added to the honest hello
	options *options.Client // added to the client's
	run     operation       // nil for a find
	slow    bool            // the operation ends only at the deadline
	ok      bool            // the driver may go on as if nothing had happened
	wants   string          // part of the error's text
}

type operation func(ctx context.Context, c *mongo.Collection) error

func find(ctx context.Context, c *mongo.Collection) error {
	cursor, err := c.Find(ctx, bson.D{})
	if err != nil {
		return err
	}
	var all []bson.Raw
	return cursor.All(ctx, &all)
}

func insert(ctx context.Context, c *mongo.Collection) error {
	_, err := c.InsertOne(ctx, bson.Doc("a", 1))
	return err
}

// The limits of what an attack may cost: time beyond the deadline on a busy machine, and memory beyond what honest
// replies take.
const (
	deadline  = 100 * time.Millisecond
	patience  = 20 * time.Second
	maxMemory = 48 << 20
)

// attackAll runs the attacks one after the other, so it measures the memory and goroutines of one attack at a
// time.
func attackAll(t *testing.T, attacks []attack) {
	t.Helper()
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			err := a.carryOut(t)
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			switch {
			case err == nil && !a.ok:
				t.Error("the driver believed it")
			case err != nil && a.ok:
				t.Errorf("an honest reply is an error: %v", err)
			case err != nil && (len(err.Error()) > 4096 || !strings.Contains(err.Error(), a.wants)):
				t.Errorf("the error has %d bytes and should say %q: %.500s", len(err.Error()), a.wants, err)
			}
			if took > deadline+patience {
				t.Errorf("it took %v", took)
			}
			if grown := after.TotalAlloc - before.TotalAlloc; grown > maxMemory {
				t.Errorf("it allocated %d MB", grown>>20)
			}
			wantNoGoroutine(t)
		})
	}
}

// carryOut runs the operation against the attacking server. It returns after the driver has closed every connection.
func (a *attack) carryOut(t *testing.T) error {
	t.Helper()
	peer, err := hostile.Listen(a.hello, func(r hostile.Request, nc net.Conn) bool {
		if r.Name != a.command && !(a.command == "hello" && r.Name == "isMaster") && !(a.command == "hello" && r.Name == "ismaster") {
			return false
		}
		nc.Write(a.reply(r))
		if a.then != nil {
			a.then(nc)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()
	wait := time.Minute
	if a.slow || a.command == "hello" {
		wait = deadline
	}
	client, err := mongo.Connect(t.Context(), "mongodb://"+peer.Address()+"/?serverMonitoringMode=poll",
		&options.Client{RetryReads: new(false), RetryWrites: new(false)}, a.options)
	if err != nil {
		t.Fatal(err)
	}
	run := a.run
	if run == nil {
		run = find
	}
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	failure := run(ctx, client.Database("db").Collection("c"))
	closing, cancelClosing := context.WithTimeout(t.Context(), patience)
	defer cancelClosing()
	if err := client.Close(closing); err != nil {
		t.Errorf("Close: %v", err)
	}
	gone := make(chan struct{})
	go func() { peer.Wait(); close(gone) }()
	select {
	case <-gone:
	case <-closing.Done():
		t.Errorf("%d connections are left open", peer.Open())
	}
	return failure
}

// wantNoGoroutine waits until the driver's goroutines have ended: Close does not wait for one that is about to end.
func wantNoGoroutine(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(patience); ; runtime.Gosched() {
		var all bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&all, 2); err != nil {
			t.Fatal(err)
		}
		left := ""
		for stack := range strings.SplitSeq(all.String(), "\n\n") {
			if strings.Contains(stack, "onion/runtime/") {
				left = stack
			}
		}
		if left == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("a goroutine is left:\n%s", left)
		}
	}
}

func hangUp(nc net.Conn) { nc.Close() }

func reset(nc net.Conn) {
	nc.(*net.TCPConn).SetLinger(0)
	nc.Close()
}
