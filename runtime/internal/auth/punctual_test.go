package auth

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/options"
)

// A callback that ignores its context does not delay the caller past its deadline.
func TestCallbacksThatIgnoreTheirContext(t *testing.T) {
	for name, call := range map[string]func(context.Context) error{
		"OIDC": func(ctx context.Context) error {
			tokens := newTokens()
			tokens.callback = func(context.Context, *options.OIDCArgs) (*options.OIDCCredential, error) {
				time.Sleep(time.Hour)
				return &options.OIDCCredential{AccessToken: "t"}, nil
			}
			_, _, err := tokens.get(ctx, &options.OIDCArgs{})
			return err
		},
		"AWS": func(ctx context.Context) error {
			keys := &awsKeys{now: time.Now, provider: func(context.Context) (options.AWSCredentials, error) {
				time.Sleep(time.Hour)
				return options.AWSCredentials{}, nil
			}}
			_, err := keys.currentKeys(ctx)
			return err
		},
		"mechanism": func(ctx context.Context) error {
			_, err := startHook(ctx, sleepingMechanism{}, nil, "a:1")
			return err
		},
		"conversation": func(ctx context.Context) error {
			_, _, err := hookConversation{sleepingMechanism{}}.Next(ctx, nil)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				began := time.Now()
				if err := call(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
					t.Errorf("got %v after %v", err, time.Since(began))
				}
				time.Sleep(2 * time.Hour) // until the callback has ended
			})
		})
	}
}

type sleepingMechanism struct{}

func (sleepingMechanism) Start(context.Context, *options.Credential, string) (options.Conversation, error) {
	time.Sleep(time.Hour)
	return nil, nil
}

func (sleepingMechanism) Next(context.Context, []byte) ([]byte, bool, error) {
	time.Sleep(time.Hour)
	return nil, true, nil
}

// While a late callback runs, no second one starts, and the driver keeps its token.
func TestALateOIDCCallbackRunsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tokens, running := newTokens(), 0
		tokens.callback = func(context.Context, *options.OIDCArgs) (*options.OIDCCredential, error) {
			if running++; running > 1 {
				t.Error("two callbacks run at once")
			}
			time.Sleep(time.Minute)
			running--
			return &options.OIDCCredential{AccessToken: "late"}, nil
		}
		hasty, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := tokens.get(hasty, &options.OIDCArgs{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		token, cached, err := tokens.get(t.Context(), &options.OIDCArgs{})
		if token != "late" || !cached || err != nil {
			t.Errorf("got %q, %t, %v", token, cached, err)
		}
	})
}
