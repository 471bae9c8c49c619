package mongotest_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain makes the garbage collector run less often, because the tests insert many documents and keep few.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
