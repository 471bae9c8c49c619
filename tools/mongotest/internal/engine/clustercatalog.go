package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// listClusterCatalog is $listClusterCatalog. It lists what listCollections knows of the collections in the database or, on admin, in
// every database, and where they are.
func (x *access) listClusterCatalog(spec bson.RawValue) (docs []bson.Raw, err error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.FailedToParse, "The $listClusterCatalog stage specification must be an object. Found: %s",
			value.TypeName(spec))
	}
	a, err := x.r.parseStatement("$listClusterCatalog", d, []field{{"shards", 0, boolean}, {"balancingConfiguration", 0, boolean}})
	if err != nil {
		return nil, err
	}
	databases := []string{x.r.DB}
	if x.r.DB == "admin" {
		databases = x.snap.Databases()
	}
	for _, db := range databases {
		for _, c := range x.snap.Collections(db) {
			d := describe(c)
			dst, start := bson.AppendDocumentStart(nil)
			dst = bson.AppendStringElement(dst, "ns", c.Namespace())
			dst = bson.AppendStringElement(dst, "db", db)
			for _, name := range [...]string{"type", "idIndex", "options", "info"} {
				if v := d.Lookup(name); !v.IsZero() {
					dst = bson.AppendRawValueElement(dst, name, v)
				}
			}
			dst = x.appendPlacement(dst, c.Namespace(), a)
			docs = append(docs, bson.AppendDocumentEnd(dst, start))
		}
	}
	return docs, nil
}

func (x *access) appendPlacement(dst []byte, namespace string, a *args) []byte {
	var p Placement
	if x.e.hooks.Placement != nil {
		p = x.e.hooks.Placement(namespace)
	}
	dst = bson.AppendBooleanElement(dst, "sharded", p.Key != nil)
	if p.Key != nil {
		dst = bson.AppendDocumentElement(dst, "shardKey", p.Key)
	}
	if a.bool("shards") {
		dst = appendTexts(dst, "shards", p.Shards)
	}
	if p.Key == nil || !a.bool("balancingConfiguration") {
		return dst
	}
	dst = bson.AppendBooleanElement(dst, "balancingEnabled", p.Balancing)
	dst, reason := bson.AppendDocumentElementStart(dst, "balancingEnabledReason")
	dst = bson.AppendBooleanElement(dst, "enableBalancing", p.Balancing)
	dst = bson.AppendBooleanElement(dst, "allowMigrations", true)
	dst = bson.AppendDocumentEnd(dst, reason)
	dst = bson.AppendBooleanElement(dst, "autoMergingEnabled", true)
	return bson.AppendInt32Element(dst, "chunkSize", 128)
}
