// The commands validate, reIndex, compact, dataSize (also datasize) and dbHash (also dbhash), which maintain
// collections. There is no disk, so most of them have nothing to do.
//
// Left out: dbHash hashes the documents in order of _id, without their indexes.

package server

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// collection returns the collection that the command names. A view or a missing collection is an error.
func (r *request) collection() (*store.Collection, error) {
	name, ok := r.Value().StringOK()
	if !ok || name == "" {
		return nil, status.Errorf(errcode.InvalidNamespace, "collection name has invalid type %s", r.Value().Type)
	}
	c := r.cluster.store.Latest().Collection(r.DB, name)
	switch {
	case c == nil:
		return nil, status.Errorf(errcode.NamespaceNotFound, "Collection '%s.%s' does not exist to %s.", r.DB, name, r.Name)
	case c.IsView():
		return nil, status.Errorf(errcode.CommandNotSupportedOnView, "Cannot %s a view", r.Name)
	}
	return c, nil
}

func validate(_ context.Context, r *request) (bson.Raw, error) {
	c, err := r.collection()
	if err != nil {
		return nil, err
	}
	if err := r.checkValidation(); err != nil {
		return nil, err
	}
	keys, details := bson.D{}, bson.D{}
	for _, x := range c.Indexes() {
		n := int64(x.Len())
		if x.Opaque {
			n = int64(c.Len()) // its keys are not stored
		}
		keys = append(keys, bson.E{Key: x.Name, Value: n})
		details = append(details, bson.E{Key: x.Name, Value: bson.Doc("valid", true)})
	}
	return reply.New().String("ns", c.Namespace()).Value("uuid", c.UUID).Int32("nInvalidDocuments", 0).Int32("nNonCompliantDocuments", 0).
		Int64("nrecords", int64(c.Len())).Int32("nIndexes", int32(len(keys))).Value("keysPerIndex", keys).
		Value("indexDetails", details).Bool("valid", true).Bool("repaired", false).
		Value("warnings", bson.A{}).Value("errors", bson.A{}).Value("extraIndexEntries", bson.A{}).
		Value("missingIndexEntries", bson.A{}).Value("corruptRecords", bson.A{}).Done(), nil
}

// checkValidation refuses options of validate that exclude each other.
func (r *request) checkValidation() error {
	given := func(name string) bool { on, _ := r.Body.Lookup(name).AsBoolOK(); return on }
	for _, pair := range [...][2]string{
		{"background", "full"}, {"background", "enforceFastCount"}, {"background", "repair"}, {"metadata", "full"}, {"metadata", "repair"},
	} {
		if given(pair[0]) && given(pair[1]) {
			return status.Errorf(errcode.InvalidOptions,
				"Running the validate command with both { %s: true } and { %s: true } is not supported.", pair[0], pair[1])
		}
	}
	if given("repair") && r.cluster.Set != nil {
		return status.Errorf(errcode.InvalidOptions,
			"Running the validate command with { repair: true } can only be used in standalone mode.")
	}
	return nil
}

// reIndex rebuilds indexes. Only a standalone server allows it.
func reIndex(_ context.Context, r *request) (bson.Raw, error) {
	if r.cluster.Set != nil {
		return nil, status.Errorf(errcode.IllegalOperation,
			"reIndex is only allowed on a standalone mongod instance. Cannot reIndex '%s.%s' while replication is active",
			r.DB, r.Text(r.Name))
	}
	c, err := r.collection()
	if err != nil {
		return nil, err
	}
	indexes := bson.A{}
	for _, x := range c.Indexes() {
		indexes = append(indexes, bson.Doc("v", int32(2), "key", x.Spec.Lookup("key"), "name", x.Name))
	}
	n := int32(len(indexes))
	return reply.New().Int32("nIndexesWas", n).Int32("nIndexes", n).Value("indexes", indexes).Done(), nil
}

func compact(_ context.Context, r *request) (bson.Raw, error) {
	if _, err := r.collection(); err != nil {
		return nil, err
	}
	return reply.New().Int64("bytesFreed", 0).Done(), nil
}

// dataSize takes the full namespace of its collection.
func dataSize(_ context.Context, r *request) (bson.Raw, error) {
	began := time.Now()
	namespace, ok := r.Value().StringOK()
	db, name, found := strings.Cut(namespace, ".")
	if !ok || !found {
		return nil, status.Errorf(errcode.InvalidNamespace, "Invalid namespace specified '%s'", namespace)
	}
	c := r.cluster.store.Latest().Collection(db, name)
	size, n := int64(0), int64(0)
	ranged, err := r.readDataRange(c)
	switch {
	case err != nil:
		return nil, err
	case ranged != nil:
		size, n = ranged.measure(c)
	case c != nil:
		size, n = c.Size(), int64(c.Len())
	}
	return reply.New().Int64("size", size).Int64("numObjects", n).Int64("millis", time.Since(began).Milliseconds()).
		Bool("estimate", r.Flag("estimate")).Done(), nil
}

func dbHash(_ context.Context, r *request) (bson.Raw, error) {
	began := time.Now()
	wanted := call.Texts(r.Body.Lookup("collections"))
	all, hashes, uuids, capped := md5.New(), bson.D{}, bson.D{}, bson.A{}
	for _, c := range r.cluster.store.Latest().Collections(r.DB) {
		if c.IsView() || len(wanted) > 0 && !slices.Contains(wanted, c.Name) {
			continue
		}
		sum := hashOf(c)
		all.Write([]byte(sum))
		hashes = append(hashes, bson.E{Key: c.Name, Value: sum})
		uuids = append(uuids, bson.E{Key: c.Name, Value: c.UUID})
		if c.Options.Capped {
			capped = append(capped, c.Name)
		}
	}
	return reply.New().String("host", r.node.Address()).Value("collections", hashes).Value("capped", capped).Value("uuids", uuids).
		String("md5", hex.EncodeToString(all.Sum(nil))).Int64("timeMillis", time.Since(began).Milliseconds()).Done(), nil
}

// hashOf returns a hash of a collection's documents. For a capped collection it depends on their order.
func hashOf(c *store.Collection) string {
	var docs []bson.Raw
	for scan := c.Scan(0); ; {
		record := scan.Next()
		if record == nil {
			break
		}
		docs = append(docs, record.Doc)
	}
	if !c.Options.Capped {
		slices.SortStableFunc(docs, func(a, b bson.Raw) int {
			return compare.Values(a.Lookup("_id"), b.Lookup("_id"), nil)
		})
	}
	sum := md5.New()
	for _, d := range docs {
		sum.Write(d)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
