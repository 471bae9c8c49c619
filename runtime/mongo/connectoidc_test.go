package mongo_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// oidcApp is the application name of the clients under test. Fail points apply only to it.
const oidcApp = "oidc"

// oidcScene is a server that accepts tokens, an administrator, and a callback that counts its calls.
type oidcScene struct {
	t     *testing.T
	d     *mongotest.Deployment
	admin *mongo.Client

	mu     sync.Mutex
	args   []options.OIDCArgs
	tokens []string // what the callback returns, one after another; the last one again and again
	// refresh is the refresh token that the callback returns with each.
	refresh *string
}

// inOIDCScene runs a test in a bubble: the driver waits before it calls a callback again.
func inOIDCScene(t *testing.T, test func(*testing.T, *oidcScene), opts ...mongotest.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newOIDCScene(t, append(opts, mongotest.InMemory())...)) })
}

func newOIDCScene(t *testing.T, opts ...mongotest.Option) *oidcScene {
	t.Helper()
	opts = append(opts, mongotest.Auth("root", "secret"),
		mongotest.WithToken(mongotest.Token{JWT: "first", Principal: "test_user1@example.com"}),
		mongotest.WithToken(mongotest.Token{JWT: "second", Principal: "test_user1@example.com"}),
		mongotest.WithToken(mongotest.Token{JWT: "other", Principal: "test_user2@example.com"}),
		mongotest.WithToken(mongotest.Token{JWT: "machine", Principal: "test_machine"}))
	s := &oidcScene{t: t, d: mongotest.Start(t, opts...), tokens: []string{"first", "second"}}
	s.admin = connect(t, s.d, &options.Client{Dialer: s.d.Dialer()})
	return s
}

func (s *oidcScene) callback(ctx context.Context, args *options.OIDCArgs) (*options.OIDCCredential, error) {
	if _, ok := ctx.Deadline(); !ok {
		s.t.Error("the callback has no time limit")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.args = append(s.args, *args)
	token := s.tokens[min(len(s.args), len(s.tokens))-1]
	return &options.OIDCCredential{AccessToken: token, RefreshToken: s.refresh}, nil
}

func (s *oidcScene) wantCalls(want int) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.args) != want {
		s.t.Errorf("the callback was called %d times, want %d", len(s.args), want)
	}
}

// newMachineClient returns a client with the scene's callback for machines.
func (s *oidcScene) newMachineClient(more ...*options.Client) *mongo.Client {
	return s.newClient(&options.Credential{OIDCMachineCallback: s.callback}, more...)
}

// newHumanClient returns a client with the scene's callback for people.
func (s *oidcScene) newHumanClient(more ...*options.Client) *mongo.Client {
	return s.newClient(&options.Credential{OIDCHumanCallback: s.callback}, more...)
}

func (s *oidcScene) newClient(credential *options.Credential, more ...*options.Client) *mongo.Client {
	s.t.Helper()
	client, err := s.tryClient(credential, more...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { client.Close(context.Background()) })
	return client
}

func (s *oidcScene) tryClient(credential *options.Credential, more ...*options.Client) (*mongo.Client, error) {
	credential.AuthMechanism = new("MONGODB-OIDC")
	base := &options.Client{Auth: credential, AppName: new(oidcApp), RetryReads: new(false), Dialer: s.d.Dialer()}
	return mongo.Connect(s.t.Context(), "mongodb://"+s.d.Hosts()[0]+"/", append([]*options.Client{base}, more...)...)
}

// fail makes the next command of that name, from the clients under test, fail.
func (s *oidcScene) fail(command, how string, value any) {
	s.t.Helper()
	err := s.admin.Database("admin").RunCommand(s.t.Context(), bson.D{
		{Key: "configureFailPoint", Value: "failCommand"},
		{Key: "mode", Value: bson.Doc("times", 1)},
		{Key: "data", Value: bson.D{
			{Key: "failCommands", Value: bson.A{command}}, {Key: "appName", Value: oidcApp}, {Key: how, Value: value},
		}},
	}).Err()
	if err != nil {
		s.t.Fatal(err)
	}
}

const reauthenticationRequired = 391

func find(t *testing.T, client *mongo.Client) error {
	cursor, err := client.Database("test").Collection("test").Find(t.Context(), bson.D{})
	if err != nil {
		return err
	}
	return cursor.Close(t.Context())
}

func insert(t *testing.T, client *mongo.Client) error {
	_, err := client.Database("test").Collection("test").InsertOne(t.Context(), bson.Doc("x", 1))
	return err
}

func (s *oidcScene) wantSuccess(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *oidcScene) wantFailure(err error) {
	s.t.Helper()
	if err == nil {
		s.t.Fatal("the operation succeeded")
	}
}

// saslStarts returns how many saslStart commands the server got from the clients under test.
func (s *oidcScene) saslStarts() int {
	n := 0
	for _, c := range s.d.Commands() {
		if c.Name == "saslStart" && c.AppName == oidcApp {
			n++
		}
	}
	return n
}

// commandLog records the events of one command.
type commandLog struct {
	mu     sync.Mutex
	events []string
}

func (l *commandLog) monitor() *event.CommandMonitor {
	add := func(what, name string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.events = append(l.events, what+" "+name)
	}
	return &event.CommandMonitor{
		Started:   func(_ context.Context, e *event.CommandStarted) { add("started", e.CommandName) },
		Succeeded: func(_ context.Context, e *event.CommandSucceeded) { add("succeeded", e.CommandName) },
		Failed:    func(_ context.Context, e *event.CommandFailed) { add("failed", e.CommandName) },
	}
}

func (l *commandLog) forget() { l.mu.Lock(); defer l.mu.Unlock(); l.events = nil }

func (l *commandLog) want(t *testing.T, want ...string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Equal(l.events, want) {
		t.Errorf("events = %q, want %q", l.events, want)
	}
}
