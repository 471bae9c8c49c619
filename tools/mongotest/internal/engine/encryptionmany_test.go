package engine_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted/sealed"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// A client may send statements and operations as document sequences.
func TestEncryptedSequences(t *testing.T) {
	s, c := newEncryptedServer(t), newClient()
	request := func(body, name, doc string) bson.Raw {
		t.Helper()
		reply, err := s.request(t, &engine.Request{DB: "db", Body: parse(t, body), Sequences: map[string][]bson.Raw{name: {parse(t, doc)}}})
		if err != nil {
			t.Fatal(err)
		}
		return reply
	}
	request(`{insert: 'c', `+information+`}`, "documents", `{_id: 1, e: `+c.insert("x", 0)+`}`)
	checkTags(t, s.document(t, 1), 1, []string{"e"})
	update := request(`{update: 'c', `+information+`}`, "updates", `{q: {e: `+c.equal("x", 0)+`}, u: {$set: {e: `+c.insert("y", 0)+`}}}`)
	if n, _ := update.Lookup("nModified").AsInt64OK(); n != 1 {
		t.Errorf("the update answered %v", update)
	}
	remove := request(`{delete: 'c', `+information+`}`, "deletes", `{q: {e: `+c.equal("y", 0)+`}, limit: 1}`)
	if n, _ := remove.Lookup("n").AsInt64OK(); n != 1 {
		t.Errorf("the delete answered %v", remove)
	}
}

// Concurrent writers of one value take consecutive counts.
func TestEncryptedWritersMeet(t *testing.T) {
	s, c := newEncryptedServer(t), newClient()
	var group sync.WaitGroup
	const writers, each = 6, 10
	for w := range writers {
		group.Go(func() {
			for i := range each {
				for _, command := range []string{
					fmt.Sprintf(`{insert: 'c', documents: [{_id: %d, e: %s}], %s}`, w*each+i, c.insert("x", 0), information),
					fmt.Sprintf(`{update: 'c', updates: [{q: {_id: %d}, u: {$set: {e: %s}}}], %s}`, w*each+i, c.insert("x", 1), information),
				} {
					if _, err := s.try(t, command); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	group.Wait()
	if got := len(strings.Fields(s.ids(t, `{find: 'c', filter: {e: `+c.equal("x", 1)+`}, batchSize: 1000, `+information+`}`))); got != writers*each {
		t.Errorf("%d of %d documents are found", got, writers*each)
	}
	s.want(t, `{count: 'enxcol_.c.esc'}`, fmt.Sprint(2*writers*each), "n")
	seen := map[sealed.Token]bool{}
	for i := range writers * each {
		v := findStored(t, s.document(t, i), "e")
		if tag := v.Tags()[0]; seen[tag] {
			t.Errorf("document %d shares its tag", i)
		} else {
			seen[tag] = true
		}
	}
}

// A transaction counts and finds its own inserts at once. Others find them after the commit, and never if it aborts.
func TestEncryptedTransactions(t *testing.T) {
	s, c := newEncryptedServer(t), newClient()
	find := `{find: 'c', filter: {e: ` + c.equal("x", 0) + `}, ` + information + `}`
	for _, tt := range []struct {
		name   string
		end    func(*store.Txn) error
		inside int
		after  int
	}{
		{"one that is aborted", func(tx *store.Txn) error { tx.Abort(); return nil }, 2, 0},
		{"one that commits", func(tx *store.Txn) error { _, err := tx.Commit(); return err }, 2, 2},
	} {
		tx := s.Store().Begin()
		in := func(command string) bson.Raw {
			t.Helper()
			reply, err := s.request(t, &engine.Request{DB: "db", Body: parse(t, command), Txn: tx})
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			return reply
		}
		for id := range 2 {
			in(fmt.Sprintf(`{insert: 'c', documents: [{_id: %d, e: %s}], %s}`, id, c.insert("x", 0), information))
		}
		if docs, _ := in(find).Lookup("cursor", "firstBatch").ArrayOK(); docs.Len() != tt.inside {
			t.Errorf("%s finds %d documents", tt.name, docs.Len())
		}
		if got := s.ids(t, find); got != "" {
			t.Errorf("others find %q while %s is open", got, tt.name)
		}
		if err := tt.end(tx); err != nil {
			t.Fatal(err)
		}
		if got := len(strings.Fields(s.ids(t, find))); got != tt.after {
			t.Errorf("after %s %d documents are found", tt.name, got)
		}
		s.want(t, `{count: 'enxcol_.c.esc'}`, fmt.Sprint(tt.after), "n")
	}
}
