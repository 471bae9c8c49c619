package auth_test

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/auth"
)

// Signature Version 4, "Create a canonical request".
func TestCanonicalRequests(t *testing.T) {
	for _, tt := range []struct{ path, query, wantPath, wantQuery string }{
		{"", "", "/", ""},
		{"/", "", "/", ""},
		{"//", "", "/", ""},
		{"/.", "", "/", ""},
		{"/a/b", "", "/a/b", ""},
		{"/a//b/", "", "/a/b/", ""},
		{"/a/./b", "", "/a/b", ""},
		{"/a/../b", "", "/b", ""},
		{"/a/b/..", "", "/a/", ""},
		{"/a/b/.", "", "/a/b/", ""},
		{"/../../a", "", "/a", ""},
		{"/a b/%20/é", "", "/a%20b/%2520/%C3%A9", ""},
		{"/-._~AZaz09", "", "/-._~AZaz09", ""},
		{"/", "b=2&a=1", "/", "a=1&b=2"},
		{"/", "a=2&a=1&a", "/", "a=&a=1&a=2"},
		{"/", "&&a=1&", "/", "a=1"},
		{"/", "a=b=c", "/", "a=b%3Dc"},
		{"/", "a=%41%zz%4", "/", "a=A%25zz%254"},
		{"/", "a%20b=%2f", "/", "a%20b=%2F"},
		{"/", "a=%", "/", "a=%25"},
		{"/", "%41=%42", "/", "A=B"},
	} {
		r := auth.AWSRequest{Method: "GET", Path: tt.path, Query: tt.query}
		canonical, _ := r.Canonical()
		lines := strings.Split(canonical, "\n")
		if lines[0] != "GET" || lines[1] != tt.wantPath || lines[2] != tt.wantQuery {
			t.Errorf("%q?%q is %q, want %q?%q", tt.path, tt.query, lines[:3], tt.wantPath, tt.wantQuery)
		}
	}
}

func TestCanonicalHeaders(t *testing.T) {
	r := auth.AWSRequest{Method: "POST", Path: "/", Body: "text", Headers: []auth.AWSHeader{
		{Name: "X-B", Value: " one \t two "}, {Name: "host", Value: "h"}, {Name: "x-b", Value: "three"}, {Name: "Accept", Value: "*"},
	}}
	canonical, signed := r.Canonical()
	want := "POST\n/\n\naccept:*\nhost:h\nx-b:one two,three\n\naccept;host;x-b\n" +
		"982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1"
	if canonical != want || signed != "accept;host;x-b" {
		t.Errorf("got %q, signed %q", canonical, signed)
	}
	sent := r.Sign(options.AWSCredentials{AccessKeyID: "AKID", SecretAccessKey: "secret"}, "us-east-1", "sts", "20260102T030405Z")
	if !strings.HasPrefix(sent, "AWS4-HMAC-SHA256 Credential=AKID/20260102/us-east-1/sts/aws4_request, SignedHeaders=accept;host;x-b, Signature=") {
		t.Errorf("signed %q", sent)
	}
}
