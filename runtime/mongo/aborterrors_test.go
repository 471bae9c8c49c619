package mongo_test

import (
	"context"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Transactions, "abortTransaction" and "endSession changes": the program does not see the error of an abort. The
// transaction is aborted and the session ended all the same.
func TestErrorsOfAnAbortStayWithTheDriver(t *testing.T) {
	for name, fails := range map[string]mongotest.FailPoint{
		"an error that is not retried": {Code: 8000},
		"an error of every try":        {Code: 91, Labels: []string{"RetryableWriteError"}},
		"a broken connection":          {CloseConnection: true},
		"a timeout":                    {Block: time.Minute},
	} {
		for _, end := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				inScene(t, func(t *testing.T, s *scene) {
					r := &recorder{}
					client := s.connectForTest(&options.Client{CommandMonitor: r.monitor(), Timeout: new(time.Second)})
					session, err := client.StartSession()
					if err != nil {
						t.Fatal(err)
					}
					if err := session.StartTransaction(); err != nil {
						t.Fatal(err)
					}
					ctx := mongo.NewSessionContext(t.Context(), session)
					if _, err := client.Database("db").Collection("c").InsertOne(ctx, bson.D{}); err != nil {
						t.Fatal(err)
					}
					fails.Commands, fails.Times = []string{"abortTransaction"}, 100
					if err := s.d.Fail(fails); err != nil {
						t.Fatal(err)
					}
					if end {
						session.EndSession(ctx)
					} else if err := session.AbortTransaction(ctx); err != nil {
						t.Errorf("AbortTransaction() = %v, want nil", err)
					}
					if len(r.failed) == 0 || session.TransactionState() != mongo.TransactionAborted {
						t.Errorf("%d aborts failed, the transaction is %v", len(r.failed), session.TransactionState())
					}
					if end && session.StartTransaction() == nil {
						t.Error("the session has not ended")
					}
					session.EndSession(context.Background())
				}, mongotest.ReplicaSet(1))
			})
		}
	}
}
