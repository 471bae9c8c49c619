package wire

import "github.com/specdrivers/onion/bson"

// EmptyDocument returns the document {}.
func EmptyDocument() bson.Raw { return bson.Raw{5, 0, 0, 0, 0} }
