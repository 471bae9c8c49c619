package mongotest

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/specdrivers/onion/bson"
)

// Documents returns the documents of a collection, "db.collection", that match a filter, in their natural order. It
// reads them without a client, and no fail point or control affects it. A nil filter matches everything.
func (d *Deployment) Documents(namespace string, filter any) ([]bson.Raw, error) {
	db, name, ok := strings.Cut(namespace, ".")
	if !ok {
		return nil, fmt.Errorf("mongotest: %q is not a namespace such as \"shop.users\"", namespace)
	}
	if filter == nil {
		filter = bson.D{}
	}
	reply, err := d.cluster.Run(context.Background(), db, bson.Doc("find", name, "filter", filter, "singleBatch", true, "batchSize", 1<<30))
	if err != nil {
		return nil, err
	}
	batch, _ := reply.Lookup("cursor", "firstBatch").ArrayOK()
	var list []bson.Raw
	for _, v := range batch.All() {
		doc, _ := v.DocumentOK()
		list = append(list, doc)
	}
	return list, nil
}

// Namespaces returns the collections and views that clients have created, as "db.collection", sorted.
func (d *Deployment) Namespaces() []string { return d.cluster.Namespaces() }

// Reset prepares a deployment for the next test. It drops every database that clients created, switches fail points
// off, forgets the commands, and ends controls, partitions, latency, skew and lag. Users, roles, parameters and nodes
// stay as they are.
func (d *Deployment) Reset() error {
	d.controls.reset()
	for i, n := range d.cluster.Nodes {
		n.ResetFailPoints()
		n.Heal()
		d.Latency(i, 0)
		d.Skew(i, 0)
		d.Lag(i, 0)
	}
	dropped := map[string]bool{}
	for _, namespace := range d.Namespaces() {
		db, _, _ := strings.Cut(namespace, ".")
		if dropped[db] || db == "admin" {
			continue
		}
		dropped[db] = true
		if err := d.run(db, bson.Doc("dropDatabase", 1)); err != nil {
			return err
		}
	}
	d.ForgetCommands()
	return nil
}

// Limits of what Dump shows.
const (
	dumpedDocuments = 20
	dumpedCommands  = 30
)

// Dump writes the first documents of each collection and the last commands. It helps to find out why a test failed.
func (d *Deployment) Dump(w io.Writer) {
	for _, namespace := range d.Namespaces() {
		docs, err := d.Documents(namespace, nil)
		fmt.Fprintf(w, "%s: %d documents\n", namespace, len(docs))
		if err != nil {
			fmt.Fprintf(w, "  %v\n", err)
		}
		for i, doc := range docs {
			if i == dumpedDocuments {
				fmt.Fprintf(w, "  and %d more\n", len(docs)-i)
				break
			}
			fmt.Fprintf(w, "  %s\n", doc)
		}
	}
	commands := d.Commands(Application())
	if n := len(commands) - dumpedCommands; n > 0 {
		fmt.Fprintf(w, "%d commands, the last %d:\n", len(commands), dumpedCommands)
		commands = commands[n:]
	}
	for _, c := range commands {
		fmt.Fprintf(w, "node %d, connection %d: %s %s\n", c.Node, c.ConnectionID, c.DB, c.Body)
	}
}

// DumpOnFailure logs what Dump writes if the test fails. A testing.TB fits t.
func (d *Deployment) DumpOnFailure(t interface {
	Cleanup(func())
	Failed() bool
	Logf(format string, args ...any)
}) {
	t.Cleanup(func() {
		if t.Failed() {
			var b strings.Builder
			d.Dump(&b)
			t.Logf("what the deployment has:\n%s", b.String())
		}
	})
}
