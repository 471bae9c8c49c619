package emit

import (
	"testing"

	"github.com/specdrivers/onion/gen/model"
)

func TestPackages(t *testing.T) { golden(t, "packages", model.NewPackages, Packages) }

func TestErrors(t *testing.T) { golden(t, "errors", model.NewErrors, Errors) }

func TestWire(t *testing.T) { golden(t, "wire", model.NewWire, Wire) }

func TestDescription(t *testing.T) { golden(t, "description", model.NewDescription, Description) }

func TestSDAM(t *testing.T) { golden(t, "sdam", model.NewSDAM, SDAM) }

func TestMachines(t *testing.T) { golden(t, "machine", model.NewPoolMachines, Machines) }

func TestSelection(t *testing.T) { golden(t, "selection", model.NewSelection, Selection) }
