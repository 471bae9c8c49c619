package emit

import (
	"testing"

	"github.com/specdrivers/onion/gen/model"
)

func TestSensitiveCommands(t *testing.T) {
	golden(t, "sensitive", model.NewSensitiveCommands, SensitiveCommands)
}
