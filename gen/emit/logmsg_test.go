package emit_test

import (
	"testing"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/model"
)

func TestLogs(t *testing.T) { golden(t, "logmsg", model.NewLogs, emit.Logs) }
