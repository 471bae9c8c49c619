package auth

import (
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/generated/options"
)

// FuzzSCRAMServer sends a client anything that a server may send. The client never panics and never believes that the
// server knows the password.
func FuzzSCRAMServer(f *testing.F) {
	f.Add("r=%sabc,s=c2FsdA==,i=4096", "v=c2lnbmF0dXJl")
	f.Add("r=%sabc,s=c2FsdA==,i=1", "v=")
	f.Add("r=%s,s=,i=4096", "e=other-error")
	f.Add("", "")
	f.Add("m=x,r=%sabc,s=c2FsdA==,i=4096", "v=!!")
	f.Fuzz(func(t *testing.T, first, last string) {
		if strings.Contains(first, ",i=") && len(first) > 60 {
			t.Skip() // high iteration counts are slow by design
		}
		for _, name := range []authtable.Mechanism{authtable.SCRAMSHA1, authtable.SCRAMSHA256} {
			conversation, nonce := begin(t, name, "user", "secret")
			if _, count, ok := strings.Cut(first, "i="); ok && len(count) > 4 {
				continue
			}
			if _, _, err := conversation.Next(t.Context(), []byte(strings.Replace(first, "%s", nonce, 1))); err != nil {
				continue
			}
			if _, done, err := conversation.Next(t.Context(), []byte(last)); err == nil && done {
				t.Errorf("the server proved itself with %q and %q", first, last)
			}
		}
	})
}

// FuzzServerMessages reads the messages of servers and endpoints for the other mechanisms.
func FuzzServerMessages(f *testing.F) {
	info, err := bson.Marshal(bson.D{{Key: "issuer", Value: "https://issuer"}, {Key: "clientId", Value: "id"}, {Key: "requestScopes", Value: bson.A{"a", 1}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(info))
	f.Add([]byte{5, 0, 0, 0, 0})
	f.Add([]byte(`{"AccessKeyId":"a","SecretAccessKey":"b","Token":"c","Expiration":"2030-01-01T00:00:00Z"}`))
	f.Add([]byte(`{"Expiration":1e400}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		if info, err := parseIDPInfo(in); err == nil && info == nil {
			t.Error("neither an identity provider nor an error")
		}
		c := &awsConversation{nonce: make([]byte, authtable.AWSNonceSize), key: options.AWSCredentials{AccessKeyID: "a", SecretAccessKey: "b"},
			keys: &awsKeys{now: fixedNow}}
		c.answerChallenge(in)
		readAWSKey(in)
	})
}

func fixedNow() time.Time { return time.Unix(1_700_000_000, 0) }
