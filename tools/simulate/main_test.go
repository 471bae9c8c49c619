package simulate

import (
	"os"
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(800) // worlds are small and short
	debug.SetMemoryLimit(2 << 30)
	os.Exit(m.Run())
}
