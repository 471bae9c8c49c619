package auth

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	authtable "github.com/specdrivers/onion/generated/core/auth"
	"github.com/specdrivers/onion/generated/options"
)

// tokens is the token cache of a client. At most one callback runs at a time, and the lock for it is not held while the
// server is spoken to. MONGODB-OIDC, "Credential Caching".
type tokens struct {
	callback options.OIDCCallback

	calling chan struct{} // holds one element while a callback runs
	called  time.Time     // when the last call ended; for the holder of calling

	mu          sync.Mutex
	accessToken string
	refreshing  *string
	info        *options.IDPInfo
}

func newTokens() *tokens { return &tokens{calling: make(chan struct{}, 1)} }

// cached is the access token in the cache; empty without one.
func (t *tokens) cached() string {
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

// get returns the cached token, else one of the callback.
func (t *tokens) get(ctx context.Context, args *options.OIDCArgs) (token string, fromCache bool, err error) {
	if err := t.lock(ctx); err != nil {
		return "", false, err
	}
	defer t.unlock()
	if token := t.cached(); token != "" {
		return token, true, nil
	}
	token, err = t.call(ctx, args)
	return token, false, err
}

// refresh returns a token that the callback got for the refresh token, and none when there is no refresh token. A token
// that another connection put into the cache in the meantime comes first.
func (t *tokens) refresh(ctx context.Context, args *options.OIDCArgs) (token string, refreshed bool, err error) {
	if err := t.lock(ctx); err != nil {
		return "", false, err
	}
	defer t.unlock()
	t.mu.Lock()
	token, args.RefreshToken, args.IDPInfo = t.accessToken, t.refreshing, t.info
	t.mu.Unlock()
	if token != "" || args.RefreshToken == nil {
		return token, false, nil
	}
	token, err = t.call(ctx, args)
	return token, true, err
}

// fromIDP returns a token that the callback got from an identity provider, or the one that another connection put into
// the cache in the meantime. It passes no refresh token.
func (t *tokens) fromIDP(ctx context.Context, args *options.OIDCArgs) (string, error) {
	if err := t.lock(ctx); err != nil {
		return "", err
	}
	defer t.unlock()
	if token := t.cached(); token != "" {
		return token, nil
	}
	t.mu.Lock()
	t.info = args.IDPInfo
	t.mu.Unlock()
	return t.call(ctx, args)
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
	t.accessToken, t.refreshing = credential.AccessToken, credential.RefreshToken
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
