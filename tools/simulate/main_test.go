package simulate

import (
	"os"
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(800) // worlds are small and short
	os.Exit(m.Run())
}
