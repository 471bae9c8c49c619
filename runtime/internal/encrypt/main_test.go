package encrypt

import (
	"os"
	"testing"

	"github.com/specdrivers/onion/runtime/internal/encrypt/vectors"
)

// Each vector of the package is opened by a test.
func TestMain(m *testing.M) { os.Exit(vectors.Main(m, ".", "encrypt")) }
