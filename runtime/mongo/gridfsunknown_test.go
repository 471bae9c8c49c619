package mongo_test

import (
	"errors"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Close says that the file does not exist, unless the reply to its last write was lost.
func TestGridFSCloseAfterALostReply(t *testing.T) {
	drop := mongotest.Answer{Drop: true}
	pass := mongotest.Answer{}
	failure := func(code int, labels ...any) mongotest.Answer {
		return mongotest.Answer{Reply: encodeReply(t, "ok", 0, "code", code, "errmsg", "no", "errorLabels", bson.A(labels))}
	}
	for _, tt := range []struct {
		name    string
		retry   bool
		answers []mongotest.Answer // the answers to the inserts of the chunk and of the description
		fails   bool
		unknown bool
	}{
		{"nothing is lost", true, nil, false, false},
		{"the chunks' reply", false, []mongotest.Answer{drop}, true, false},
		{"the description's reply", false, []mongotest.Answer{pass, drop}, true, true},
		{"both replies to the description", true, []mongotest.Answer{pass, drop, drop}, true, true},
		{"the first reply to the description", true, []mongotest.Answer{pass, drop}, false, false},
		{"the description is refused", false, []mongotest.Answer{pass, failure(13)}, true, false},
		{"a primary steps down", false, []mongotest.Answer{pass, failure(11602, "RetryableWriteError")}, true, true},
		{"nothing was written", false, []mongotest.Answer{pass, failure(11602, "RetryableWriteError", "NoWritesPerformed")}, true, false},
		{"the write concern fails", false, []mongotest.Answer{pass, {Reply: encodeReply(t, "ok", 1, "n", 1,
			"writeConcernError", bson.Doc("code", 64, "errmsg", "slow"))}}, true, true},
		{"the description is a duplicate", false, []mongotest.Answer{pass, {Reply: encodeReply(t, "ok", 1, "n", 0,
			"writeErrors", bson.A{bson.Doc("index", 0, "code", 11000, "errmsg", "dup")})}}, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				bucket := s.connectForTest(&options.Client{RetryWrites: &tt.retry}).Database("shop").GridFSBucket()
				upload, err := bucket.OpenUploadStream(t.Context(), "log")
				if err != nil {
					t.Fatal(err)
				}
				if _, err := upload.Write(pattern(10)); err != nil {
					t.Fatal(err)
				}
				s.answerWith("insert", tt.answers...)
				err = upload.Close()
				if (err != nil) != tt.fails || errors.Is(err, mongo.ErrUploadUnknown) != tt.unknown {
					t.Errorf("got %v", err)
				}
			}, mongotest.ReplicaSet(1))
		})
	}
}
