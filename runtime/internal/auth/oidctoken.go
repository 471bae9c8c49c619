package auth

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/callback"
)

// tokens is the token cache of a client. At most one callback runs at a time. Its lock is not held while the driver
// talks to the server. MONGODB-OIDC, "Credential Caching".
type tokens struct {
	callback options.OIDCCallback
	name     string // the option that holds the callback

	calling chan struct{} // holds one element while a callback runs
	called  time.Time     // when the last call ended; for the holder of calling

	mu          sync.Mutex
	accessToken string
	refreshing  *string
	info        *options.IDPInfo
}

func newTokens() *tokens { return &tokens{calling: make(chan struct{}, 1)} }

// cachedToken returns the access token in the cache, or "".
func (t *tokens) cachedToken() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.accessToken
}

// invalidate removes a token from the cache, unless another one has taken its place.
func (t *tokens) invalidate(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.accessToken == token {
		t.accessToken = ""
	}
}

func (t *tokens) clearRefresh() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refreshing = nil
}

// foundToken is a token and its origin.
type foundToken struct {
	token                string
	fromCache, refreshed bool
}

// runExclusively runs f while no other callback runs. If a callback ignores its context, the caller returns and the
// callback goes on: the next callback waits for it, and the token that it finally returns is cached.
func (t *tokens) runExclusively(ctx context.Context, f func(context.Context) (foundToken, error)) (foundToken, error) {
	return callback.Call(ctx, t.name, func(ctx context.Context) (foundToken, error) {
		if err := t.lock(ctx); err != nil {
			return foundToken{}, err
		}
		defer t.unlock()
		return f(ctx)
	}, nil)
}

// get returns the cached token, or asks the callback for one.
func (t *tokens) get(ctx context.Context, args *options.OIDCArgs) (token string, fromCache bool, err error) {
	got, err := t.runExclusively(ctx, func(ctx context.Context) (foundToken, error) {
		if token := t.cachedToken(); token != "" {
			return foundToken{token: token, fromCache: true}, nil
		}
		token, err := t.call(ctx, args)
		return foundToken{token: token}, err
	})
	return got.token, got.fromCache, err
}

// refresh returns a token that the callback got for the refresh token, or none if there is no refresh token. If another
// connection has cached a token in the meantime, it returns that one.
func (t *tokens) refresh(ctx context.Context, args *options.OIDCArgs) (token string, refreshed bool, err error) {
	got, err := t.runExclusively(ctx, func(ctx context.Context) (foundToken, error) {
		t.mu.Lock()
		token := t.accessToken
		args.RefreshToken, args.IDPInfo = t.refreshing, t.info
		t.mu.Unlock()
		if token != "" || args.RefreshToken == nil {
			return foundToken{token: token}, nil
		}
		token, err := t.call(ctx, args)
		return foundToken{token: token, refreshed: true}, err
	})
	return got.token, got.refreshed, err
}

// askProvider returns a token that the callback got from an identity provider, or the one that another connection put
// into the cache in the meantime. It passes no refresh token.
func (t *tokens) askProvider(ctx context.Context, args *options.OIDCArgs) (string, error) {
	got, err := t.runExclusively(ctx, func(ctx context.Context) (foundToken, error) {
		if token := t.cachedToken(); token != "" {
			return foundToken{token: token}, nil
		}
		t.mu.Lock()
		t.info = args.IDPInfo
		t.mu.Unlock()
		token, err := t.call(ctx, args)
		return foundToken{token: token}, err
	})
	return got.token, err
}

func (t *tokens) lock(ctx context.Context) error {
	select {
	case t.calling <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for an access token: %w", ctx.Err())
	}
}

func (t *tokens) unlock() { <-t.calling }

// call runs the callback, at the earliest a moment after the last call, and caches what it returns.
func (t *tokens) call(ctx context.Context, args *options.OIDCArgs) (string, error) {
	if err := t.pause(ctx); err != nil {
		return "", err
	}
	credential, err := t.callback(ctx, args)
	t.called = time.Now()
	switch {
	case err != nil:
		return "", fmt.Errorf("the OIDC callback: %w", err)
	case credential == nil || credential.AccessToken == "":
		return "", errors.New("the OIDC callback returned no access token")
	case credential.ExpiresIn != nil && *credential.ExpiresIn < 0:
		return "", fmt.Errorf("the OIDC callback returned a token that expires in %v", *credential.ExpiresIn)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.accessToken = credential.AccessToken
	if args.RefreshToken == nil || credential.RefreshToken != nil { // otherwise the refresh token that was used stays valid
		t.refreshing = credential.RefreshToken
	}
	return credential.AccessToken, nil
}

func (t *tokens) pause(ctx context.Context) error {
	if t.called.IsZero() {
		return nil
	}
	timer := time.NewTimer(authtable.OIDCRetryDelay - time.Since(t.called))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting to call the OIDC callback: %w", ctx.Err())
	}
}
