package emit_test

import (
	"testing"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/model"
)

func TestDecisionGroup(t *testing.T) {
	golden(t, "deciding", model.NewDecisionGroup("operation"), emit.DecisionGroup)
}
