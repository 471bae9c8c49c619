package world

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
)

// observer hears every event of one client, from its start to its end, and checks what must hold at all times.
type observer struct {
	c *client

	mu      sync.Mutex
	closed  bool
	counts  map[string]int // events by the text of the log message that goes with them
	started map[int64]sent
	dirty   map[string]dirtySession
	owners  owners
	pins    map[string]string // where transactions began, by session and number
	refused time.Time         // when a check-out failed last
	clock   gossip
	pools   map[string]poolViews
	checks  map[string]*checkView // by the address of a server that is in the topology
	former  map[string]*checkView // of servers that have left it, by the last connection
	view    topologyView
	moment  time.Time // of the last event
	failure error     // of the last command that failed
	atOnce  int       // how many there were at that moment
	log     *logView  // nil for a client whose log is not read
}

func newObserver(c *client) *observer {
	return &observer{
		c: c, counts: map[string]int{}, started: map[int64]sent{},
		dirty: map[string]dirtySession{}, pins: map[string]string{}, owners: owners{},
		pools: map[string]poolViews{}, checks: map[string]*checkView{}, former: map[string]*checkView{},
		view: topologyView{open: map[string]bool{}},
	}
}

// listen sets the listeners in the options of a client.
func (o *observer) listen(to *options.Client) {
	to.CommandMonitor = &event.CommandMonitor{Started: o.commandStarted, Succeeded: o.commandSucceeded, Failed: o.commandFailed}
	to.PoolMonitor = o.poolMonitor()
	to.ServerMonitor = o.serverMonitor()
	if o.c.plan.Logs {
		o.log = &logView{counts: map[string]int{}, o: o}
		to.Logger = slog.New(o.log)
	}
}

func (o *observer) violate(checker, format string, args ...any) {
	o.c.world.violate(checker, "client %d: "+format, append([]any{o.c.plan.Number}, args...)...)
}

// count notes an event under its log message. o.mu is held. If events keep coming while virtual time stands still, the
// client is in an endless loop, and only a panic ends the test.
func (o *observer) count(message string) {
	o.counts[message]++
	if now := time.Now(); now.After(o.moment) {
		o.moment, o.atOnce = now, 0
	}
	if o.atOnce++; o.atOnce > maxAtOnce {
		failure := fmt.Sprintf("seed %d, client %d at %v: %d events at one moment, the last is %q, the last failure %v",
			o.c.world.s.World.Seed, o.c.plan.Number, o.c.world.elapsed(), o.atOnce, message, o.failure)
		go panic(failure) // in a goroutine of its own, because the driver recovers from a panic of a listener
	}
}

// maxAtOnce is more events than one client has at one moment when all is well.
const maxAtOnce = 20_000

// finish checks that everything that began has ended. The client is closed.
func (o *observer) finish() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	for id, c := range o.started {
		o.violate("events", "%s, request %d, was started and neither succeeded nor failed", c.name, id)
	}
	o.finishPools()
	o.finishServers()
	if o.log != nil {
		o.log.compare(o.counts)
	}
}

func (o *observer) commandStarted(ctx context.Context, e *event.CommandStarted) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.count("Command started")
	o.c.world.count()
	if _, twice := o.started[e.RequestID]; twice {
		o.violate("events", "%s, request %d, was started twice", e.CommandName, e.RequestID)
	}
	o.started[e.RequestID] = sent{e.CommandName, e.Command, workerOf(ctx)}
	o.checkSession(ctx, e)
	o.checkPin(e)
	o.checkOwner(e)
	o.checkTime(ctx, e)
	if s := streamOf(ctx); s != nil {
		s.follow(o, e)
	}
	if t := traceOf(ctx); t != nil {
		t.commandStarted(o, e)
	}
	if resumesStream(e) {
		o.c.world.countEffect(judgedResume)
	}
	o.checkSecrets("a command", e.Command)
	if !o.clock.settled.IsZero() {
		o.c.world.countEffect(judgedGossip)
	}
	if sent := clusterTime(e.Command); o.clock.isBehind(sent) {
		o.violate("gossip", "%s was sent with the cluster time %v, but the client had seen %v", e.CommandName, sent, o.clock.settled)
	}
}

