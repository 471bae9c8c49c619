package emit_test

import (
	"testing"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/model"
)

// The package compiles only with both its tables of rules and its table of values.
type authModel struct {
	auth   *model.Auth
	values *model.Values
}

func TestAuth(t *testing.T) {
	golden(t, "auth", func(t *load.Tables) authModel {
		return authModel{model.NewAuth(t), model.NewValues("auth/values.yaml")(t)}
	}, func(m authModel) []emit.File {
		return append(emit.Auth(m.auth), emit.Values(m.values)...)
	})
}

func TestTrace(t *testing.T) { golden(t, "trace", model.NewTrace, emit.Trace) }
