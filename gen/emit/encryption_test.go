package emit_test

import (
	"testing"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/model"
)

func TestEncryption(t *testing.T) { golden(t, "encryption", model.NewEncryption, emit.Encryption) }

func TestAnalysis(t *testing.T) { golden(t, "analysis", model.NewAnalysis, emit.Analysis) }
