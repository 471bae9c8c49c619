package emit

import (
	"testing"

	"github.com/specdrivers/onion/gen/model"
)

func TestLogs(t *testing.T) { golden(t, "logmsg", model.NewLogs, Logs) }
