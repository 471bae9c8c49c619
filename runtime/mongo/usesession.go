package mongo

import (
	"context"

	"github.com/specdrivers/onion/generated/options"
)

// UseSession calls fn with a session and a context that carries it, and ends the session when fn returns.
func (c *Client) UseSession(ctx context.Context, fn func(ctx context.Context, s *Session) error) error {
	return c.UseSessionWithOptions(ctx, nil, fn)
}

// UseSessionWithOptions is UseSession with options for the session.
func (c *Client) UseSessionWithOptions(ctx context.Context, opts *options.Session, fn func(ctx context.Context, s *Session) error) error {
	if err := c.check(ctx); err != nil {
		return err
	}
	if err := checkFunction(fn == nil); err != nil {
		return err
	}
	s, err := c.StartSession(opts)
	if err != nil {
		return err
	}
	defer s.EndSession(ctx)
	return fn(NewSessionContext(ctx, s), s)
}
