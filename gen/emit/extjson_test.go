package emit_test

import (
	"testing"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/model"
)

func TestExtJSON(t *testing.T) { golden(t, "extjson", model.NewExtJSON, emit.ExtJSON) }

func TestLayouts(t *testing.T) {
	golden(t, "layout", model.NewLayouts("bson/layouts.yaml"), emit.Layouts)
}
