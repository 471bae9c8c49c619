package emit

import (
	"testing"

	"github.com/specdrivers/onion/gen/model"
)

func TestEncryption(t *testing.T) { golden(t, "encryption", model.NewEncryption, Encryption) }

func TestAnalysis(t *testing.T) { golden(t, "analysis", model.NewAnalysis, Analysis) }