// resumesStream reports whether a command opens a change stream after a token.
func resumesStream(e *event.CommandStarted) bool {
	return e.CommandName == "aggregate" && !e.Command.Lookup("pipeline", "0", "$changeStream", "resumeAfter").IsZero()
}

func (o *observer) commandSucceeded(ctx context.Context, e *event.CommandSucceeded) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.count("Command succeeded")
	o.removeRunning(e.RequestID, e.CommandName)
	o.checkSecrets("a reply", e.Reply)
	o.countSuccess(e)
	o.noteOwner(e)
	if s := streamOf(ctx); s != nil {
		s.learn(e)
	}
	o.clock.see(clusterTime(e.Reply))
}

func (o *observer) commandFailed(ctx context.Context, e *event.CommandFailed) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.count("Command failed")
	o.failure = fmt.Errorf("%s: %w", e.CommandName, e.Failure)
	command := o.started[e.RequestID].command
	o.markDirty(ctx, e, command)
	o.countFailure(e)
	if t := traceOf(ctx); t != nil {
		t.commandFailed(ctx, o, e, command)
	}
	o.removeRunning(e.RequestID, e.CommandName)
}

// removeRunning takes a command off the list of those that run.
func (o *observer) removeRunning(id int64, name string) {
	if o.started[id].name != name {
		o.violate("events", "%s, request %d, ended and was not started", name, id)
	}
	o.c.world.countEffect(judgedPairs)
	delete(o.started, id)
}

func (o *observer) checkSecrets(what string, data []byte) {
	for _, secret := range []string{password, token, masterKey, plainText} {
		if bytes.Contains(data, []byte(secret)) {
			o.violate("secrets", "%s holds a secret: %s", what, data)
		}
	}
}

// gossip is the newest cluster time that a client has seen. A time that it saw at this very moment may
// not have reached its other goroutines.
type gossip struct {
	settled, fresh bson.Timestamp
	at             time.Time // when it saw fresh
}

func (g *gossip) see(t bson.Timestamp) {
	g.settle()
	if t.After(g.fresh) {
		g.fresh, g.at = t, time.Now()
	}
}

func (g *gossip) settle() {
	if time.Now().After(g.at) {
		g.settled = g.fresh
	}
}

// isBehind reports whether a command that is sent now knows less than the client.
func (g *gossip) isBehind(sent bson.Timestamp) bool {
	g.settle()
	return g.settled.After(sent)
}

// clusterTime returns the $clusterTime of a command or reply.
func clusterTime(doc bson.Raw) bson.Timestamp {
	t, i, _ := doc.Lookup("$clusterTime", "clusterTime").TimestampOK()
	return bson.Timestamp{T: t, I: i}
}

// logView counts the messages of a client's log.
type logView struct {
	o      *observer
	mu     sync.Mutex
	counts map[string]int
}

// Enabled makes the client log everything.
func (l *logView) Enabled(context.Context, slog.Level) bool { return true }

// WithAttrs ignores attributes that the client does not use.
func (l *logView) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup ignores groups, too.
func (l *logView) WithGroup(string) slog.Handler { return l }

// Handle counts a message and looks for secrets in it.
func (l *logView) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts[r.Message]++
	r.Attrs(func(a slog.Attr) bool {
		l.o.checkSecrets("the log message "+r.Message, []byte(a.Value.String()))
		return true
	})
	return nil
}

// compare checks that there was a message for each event.
func (l *logView) compare(events map[string]int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.o.c.world.countEffect(judgedLogs)
	for message, n := range events {
		if logged := l.counts[message]; logged != n {
			l.o.violate("logs", "%d events and %d log messages %q", n, logged, message)
		}
	}
}
