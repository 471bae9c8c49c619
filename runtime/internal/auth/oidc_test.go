package auth

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/generated/options"
)

func TestHostAllowed(t *testing.T) {
	for _, tc := range []struct {
		name, address string
		allowed       []string
		want          bool
	}{
		{"the host itself", "db.example.com:27017", []string{"db.example.com"}, true},
		{"letters of another case", "DB.example.com:27017", []string{"db.EXAMPLE.com"}, true},
		{"a subdomain", "db.example.com:27017", []string{"*.example.com"}, true},
		{"a nested subdomain", "a.b.example.com:27017", []string{"*.example.com"}, true},
		{"the domain is no subdomain", "example.com:27017", []string{"*.example.com"}, false},
		{"a name that only ends alike", "evilexample.com:27017", []string{"*.example.com"}, false},
		{"a name that only begins alike", "db.example.com.evil.org:27017", []string{"db.example.com"}, false},
		{"a star without a period is no wildcard", "db.example.com:27017", []string{"*example.com"}, false},
		{"no host", "localhost:27017", []string{}, false},
		{"IPv6", "[::1]:27017", []string{"::1"}, true},
		{"the default, local", "127.0.0.1:27017", authtable.DefaultAllowedHosts(), true},
		{"the default, elsewhere", "example.com:27017", authtable.DefaultAllowedHosts(), false},
		{"a socket", "/tmp/mongodb-27017.sock", authtable.DefaultAllowedHosts(), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := isAllowedHost(tc.address, tc.allowed); got != tc.want {
				t.Errorf("allowed = %v", got)
			}
		})
	}
}

// newCallback is a callback that counts its concurrent calls and returns one token after another.
func newCallback(credential options.OIDCCredential, called func()) options.OIDCCallback {
	return func(context.Context, *options.OIDCArgs) (*options.OIDCCredential, error) {
		called()
		return &credential, nil
	}
}

func TestCallbacksKeepTheirDistance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var times []time.Time
		tokens := newTokens()
		tokens.callback = newCallback(options.OIDCCredential{AccessToken: "token"}, func() { times = append(times, time.Now()) })
		for range 3 {
			if _, _, err := tokens.get(t.Context(), &options.OIDCArgs{}); err != nil {
				t.Fatal(err)
			}
			tokens.invalidate("token")
		}
		for i := 1; i < len(times); i++ {
			if distance := times[i].Sub(times[i-1]); distance != authtable.OIDCRetryDelay {
				t.Errorf("call %d came after %v", i, distance)
			}
		}
	})
}

func TestOneCallbackAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running, calls := 0, 0
		tokens := newTokens()
		tokens.callback = func(context.Context, *options.OIDCArgs) (*options.OIDCCredential, error) {
			running++
			calls++
			if running > 1 {
				t.Error("two callbacks run at the same time")
			}
			time.Sleep(time.Second) // of the bubble
			running--
			return &options.OIDCCredential{AccessToken: "token"}, nil
		}
		for range 5 {
			go tokens.get(t.Context(), &options.OIDCArgs{})
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		synctest.Wait()
		if _, _, err := tokens.get(ctx, &options.OIDCArgs{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waiting for the other callback: %v", err)
		}
		time.Sleep(time.Minute)
		if calls != 1 {
			t.Errorf("%d calls", calls)
		}
	})
}

func TestInvalidateLeavesANewerToken(t *testing.T) {
	tokens := newTokens()
	tokens.accessToken = "new"
	if tokens.invalidate("old"); tokens.cachedToken() != "new" {
		t.Error("the newer token is gone")
	}
	if tokens.invalidate("new"); tokens.cachedToken() != "" {
		t.Error("the token is still there")
	}
}

func TestNegativeExpiryIsRefused(t *testing.T) {
	tokens := newTokens()
	tokens.callback = newCallback(options.OIDCCredential{AccessToken: "token", ExpiresIn: new(-time.Second)}, func() {})
	if _, _, err := tokens.get(t.Context(), &options.OIDCArgs{}); err == nil || tokens.cachedToken() != "" {
		t.Errorf("err = %v, cached %q", err, tokens.cachedToken())
	}
}

