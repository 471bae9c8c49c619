package emit_test

import (
	"testing"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/model"
)

func TestSensitiveCommands(t *testing.T) {
	golden(t, "sensitive", model.NewSensitiveCommands, emit.SensitiveCommands)
}
