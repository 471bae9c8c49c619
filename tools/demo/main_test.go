package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestDemoRunsToItsEnd(t *testing.T) {
	t.Chdir("../..")
	var out bytes.Buffer
	if err := run(t.Context(), &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{
		"+         CursorNotFound,", "there is no class RetryableReads", "the read was retried",
		"mongo.IsDuplicateKeyError(err) = true", "ReplicaSetWithPrimary rs0, 3 servers", "Where to go from here",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing from\n%s", want, out.String())
		}
	}
}