// TestCallbackTimeLimits checks how long a callback may take. For a machine the limit is the rest of timeoutMS and of
// the connect timeout, or a minute without a timeoutMS. A person has five minutes whatever the operation's deadline is,
// but a cancelled operation ends the wait.
func TestCallbackTimeLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &oidc{connectTimeout: 10 * time.Second}
		timed, boundless := &oidc{connectTimeout: 10 * time.Second, timed: true}, &oidc{}
		left := func(ctx context.Context) time.Duration {
			deadline, _ := ctx.Deadline()
			return time.Until(deadline)
		}
		limited, cancelLimited := context.WithTimeout(t.Context(), time.Hour)
		defer cancelLimited()
		short, cancelShort := context.WithTimeout(t.Context(), time.Second)
		defer cancelShort()
		for _, tc := range []struct {
			name string
			ctx  context.Context
			by   func(context.Context) (context.Context, context.CancelFunc)
			want time.Duration
		}{
			{"a machine without a deadline", t.Context(), m.machineContext, time.Minute},
			{"a machine with a long deadline", limited, m.machineContext, time.Minute},
			{"a machine with a short deadline", short, m.machineContext, time.Second},
			{"a machine under a long timeoutMS", UnderTimeout(limited, 0), m.machineContext, 10 * time.Second},
			{"a machine under a short timeoutMS", UnderTimeout(short, 0), m.machineContext, time.Second},
			{"a machine under a timeoutMS without a limit", UnderTimeout(t.Context(), 0), m.machineContext, 10 * time.Second},
			{"a machine in the background, short timeoutMS", UnderTimeout(t.Context(), 5*time.Second), m.machineContext, 5 * time.Second},
			{"a machine in the background, long timeoutMS", UnderTimeout(t.Context(), time.Hour), m.machineContext, 10 * time.Second},
			{"a machine of a client with timeoutMS", limited, timed.machineContext, 10 * time.Second},
			{"a machine without connectTimeoutMS", UnderTimeout(limited, 0), boundless.machineContext, time.Hour},
			{"a person", t.Context(), m.humanContext, 5 * time.Minute},
			{"a person with a short deadline", short, m.humanContext, 5 * time.Minute},
		} {
			ctx, cancel := tc.by(tc.ctx)
			if got := left(ctx); got != tc.want {
				t.Errorf("%s has %v, want %v", tc.name, got, tc.want)
			}
			cancel()
		}
		cancelled, cancel := context.WithCancel(t.Context())
		ctx, stop := m.humanContext(cancelled)
		defer stop()
		cancel()
		synctest.Wait()
		if ctx.Err() == nil {
			t.Error("the callback outlives a cancelled operation")
		}
	})
}

// A provider need not issue another refresh token with an access token (RFC 6749, section 6). MONGODB-OIDC, "Credential
// Caching", replaces the cached one only in a two-step conversation.
func TestARefreshTokenStaysUntilItIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var passed []string
		answers := []*string{new("second"), nil, nil}
		cache := newTokens()
		cache.refreshing = new("first")
		cache.callback = func(_ context.Context, args *options.OIDCArgs) (*options.OIDCCredential, error) {
			if args.RefreshToken == nil {
				passed = append(passed, "none")
			} else {
				passed = append(passed, *args.RefreshToken)
			}
			next := answers[min(len(passed), len(answers))-1]
			return &options.OIDCCredential{AccessToken: "token", RefreshToken: next}, nil
		}
		for range 3 {
			if _, refreshed, err := cache.refresh(t.Context(), &options.OIDCArgs{}); !refreshed || err != nil {
				t.Fatal(refreshed, err)
			}
			cache.invalidate("token")
		}
		if _, err := cache.askProvider(t.Context(), &options.OIDCArgs{}); err != nil {
			t.Fatal(err)
		}
		if want := []string{"first", "second", "second", "none"}; !slices.Equal(passed, want) {
			t.Errorf("the callback got %q, want %q", passed, want)
		}
		cache.invalidate("token")
		if token, refreshed, err := cache.refresh(t.Context(), &options.OIDCArgs{}); token != "" || refreshed || err != nil {
			t.Errorf("after a conversation without a refresh token: %q, %v, %v", token, refreshed, err)
		}
	})
}
