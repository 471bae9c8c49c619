package bson

import (
	"bytes"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson/internal/extjson"
)

func TestAppendExtJSONLimit(t *testing.T) {
	long := strings.Repeat("é☆", 1000)
	doc, err := Marshal(D{
		{Key: "a", Value: A{int32(1), D{{Key: "b", Value: "x"}}, CodeWithScope{Code: "c", Scope: D{{Key: "d", Value: "e"}}}}},
		{Key: "long", Value: long}, {Key: "bin", Value: make([]byte, 5000)}, {Key: "z", Value: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, canonical := range []bool{true, false} {
		whole, err := AppendExtJSON(nil, doc, canonical)
		if err != nil {
			t.Fatal(err)
		}
		for limit := range len(whole) + 10 {
			got, err := AppendExtJSONLimit([]byte("# "), doc, canonical, limit)
			if err != nil {
				t.Fatalf("limit %d: %v", limit, err)
			}
			got = got[2:]
			if n := min(limit, len(whole)); len(got) < n || !bytes.Equal(got[:n], whole[:n]) {
				t.Fatalf("limit %d: got %d bytes, which are not the first of %d", limit, len(got), len(whole))
			}
			if len(got) > 3*limit+200 {
				t.Fatalf("limit %d: got %d bytes", limit, len(got))
			}
		}
	}
	if _, err := AppendExtJSONLimit(nil, Raw{5, 0, 0, 0, 1}, false, 10); err == nil {
		t.Error("a malformed document is written")
	}
	if extjson.ErrStopped.Path != "" || extjson.ErrStopped.Err != nil {
		t.Errorf("the sentinel has changed: %+v", extjson.ErrStopped)
	}
}
