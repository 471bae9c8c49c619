package auth_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/auth"
	"github.com/specdrivers/onion/runtime/internal/web"
)

// Two connections may fetch keys at the same time: a lock around the request would make one wait for the other's service.
//
// MONGODB-AWS, "Caching Credentials".
func TestAWSKeysAreFetchedSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, answer := 0, make(chan struct{})
		keys := auth.NewAWSKeys(func(context.Context) (options.AWSCredentials, error) {
			asked++
			<-answer
			return options.AWSCredentials{AccessKeyID: "id", SecretAccessKey: "secret"}, nil
		}, web.Client{}, func(string) string { return "" })
		done := make(chan error, 2)
		for range 2 {
			go func() {
				_, err := keys.CurrentKeys(t.Context())
				done <- err
			}()
			synctest.Wait()
		}
		if asked != 2 {
			t.Errorf("%d connections ask at the same time, want 2", asked)
		}
		close(answer)
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}
