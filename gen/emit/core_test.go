package emit_test

import (
	"testing"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/model"
)

func TestPackages(t *testing.T) { golden(t, "packages", model.NewPackages, emit.Packages) }

func TestErrors(t *testing.T) { golden(t, "errors", model.NewErrors, emit.Errors) }

func TestWire(t *testing.T) { golden(t, "wire", model.NewWire, emit.Wire) }

func TestDescription(t *testing.T) { golden(t, "description", model.NewDescription, emit.Description) }

func TestSDAM(t *testing.T) { golden(t, "sdam", model.NewSDAM, emit.SDAM) }

func TestMachines(t *testing.T) { golden(t, "machine", model.NewPoolMachines, emit.Machines) }

func TestSelection(t *testing.T) { golden(t, "selection", model.NewSelection, emit.Selection) }
