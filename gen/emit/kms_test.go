package emit

import (
	"testing"

	"github.com/specdrivers/onion/gen/model"
)

func TestKMS(t *testing.T) { golden(t, "kms", model.NewKMS, KMS) }
