package emit_test

import (
	"testing"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/model"
)

func TestEvents(t *testing.T) { golden(t, "event", model.NewEvents, emit.Events) }
