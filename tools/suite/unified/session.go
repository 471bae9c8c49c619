package unified

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// Session is a session entity.
type Session struct {
	run     *Run
	client  *Client
	session *mongo.Session
	within  time.Duration
}

// StartSession makes a session entity. It knows the cluster time of what the run has written. Unified Test Format,
// "MigrationConflict Errors on Sharded Clusters".
func (c *Client) StartSession(opts ...*options.Session) *Session {
	c.run.t.Helper()
	session, err := c.client.StartSession(opts...)
	c.run.must(err, "start a session")
	s := &Session{run: c.run, client: c, session: session}
	if t := c.run.clusterTime(); t != nil {
		c.run.must(session.AdvanceClusterTime(t), "advance the cluster time of a session")
	}
	c.run.mu.Lock()
	c.run.sessions = append(c.run.sessions, s)
	c.run.mu.Unlock()
	return s
}

// context returns a context with the session.
func (s *Session) context(ctx context.Context) context.Context {
	return mongo.NewSessionContext(ctx, s.session)
}

func (s *Session) lsid() bson.Raw { return s.session.ID() }

func (s *Session) end() { s.session.EndSession(context.Background()) }

// Within returns the session with a time limit for the next call.
func (s *Session) Within(limit time.Duration) *Session {
	other := *s
	other.within = limit
	return &other
}

func (s *Session) do(name string, fn func(ctx context.Context) error) *Result {
	return s.run.do(name, nil, s.within, func(ctx context.Context) (actual, error) { return actual{}, fn(ctx) })
}

// StartTransaction begins a transaction.
func (s *Session) StartTransaction(opts ...*options.Transaction) *Result {
	return s.do("startTransaction", func(context.Context) error { return s.session.StartTransaction(opts...) })
}

// CommitTransaction commits the transaction.
func (s *Session) CommitTransaction(opts ...*options.EndTransaction) *Result {
	return s.do("commitTransaction", func(ctx context.Context) error { return s.session.CommitTransaction(ctx, opts...) })
}

// AbortTransaction aborts the transaction.
func (s *Session) AbortTransaction(opts ...*options.EndTransaction) *Result {
	return s.do("abortTransaction", func(ctx context.Context) error { return s.session.AbortTransaction(ctx, opts...) })
}

// EndSession ends the session.
func (s *Session) EndSession() *Result {
	return s.do("endSession", func(ctx context.Context) error {
		s.session.EndSession(ctx)
		return nil
	})
}

// GetSnapshotTime returns the time that a snapshot session reads at.
func (s *Session) GetSnapshotTime() *Result {
	return s.run.do("getSnapshotTime", nil, s.within, func(context.Context) (actual, error) {
		if t := s.session.SnapshotTime(); t != nil {
			return value(*t), nil
		}
		return actual{}, nil
	})
}

// Callback is what the steps of the callback of withTransaction run in.
type Callback struct{}

// callbackError carries an error of a step out of the callback.
type callbackError struct{ err error }

// Do takes a step. An error of the step ends the callback, even an expected one. Unified Test Format, "withTransaction".
func (c *Callback) Do(x *Result) *Result {
	if x.err != nil {
		panic(callbackError{x.err})
	}
	return x
}

// run runs the steps and returns the error that ended them.
func (c *Callback) run(steps func(*Callback)) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case callbackError:
			err = p.err
		default:
			panic(p)
		}
	}()
	steps(c)
	return nil
}

// WithTransaction runs steps in a transaction.
func (s *Session) WithTransaction(steps func(*Callback), opts ...*options.Transaction) *Result {
	return s.do("withTransaction", func(ctx context.Context) error {
		return s.session.WithTransaction(ctx, func(context.Context) error { return (&Callback{}).run(steps) }, opts...)
	})
}
