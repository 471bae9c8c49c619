package mongo_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The prose tests of Client Backpressure, in virtual time: only the pauses take any.

var (
	noJitter   = func() float64 { return 0 }
	fullJitter = func() float64 { return math.Nextafter(1, 0) }
)

func (s *scene) overload(command string, code int) {
	s.t.Helper()
	s.fail("alwaysOn", failCommandData(command, "errorCode", code, "errorLabels", bson.A{"SystemOverloadedError", "RetryableError"}))
}

// insertTakes is how long an insert takes that fails.
func insertTakes(t *testing.T, client *mongo.Client) time.Duration {
	t.Helper()
	began := time.Now()
	if _, err := client.Database("shop").Collection("things").InsertOne(t.Context(), bson.Doc("a", 1)); err == nil {
		t.Error("the insert succeeded")
	}
	return time.Since(began).Round(time.Millisecond)
}

func TestBackpressureProse1ExponentialBackoff(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client := s.connect("")
		defer client.Close(context.Background())
		s.overload("insert", 2)
		mongo.SetJitter(client, noJitter)
		if took := insertTakes(t, client); took != 0 {
			t.Errorf("without backoff it took %v", took)
		}
		mongo.SetJitter(client, fullJitter)
		if took := insertTakes(t, client); took != 600*time.Millisecond {
			t.Errorf("with backoff it took %v, want 200 ms and 400 ms", took)
		}
	}, mongotest.ReplicaSet(1))
}

func TestBackpressureProse3And4MaximumOfRetries(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options *options.Client
		tries   int
	}{
		{"3: MAX_RETRIES", nil, 3},
		{"4: maxAdaptiveRetries", &options.Client{MaxAdaptiveRetries: new(1)}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				var events recorder
				client := s.connect("", tt.options, &options.Client{CommandMonitor: events.monitor()})
				defer client.Close(context.Background())
				s.overload("find", 462)
				_, err := client.Database("shop").Collection("things").Find(t.Context(), bson.D{})
				if !mongo.HasErrorLabel(err, "RetryableError") || !mongo.HasErrorLabel(err, "SystemOverloadedError") {
					t.Errorf("got %v", err)
				}
				if n := len(events.commands("find")); n != tt.tries {
					t.Errorf("%d tries, want %d", n, tt.tries)
				}
			}, mongotest.ReplicaSet(1))
		})
	}
}

// The answers carry what setParameter would make the server attach.
func TestBackpressureProse5BaseBackoffMSOfTheServer(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client := s.connect("")
		defer client.Close(context.Background())
		mongo.SetJitter(client, fullJitter)
		s.overload("insert", 462)
		if took := insertTakes(t, client); took != 600*time.Millisecond {
			t.Errorf("by default it took %v", took)
		}
		s.fail("off", bson.D{})
		for range 3 {
			s.d.Control("insert", func(mongotest.Command) mongotest.Answer {
				return mongotest.Answer{Reply: encodeReply(t, "ok", 0, "code", 462, "errmsg", "told to", "baseBackoffMS", 50,
					"errorLabels", bson.A{"SystemOverloadedError", "RetryableError"})}
			})
		}
		if took := insertTakes(t, client); took != 300*time.Millisecond {
			t.Errorf("with baseBackoffMS it took %v, want 100 ms and 200 ms", took)
		}
	}, mongotest.ReplicaSet(1))
}

// The labels and the base of an overload may come with a write concern error, too.
func TestBaseBackoffMSOfAWriteConcernError(t *testing.T) {
	labels := bson.A{"SystemOverloadedError", "RetryableError", "RetryableWriteError"}
	concern := bson.Doc("code", 462, "errmsg", "told to")
	for name, reply := range map[string]bson.Raw{
		"in the reply": encodeReply(t, "ok", 1, "n", 1, "writeConcernError", concern, "errorLabels", labels, "baseBackoffMS", 50),
		"in the error": encodeReply(t, "ok", 1, "n", 1, "errorLabels", labels, "writeConcernError",
			append(concern, bson.E{Key: "baseBackoffMS", Value: 50})),
		"of a write error": encodeReply(t, "ok", 1, "n", 0, "errorLabels", labels, "baseBackoffMS", 50,
			"writeErrors", bson.A{bson.Doc("index", 0, "code", 462, "errmsg", "told to")}),
	} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client := s.connect("")
				defer client.Close(context.Background())
				mongo.SetJitter(client, fullJitter)
				s.answerWith("insert", mongotest.Answer{Reply: reply}, mongotest.Answer{Reply: reply}, mongotest.Answer{Reply: reply})
				if took := insertTakes(t, client); took != 300*time.Millisecond {
					t.Errorf("it took %v, want 100 ms and 200 ms", took)
				}
			}, mongotest.ReplicaSet(1))
		})
	}
}
