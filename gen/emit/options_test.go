package emit_test

import (
	"testing"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/model"
)

// optionsModel joins the tables that generate package options, so a golden compiles.
type optionsModel struct {
	types  []model.TypeFile
	client *model.Client
}

func newOptionsModel(t *load.Tables) optionsModel {
	return optionsModel{types: model.NewTypes(t), client: model.NewClient(t)}
}

func TestOptions(t *testing.T) {
	golden(t, "options", newOptionsModel, func(m optionsModel) []emit.File { return append(emit.Types(m.types), emit.Client(m.client)...) })
}

func TestURI(t *testing.T) { golden(t, "uri", model.NewURI, emit.URI) }
