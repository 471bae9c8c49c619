package mongotest_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// recoveringCommit is a commit with the recoveryToken that the replies to a transaction with writes contain.
const recoveringCommit = `{commitTransaction:1,recoveryToken:{recoveryShardId:'shard0'}}`

// A router knows the transactions that it started. Another router can report the outcome if it gets the token.
func TestTransactionsOfRouters(t *testing.T) {
	for _, test := range []struct {
		name   string
		before []string // at the router where the transaction started
		there  []string // at another router; the last one is checked
		want   errcode.Code
		text   string
		after  errcode.Code // of a commit at the router where it started
	}{
		{"a statement", nil, []string{statement(findAll, 1)}, errcode.NoSuchTransaction, "cannot continue txnId -1 for session", 0},
		{"an abort", nil, []string{statement(abort, 1)}, errcode.NoSuchTransaction, "cannot continue txnId -1 for session", 0},
		{"a commit without a token", nil, []string{statement(commit, 1)}, 50940, "without a recoveryToken", 0},
		{"a commit with an empty token", nil, []string{statement(`{commitTransaction:1,recoveryToken:{}}`, 1)}, errcode.NoSuchTransaction, "Recovery token is empty", 0},
		{"a commit with a token of another shard", nil, []string{statement(`{commitTransaction:1,recoveryToken:{recoveryShardId:'x'}}`, 1)}, errcode.ShardNotFound, "Shard x not found", 0},
		{"a commit with what is no token", nil, []string{statement(`{commitTransaction:1,recoveryToken:1}`, 1)}, errcode.TypeMismatch, "recoveryToken", 0},
		{"a commit of an open one", nil, []string{statement(recoveringCommit, 1)}, errcode.NoSuchTransaction, "has been aborted", errcode.NoSuchTransaction},
		{"a commit of a committed one", []string{statement(commit, 1)}, []string{statement(recoveringCommit, 1)}, 0, "", 0},
		{"a commit of an aborted one", []string{statement(abort, 1)}, []string{statement(recoveringCommit, 1)}, errcode.NoSuchTransaction, "has been aborted", errcode.NoSuchTransaction},
		{"a commit that nobody knows", nil, []string{statement(recoveringCommit, 2)}, errcode.NoSuchTransaction, "does not match any in-progress transactions", 0},
		{"a commit of one before", []string{statement(commit, 1), begin(findAll, 2)}, []string{statement(recoveringCommit, 1)}, errcode.TransactionTooOld, "newer transaction", errcode.TransactionTooOld},
		{"a second recovery", []string{statement(commit, 1)}, []string{statement(recoveringCommit, 1), statement(recoveringCommit, 1)}, 0, "", 0},
		{"a second recovery without a token", []string{statement(commit, 1)}, []string{statement(recoveringCommit, 1), statement(commit, 1)}, 50940, "", 0},
		{"a statement after a recovery", []string{statement(commit, 1)}, []string{statement(recoveringCommit, 1), statement(findAll, 1)}, errcode.NoSuchTransaction, "no known command has been sent by this router", 0},
		{"a second beginning", nil, []string{begin(insertB, 1)}, 50911, "is in state TxnState::InProgress", 0},
		{"a beginning after the commit", []string{statement(commit, 1)}, []string{begin(insertB, 1)}, 50911, "is in state TxnState::Committed", 0},
		{"a beginning after the abort", []string{statement(abort, 1)}, []string{begin(insertB, 1)}, 0, "", 0},
		{"a beginning after a retryable write", []string{statement(commit, 1), retryable(insertB, 2)}, []string{begin(findAll, 2)}, 50911, "TxnState::ExecutedRetryableWrite", errcode.TransactionTooOld},
		{"an older one", nil, []string{begin(insertB, 5), begin(insertB, 4)}, errcode.TransactionTooOld, "txnNumber 4 is less than last txnNumber 5 seen in session", errcode.TransactionTooOld},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.Sharded(2))
			c, there := connectRaw(t, d, 0), connectRaw(t, d, 1)
			checkRefused(t, c.runInTransaction(begin(insertA, 1)), 0)
			for _, command := range test.before {
				checkRefused(t, c.runInTransaction(command), 0)
			}
			var reply bson.Raw
			for _, command := range test.there {
				reply = there.runInTransaction(command)
			}
			if message, _ := reply.Lookup("errmsg").StringOK(); codeOf(reply) != test.want || !strings.Contains(message, test.text) {
				t.Errorf("%v", reply)
			}
			checkRefused(t, c.runInTransaction(statement(commit, 1)), test.after)
		})
	}
}

