package emit_test

import (
	"testing"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/model"
)

func TestKMS(t *testing.T) { golden(t, "kms", model.NewKMS, emit.KMS) }
