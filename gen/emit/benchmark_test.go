package emit

import (
	"testing"

	"github.com/specdrivers/onion/gen/model"
)

func TestBenchmarks(t *testing.T) { golden(t, "benchmark", model.NewBenchmarks, Benchmarks) }

func TestStableAPI(t *testing.T) { golden(t, "stableapi", model.NewStableAPI, StableAPI) }
