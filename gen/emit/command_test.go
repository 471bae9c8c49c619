package emit_test

import (
	"testing"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/model"
)

// commandsModel joins commands with the types that their encoders name, so a golden compiles.
type commandsModel struct {
	types    []model.TypeFile
	commands *model.Commands
}

func newCommandsModel(t *load.Tables) commandsModel {
	return commandsModel{types: model.NewTypes(t), commands: model.NewCommands(t)}
}

func TestCommands(t *testing.T) {
	golden(t, "commands", newCommandsModel, func(m commandsModel) []emit.File { return append(emit.Types(m.types), emit.Commands(m.commands)...) })
}
