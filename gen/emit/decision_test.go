package emit_test

import (
	"testing"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/model"
)

func TestDeciding(t *testing.T) { golden(t, "deciding", model.NewDeciding("operation"), emit.Deciding) }
