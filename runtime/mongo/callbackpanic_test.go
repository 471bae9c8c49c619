package mongo_test

import (
	"context"
	"errors"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

type connectFunc func() (net.Conn, error)

func (f connectFunc) DialContext(context.Context, string, string) (net.Conn, error) { return f() }

type brokenMechanism struct{}

func (brokenMechanism) Start(context.Context, *options.Credential, string) (options.Conversation, error) {
	panic("boom")
}

// Callbacks of the program run in goroutines of the driver, where the program cannot recover.
func TestACallbackThatPanicsEndsAnOperationAndNotTheProgram(t *testing.T) {
	for name, o := range map[string]*options.Client{
		"Dialer":                {Dialer: connectFunc(func() (net.Conn, error) { panic("boom") })},
		"Dialer that exits":     {Dialer: connectFunc(func() (net.Conn, error) { runtime.Goexit(); return nil, nil })},
		"Dialer without result": {Dialer: connectFunc(func() (net.Conn, error) { return nil, nil })},
		"PasswordCallback": {Auth: &options.Credential{
			Username: new("ada"), PasswordCallback: func(context.Context) (string, error) { panic("boom") },
		}},
		"Mechanism": {Auth: &options.Credential{
			Username: new("ada"), AuthMechanism: new("GSSAPI"), Mechanism: brokenMechanism{},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			d := mongotest.Start(t)
			if o.Dialer == nil {
				o.Dialer = d.Dialer()
			}
			o.ServerSelectionTimeout = new(200 * time.Millisecond)
			client, err := mongo.Connect(t.Context(), d.URI(), o)
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close(t.Context())
			err = client.Ping(t.Context(), nil)
			callback, _, _ := strings.Cut(name, " ")
			if err == nil || !strings.Contains(err.Error(), "the program's "+callback+" ") {
				t.Errorf("got %v", err)
			}
			if broken, ok := errors.AsType[fault.CallbackError](err); ok && fault.HasErrorLabel(err, fault.LabelSystemOverloadedError) {
				t.Errorf("the server is blamed for %v", broken)
			}
		})
	}
}
