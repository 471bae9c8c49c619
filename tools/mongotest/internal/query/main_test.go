package query_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain makes the garbage collector run less often, because the tests allocate much and keep little.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
