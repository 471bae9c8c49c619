package world

import (
	"context"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// describeHuge looks at a file that is too long for 32 bits. Its chunks would not fit into a world: only its description is stored.
func (a *filer) describeHuge(ctx context.Context, op scenario.Op) (string, error) {
	a.next++
	name, length := fmt.Sprintf("huge %d-%d", a.k.plan.Number, a.next), int64(1)<<32+int64(op.N)
	db := a.k.db()
	b := db.GridFSBucket(&options.GridFSBucket{Name: new("huge")})
	file := bson.Doc("_id", name, "length", length, "chunkSize", int32(4000), "filename", name)
	_, err := db.Collection("huge.files").InsertOne(ctx, file)
	if err != nil {
		return "describes " + name, err
	}
	stream, err := b.OpenDownloadStream(ctx, name)
	if err != nil {
		return "opens " + name, err
	}
	if got := stream.GetFile().Length; got != length {
		a.violate(scenario.GridFS, "a file of %d bytes is said to have %d", length, got)
	}
	return "opens " + name, stream.Close()
}
