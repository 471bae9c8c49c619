package emit

import (
	"testing"

	"github.com/specdrivers/onion/gen/model"
)

func TestExtJSON(t *testing.T) { golden(t, "extjson", model.NewExtJSON, ExtJSON) }

func TestLayouts(t *testing.T) {
	golden(t, "layout", model.NewLayouts("bson/layouts.yaml"), Layouts)
}
