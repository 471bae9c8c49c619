package emit_test

import (
	"testing"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/model"
)

func TestReference(t *testing.T) {
	golden(t, "reference", model.NewReference("operation"), emit.Reference)
}
