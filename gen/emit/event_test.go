package emit

import (
	"testing"

	"github.com/specdrivers/onion/gen/model"
)

func TestEvents(t *testing.T) { golden(t, "event", model.NewEvents, Events) }
