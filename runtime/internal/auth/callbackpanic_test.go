package auth

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// breakOff ends a callback without returning, in the given way.
func breakOff(how string) {
	if how == "panics" {
		panic("boom")
	}
	runtime.Goexit()
}

type brokenMechanism struct{ how string }

func (m brokenMechanism) Start(context.Context, *options.Credential, string) (options.Conversation, error) {
	switch m.how {
	case "nothing":
		return nil, nil
	case "later":
		return m, nil
	}
	breakOff(m.how)
	return nil, nil
}
func (brokenMechanism) Next(context.Context, []byte) ([]byte, bool, error) { panic("boom") }

// A callback that does not return gives an error that names it, and does not block the next call.
func TestCallbacksThatDoNotReturn(t *testing.T) {
	for _, how := range []string{"panics", "exits"} {
		oidcTokens := newTokens()
		oidcTokens.name = "OIDCMachineCallback"
		oidcTokens.callback = func(context.Context, *options.OIDCArgs) (*options.OIDCCredential, error) {
			breakOff(how)
			return nil, nil
		}
		keys := &awsKeys{now: time.Now, provider: func(context.Context) (options.AWSCredentials, error) {
			breakOff(how)
			return options.AWSCredentials{}, nil
		}}
		password := passwordOf(&options.Credential{PasswordCallback: func(context.Context) (string, error) {
			breakOff(how)
			return "", nil
		}})
		for name, call := range map[string]func() error{
			"OIDCMachineCallback": func() error {
				_, _, err := oidcTokens.get(t.Context(), &options.OIDCArgs{})
				return err
			},
			"AWSCredentialProvider": func() error { _, err := keys.currentKeys(t.Context()); return err },
			"PasswordCallback":      func() error { _, err := password(t.Context()); return err },
			"Mechanism": func() error {
				_, err := startHook(t.Context(), brokenMechanism{how}, nil, "a:1")
				return err
			},
		} {
			for range 2 {
				if err := call(); !namesCallback(err, name) {
					t.Errorf("%s %s: got %v", name, how, err)
				}
			}
		}
	}
	if _, err := startHook(t.Context(), brokenMechanism{"nothing"}, nil, "a:1"); !namesCallback(err, "Mechanism") {
		t.Errorf("without a conversation: %v", err)
	}
	conversation, err := startHook(t.Context(), brokenMechanism{"later"}, nil, "a:1")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := conversation.Next(t.Context(), nil); !namesCallback(err, "Mechanism") {
		t.Errorf("a later step: %v", err)
	}
}

func namesCallback(err error, callback string) bool {
	broken, ok := errors.AsType[fault.CallbackError](err)
	return ok && broken.Callback == callback
}
