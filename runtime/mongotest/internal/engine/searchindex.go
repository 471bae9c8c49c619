package engine

import (
	"context"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
)

// searchNotEnabled is the refusal of everything that only Atlas has.
func searchNotEnabled(what string) error {
	return status.Errorf(errcode.Code(31082), "%s is only supported on Atlas: using Atlas Search Database Commands and the $listSearchIndexes aggregation stage requires additional configuration. Please connect to Atlas or an AtlasCLI local deployment to enable.", what)
}

// searchIndexes refuses createSearchIndexes, updateSearchIndex, dropSearchIndex and listSearchIndexes, as a server does
// that is not part of Atlas.
func (e *Engine) searchIndexes(_ context.Context, r *Request, _ []byte) ([]byte, error) {
	return nil, searchNotEnabled(r.Name)
}
