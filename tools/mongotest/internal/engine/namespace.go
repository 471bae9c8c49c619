package engine

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// The longest namespace up to 4.2, the longest in later versions, and the longest database name.
const (
	namespaceMaxOld = 120
	namespaceMax    = 255
	databaseMax     = 63
)

// collection returns the name in the command's first element.
func (r *Request) collection() (string, error) {
	e, _ := r.Body.Index(0)
	name, ok := e.Value.StringOK()
	if !ok {
		return "", status.Errorf(errcode.InvalidNamespace, "collection name has invalid type %s", e.Value.Type)
	}
	return name, checkName(r.DB, name)
}

// checkName refuses invalid namespaces.
func checkName(db, name string) error {
	if name == "" || strings.ContainsRune(name, 0) || strings.HasPrefix(name, ".") {
		return status.Errorf(errcode.InvalidNamespace, "Invalid namespace specified '%s.%s'", db, name)
	}
	if db == "" || strings.ContainsAny(db, "/\\. \"$\x00") && db != "$external" || len(db) > databaseMax {
		return status.Errorf(errcode.InvalidNamespace, "Invalid namespace specified '%s.%s'", db, name)
	}
	return nil
}

// checkNew refuses an invalid namespace for a new collection.
func checkNew(snap *store.Snapshot, version int32, db, name string) error {
	limit := namespaceMax
	if version < wire.Server44 {
		limit = namespaceMaxOld
	}
	ns := db + "." + name
	switch {
	case strings.Contains(name, "$"):
		return status.Errorf(errcode.InvalidNamespace, "Invalid collection name: %s", name)
	case strings.HasPrefix(name, "system.") && !systemCollection(db, name):
		return status.Errorf(errcode.InvalidNamespace, "Invalid system namespace: %s", ns)
	case strings.Contains(name, ".system."):
		return status.Errorf(errcode.BadValue, "Invalid namespace: %s", ns)
	case len(ns) > limit:
		return status.Errorf(errcode.InvalidNamespace, "Fully qualified namespace is too long. Namespace: %s Max: %d", ns, limit)
	}
	for _, other := range snap.Databases() {
		if other != db && strings.EqualFold(other, db) {
			return status.Errorf(errcode.DatabaseDifferCase,
				"db already exists with different case already have: [%s] trying to create [%s]", other, db)
		}
	}
	return nil
}

// systemCollection reports whether clients may create this system collection.
func systemCollection(db, name string) bool {
	switch name {
	case "system.js", "system.profile":
		return true
	case "system.users", "system.roles", "system.version", "system.new_users", "system.backup_users":
		return db == "admin"
	case "system.sessions", "system.preimages":
		return db == "config"
	}
	return false
}

// checkUUID refuses a command whose collectionUUID differs from the named collection's.
func (r *Request) checkUUID(snap *store.Snapshot, a *args, db, name string) error {
	v := a.get("collectionUUID")
	if v.IsZero() {
		return nil
	}
	_, want, _ := v.BinaryOK()
	actual := value.Null
	for _, c := range snap.Collections(db) {
		if string(want) != string(c.UUID[:]) || c.IsView() {
			continue
		}
		if c.Name == name {
			return nil
		}
		actual = value.String(c.Name)
	}
	e := status.Errorf(errcode.CollectionUUIDMismatch, "Collection UUID does not match that specified")
	info, start := bson.AppendDocumentStart(nil)
	info = bson.AppendStringElement(info, "db", db)
	info = bson.AppendRawValueElement(info, "collectionUUID", v)
	info = bson.AppendStringElement(info, "expectedCollection", name)
	info = bson.AppendRawValueElement(info, "actualCollection", actual)
	e.Info = bson.AppendDocumentEnd(info, start)
	return e
}

// checkUUIDIn is checkUUID inside a write.
func (r *Request) checkUUIDIn(tx *store.Txn, a *args, db, name string) error {
	if !a.has("collectionUUID") {
		return nil
	}
	return r.checkUUID(tx.Snapshot(), a, db, name)
}

// namespace splits "db.collection".
func namespace(ns string) (db, name string) {
	db, name, _ = strings.Cut(ns, ".")
	return db, name
}
