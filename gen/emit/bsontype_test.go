package emit

import (
	"testing"

	"github.com/specdrivers/onion/gen/model"
)

func TestBSONTypes(t *testing.T) { golden(t, "bsontype", model.NewBSONTypes, BSONTypes) }
