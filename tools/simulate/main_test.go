package simulate

import (
	"os"
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // worlds are small and short
	os.Exit(m.Run())
}