// A router that starts again has forgotten its transactions. The shard has not.
func TestRouterForgetsItsTransactions(t *testing.T) {
	for _, test := range []struct {
		name   string
		before []string
		then   string
		want   errcode.Code
	}{
		{"a statement", nil, statement(insertB, 1), errcode.NoSuchTransaction},
		{"a commit without a token", []string{statement(commit, 1)}, statement(commit, 1), 50940},
		{"a commit with a token", []string{statement(commit, 1)}, statement(recoveringCommit, 1), 0},
		{"a commit of an open one", nil, statement(recoveringCommit, 1), errcode.NoSuchTransaction},
		{"another transaction", nil, begin(insertB, 2), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.Sharded(1))
			c := connectRaw(t, d, 0)
			for _, command := range append([]string{begin(insertA, 1)}, test.before...) {
				checkRefused(t, c.runInTransaction(command), 0)
			}
			d.Kill(0)
			if err := d.Restart(0); err != nil {
				t.Fatal(err)
			}
			if reply := connectRaw(t, d, 0).runInTransaction(test.then); codeOf(reply) != test.want {
				t.Errorf("%v", reply)
			}
		})
	}
}

// In a transaction, a router's replies include a recoveryToken. It names the shard once the transaction has written.
func TestRecoveryToken(t *testing.T) {
	const named = `{recoveryShardId:'shard0'}`
	steps := []struct{ name, command, want string }{
		{"a read", begin(findAll, 1), `{}`},
		{"a write that changes nothing", statement(`{delete:'c',deletes:[{q:{_id:'z'},limit:1}]}`, 1), `{}`},
		{"a write", statement(insertA, 1), named},
		{"a read after it", statement(findAll, 1), named},
		{"the commit", statement(commit, 1), named},
		{"the commit again", statement(commit, 1), named},
		{"outside", findAll, ``},
		{"the next transaction", begin(findAll, 2), `{}`},
		{"its abort", statement(abort, 2), `{}`},
		{"an error", statement(abort, 2), ``},
	}
	sharded, set := connectRaw(t, mongotest.Start(t, mongotest.Sharded(1)), 0), connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
	for _, step := range steps {
		checkSame(t, step.name, sharded.runInTransaction(step.command).Lookup("recoveryToken"), step.want)
		checkSame(t, step.name+" on a replica set", set.runInTransaction(step.command).Lookup("recoveryToken"), "")
	}
	d := mongotest.Start(t, mongotest.Sharded(2))
	checkRefused(t, connectRaw(t, d, 0).runInTransaction(begin(insertA, 1)), 0)
	checkRefused(t, connectRaw(t, d, 0).runInTransaction(statement(commit, 1)), 0)
	checkSame(t, "a recovered commit", connectRaw(t, d, 1).runInTransaction(statement(recoveringCommit, 1)).Lookup("recoveryToken"), `{}`)
}

// A driver whose commit is lost with its router asks another router for the outcome.
func TestDriverRecoversACommit(t *testing.T) {
	for _, test := range []struct {
		name      string
		committed bool
	}{{"the shard has committed", true}, {"the router lost the commit", false}} {
		t.Run(test.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.Sharded(2))
			client := connect(t, d)
			c := client.Database("db").Collection("c")
			err := client.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
				if err := s.StartTransaction(); err != nil {
					return err
				}
				if _, err := c.InsertOne(ctx, bson.Doc("_id", 1)); err != nil {
					return err
				}
				pinned := d.Commands(mongotest.Named("insert"))[0].Node
				if test.committed {
					d.Latency(pinned, time.Hour) // the answer to the commit never arrives
				} else {
					d.Control("commitTransaction", func(c mongotest.Command) mongotest.Answer { return mongotest.Answer{Drop: c.Node == pinned} })
				}
				ended := make(chan error)
				go func() { ended <- s.CommitTransaction(ctx) }()
				if test.committed {
					for other := connectRaw(t, d, 1-pinned); other.runInDB(findAll).Lookup("cursor", "firstBatch", "0").IsZero(); {
					}
				}
				d.Kill(pinned)
				err := <-ended
				commits := d.Commands(mongotest.Named("commitTransaction"))
				last := commits[len(commits)-1]
				if last.Node == pinned || last.Body.Lookup("recoveryToken", "recoveryShardId").IsZero() {
					t.Errorf("the last commit went to router %d: %s", last.Node, last.Body)
				}
				return err
			})
			if lost := mongo.HasErrorCode(err, errcode.NoSuchTransaction) && mongo.HasErrorLabel(err, errcode.LabelTransientTransactionError); lost == test.committed || err != nil && !lost {
				t.Errorf("the commit: %v", err)
			}
		})
	}
}

// The reply to a recovered commit has an empty token. A later commit still has to name the shard, because the router
// that gets it may be a third one.
func TestCommitAtEveryRouter(t *testing.T) {
	d := mongotest.Start(t, mongotest.Sharded(3))
	c := connect(t, d).Database("db").Collection("c")
	err := c.Database().Client().UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
		if err := s.StartTransaction(); err != nil {
			return err
		}
		if _, err := c.InsertOne(ctx, bson.Doc("_id", 1)); err != nil {
			return err
		}
		for range 3 {
			if err := s.CommitTransaction(ctx); err != nil {
				return err
			}
			commits := d.Commands(mongotest.Named("commitTransaction"))
			if last := commits[len(commits)-1]; last.Body.Lookup("recoveryToken", "recoveryShardId").IsZero() {
				t.Errorf("router %d gets %s", last.Node, last.Body)
			}
			if len(commits) < 3 {
				d.Kill(commits[len(commits)-1].Node)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
