package mongo_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain lets tests that wait do so together, however few processors there are.
func TestMain(m *testing.M) {
	_ = flag.Set("test.parallel", "8") // -parallel on the command line still counts
	os.Exit(m.Run())
}
