package auth

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/generated/options"
)

// MONGODB-AWS, "Conversation": the first message, the answers that the client refuses, and its reply to a good one.
func TestAWSConversation(t *testing.T) {
	for _, tt := range []struct {
		name, token, host string
		nonce             func(client []byte) []byte
		works             bool
	}{
		{"regular credentials", "", "sts.amazonaws.com", extendNonce(32), true},
		{"temporary credentials", "a token", "sts.us-west-2.amazonaws.com", extendNonce(32), true},
		{"a nonce that is too short", "", "sts.amazonaws.com", extendNonce(31), false},
		{"a nonce that is too long", "", "sts.amazonaws.com", extendNonce(33), false},
		{"a nonce of the server's own", "", "sts.amazonaws.com", func([]byte) []byte { return bytes.Repeat([]byte{7}, 64) }, false},
		{"no host", "", "", extendNonce(32), false},
		{"the longest host", "", strings.Repeat("a", 253) + ".b", extendNonce(32), true},
		{"a host that is too long", "", strings.Repeat("a", 254) + ".b", extendNonce(32), false},
		{"an empty label", "", "abc..def", extendNonce(32), false},
		{"a period in front", "", ".abc.def", extendNonce(32), false},
		{"a period at the end", "", "abc.def.", extendNonce(32), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &awsConversation{keys: &awsKeys{
				now: func() time.Time { return time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC) },
				provider: func(context.Context) (options.AWSCredentials, error) {
					return options.AWSCredentials{AccessKeyID: "id", SecretAccessKey: "secret", SessionToken: tt.token}, nil
				},
			}}
			first, done, err := c.Next(t.Context(), nil)
			_, nonce, _ := bson.Raw(first).Lookup("r").BinaryOK()
			flag, _ := bson.Raw(first).Lookup("p").Int32OK()
			if err != nil || done || len(nonce) != 32 || flag != 'n' {
				t.Fatalf("first %v, %t, %v", bson.Raw(first), done, err)
			}
			challenge, err := bson.Marshal(bson.D{{Key: "s", Value: bson.Binary{Data: tt.nonce(nonce)}}, {Key: "h", Value: tt.host}})
			if err != nil {
				t.Fatal(err)
			}
			second, done, err := c.Next(t.Context(), challenge)
			if done != tt.works || (err == nil) != tt.works {
				t.Fatalf("done %t, %v", done, err)
			}
			if !tt.works {
				return
			}
			answer := bson.Raw(second)
			token, _ := answer.Lookup("t").StringOK()
			authorization, _ := answer.Lookup("a").StringOK()
			date, _ := answer.Lookup("d").StringOK()
			if token != tt.token || answer.Lookup("t").IsZero() != (tt.token == "") || date != "20200102T030405Z" {
				t.Errorf("second %v", answer)
			}
			signed := "content-length;content-type;host;x-amz-date;"
			if tt.token != "" {
				signed += "x-amz-security-token;"
			}
			signed += "x-mongodb-gs2-cb-flag;x-mongodb-server-nonce,"
			if !strings.HasPrefix(authorization, authtable.AWSAlgorithm+" Credential=id/20200102/") ||
				!strings.Contains(authorization, "SignedHeaders="+signed) {
				t.Errorf("authorization %s", authorization)
			}
		})
	}
}

// extendNonce extends the client's nonce by the given number of bytes.
func extendNonce(by int) func([]byte) []byte {
	return func(client []byte) []byte { return append(bytes.Clone(client), make([]byte, by)...) }
}
