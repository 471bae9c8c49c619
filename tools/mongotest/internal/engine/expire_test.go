package engine_test

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
)

// An open transaction's write keeps only its own document from expiring. That document expires later.
func TestExpireLeavesOpenTransactionsAlone(t *testing.T) {
	s := newServer(t)
	s.run(t, `{createIndexes:'c',indexes:[{key:{at:1},name:'at',expireAfterSeconds:1}]}`)
	s.run(t, `{insert:'c',documents:[{_id:1,at:{$date:'2020-01-01T00:00:00Z'}},{_id:2,at:{$date:'2020-01-01T00:00:00Z'}}]}`)
	tx := s.Store().Begin()
	if _, err := s.request(t, &engine.Request{DB: "db", Body: parse(t, `{update:'c',updates:[{q:{_id:1},u:{$set:{x:1}}}]}`), Txn: tx}); err != nil {
		t.Fatal(err)
	}
	s.now = s.now.Add(time.Hour)
	if n, err := s.Expire(); n != 1 || err != nil {
		t.Errorf("%d expired, %v", n, err)
	}
	if _, err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	s.wantFound(t, `{find:'c'}`, `[{_id:1,at:{$date:'2020-01-01T00:00:00Z'},x:1}]`)
	if n, err := s.Expire(); n != 1 || err != nil {
		t.Errorf("%d expired, %v", n, err)
	}
}
