// The commands createSearchIndexes, updateSearchIndex and dropSearchIndex, and the stage $listSearchIndexes.
//
// Left out: all of it, and the stages that search. They fail as on a server that is not part of Atlas; before 7.0 the
// commands are unknown.

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// errSearchNotEnabled is the error for everything that only Atlas has. Servers before 7.1 return the caller's code and
// text.
func (r *Request) errSearchNotEnabled(code errcode.Code, text string) error {
	if r.WireVersion < wire.Server71 {
		return status.Errorf(code, "%s", text)
	}
	return status.Errorf(errcode.SearchNotEnabled,
		"Using Atlas Search Database Commands and the $listSearchIndexes aggregation stage requires additional "+
			"configuration. Please connect to Atlas or an AtlasCLI local deployment to enable. For more information on how to "+
			"connect, see https://dochub.mongodb.org/core/atlas-cli-deploy-local-reqs.")
}

// errSearchRefused is the error of a stage that searches. With the option for search indexes the deployment looks like a
// part of Atlas, so the error names mongotest.
func (x *access) errSearchRefused(stage string, spec bson.RawValue) error {
	switch {
	case spec.Type != bsontype.EmbeddedDocument:
		return status.Errorf(errcode.FailedToParse, "%s value must be an object. Found: %s", stage, spec.Type)
	case x.e.hooks.SearchIndexes != nil:
		return status.Errorf(errcode.SearchNotEnabled, "%s: mongotest keeps search indexes, but searches with none", stage)
	case x.r.WireVersion < wire.Server71:
		return status.Errorf(errcode.SearchNotEnabled, "%s not enabled! Connect to Atlas, or set the parameter mongotHost", stage)
	}
	return status.Errorf(errcode.SearchNotEnabled,
		"Using $search and $vectorSearch aggregation stages requires additional configuration. Please connect to Atlas or an "+
			"AtlasCLI local deployment to enable. For more information on how to connect, see "+
			"https://dochub.mongodb.org/core/atlas-cli-deploy-local-reqs.")
}

func (e *Engine) searchIndexes(_ context.Context, r *Request, _ []byte) ([]byte, error) {
	return nil, r.errSearchNotEnabled(errcode.CommandNotSupported, "Search index commands are only supported with Atlas.")
}
