package suite

import (
	"fmt"
	"slices"

	"github.com/specdrivers/onion/gen/suite/source"
)

// legacySessions are the sessions that every case may name.
var legacySessions = []string{"session0", "session1"}

// sessions creates the sessions, if the case names one. Legacy Transactions Tests Format, "Use as Integration Tests",
// step 10.
func (l *legacyFile) sessions(f *fields) []*source.Node {
	options := f.value("sessionOptions")
	if options == nil && !namesSession(f.n) {
		return nil
	}
	at := source.At(f.n)
	var entities []*source.Node
	for _, name := range legacySessions {
		entities = append(entities, at.Object("session", at.Object(
			"id", at.Text(name), "client", at.Text(legacyClient), "sessionOptions", options.Get(name))))
	}
	if options != nil {
		for _, m := range options.Members {
			if !slices.Contains(legacySessions, m.Key) {
				l.problemf(m.Value, "there is no session %q", m.Key)
			}
		}
	}
	return []*source.Node{create(at, entities...)}
}

// namesSession reports whether a value or one inside it is the name of a session.
func namesSession(n *source.Node) bool {
	return n.Kind == source.String && slices.Contains(legacySessions, n.Text) ||
		slices.ContainsFunc(n.Items, namesSession) ||
		slices.ContainsFunc(n.Members, func(m source.Member) bool { return namesSession(m.Value) })
}

// createOwn returns the steps that create a database and a collection for an operation that has options for them, and the name of
// the entity that it then runs on. Legacy Transactions Tests Format, "Test Format".
func (l *legacyFile) createOwn(f *fields, on string, i int) (steps []*source.Node, name string) {
	at := source.At(f.n)
	database, collection := f.value("databaseOptions"), f.value("collectionOptions")
	if database == nil && collection == nil {
		return nil, on
	}
	if on != legacyCollection && (on != legacyDatabase || collection != nil) {
		l.problemf(f.n, "a %s has no options of a collection or a database", on)
		return nil, on
	}
	owner := legacyDatabase
	var entities []*source.Node
	if database != nil {
		owner = fmt.Sprintf("%s%d", legacyDatabase, i)
		entities = append(entities, at.Object("database", at.Object("id", at.Text(owner), "client", at.Text(legacyClient),
			"databaseName", at.Text(l.database), "databaseOptions", database)))
	}
	if on == legacyDatabase {
		return []*source.Node{create(at, entities...)}, owner
	}
	name = fmt.Sprintf("%s%d", legacyCollection, i)
	entities = append(entities, at.Object("collection", at.Object("id", at.Text(name), "database", at.Text(owner),
		"collectionName", at.Text(l.collection), "collectionOptions", collection)))
	return []*source.Node{create(at, entities...)}, name
}
