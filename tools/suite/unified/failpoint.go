package unified

import (
	"context"

	"github.com/specdrivers/onion/bson"
)

// turnOff turns a fail point off. Unified Test Format, "Disabling Fail Points".
func (p *failPoint) turnOff(ctx context.Context) error {
	name, ok := p.point.Lookup("configureFailPoint")
	if !ok {
		return errNoName
	}
	return p.client.Database("admin").RunCommand(ctx, bson.Doc("configureFailPoint", name, "mode", "off")).Err()
}
