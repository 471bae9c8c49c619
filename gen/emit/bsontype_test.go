package emit_test

import (
	"testing"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/model"
)

func TestBSONTypes(t *testing.T) { golden(t, "bsontype", model.NewBSONTypes, emit.BSONTypes) }
