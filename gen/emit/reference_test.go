package emit

import (
	"testing"

	"github.com/specdrivers/onion/gen/model"
)

func TestReference(t *testing.T) { golden(t, "reference", model.NewReference("operation"), Reference) }
