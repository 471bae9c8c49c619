package world

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// TestExpectedLogins shows that a login may fail when its token has just been revoked, and at no other time.
func TestExpectedLogins(t *testing.T) {
	refused := fault.AuthError{Err: fault.CommandError{Code: errcode.AuthenticationFailed}}
	for name, c := range map[string]struct {
		err   error
		after time.Duration // how long after the token was revoked the operation began; 0 for never
		want  bool
	}{
		"no token was revoked":                  {refused, 0, false},
		"the token was revoked meanwhile":       {refused, -time.Second, true},
		"a connection was under way before":     {refused, 4 * time.Second, true},
		"the token was revoked long before":     {refused, 6 * time.Second, false},
		"another error while it was":            {fault.CommandError{Code: errcode.DuplicateKey}, -time.Second, false},
		"a refused login and another error":     {errors.Join(refused, fault.CommandError{Code: errcode.DuplicateKey}), -time.Second, false},
		"a refused login and one of the faults": {errors.Join(refused, fault.CommandError{Code: errcode.HostUnreachable}), -time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &login{}
				if c.after != 0 {
					l.revoked = []time.Time{time.Now()}
				}
				k := &client{world: &world{login: l}, plan: scenario.Client{Connect: 5 * time.Second}}
				if got := k.isExpected(c.err, time.Now().Add(c.after)); got != c.want {
					t.Errorf("got %t", got)
				}
			})
		})
	}
}
