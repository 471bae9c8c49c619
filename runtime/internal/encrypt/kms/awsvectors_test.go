package kms

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/auth"
	"github.com/specdrivers/onion/runtime/internal/encrypt/vectors"
)

// signedRequest is a request of the vectors with what follows from it: .req is the request, .creq its canonical form, .sts what is
// signed, .authz the header with the signature, .sreq the request with that header.
type signedRequest struct{ path string }

// read returns the text of one of the files, or "".
func (r signedRequest) read(t *testing.T, kind string) string {
	t.Helper()
	b, err := os.ReadFile(r.path + kind)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), "\r\n", "\n")
}

// parse takes a request apart, and removes its signature. A line that begins with a space continues the header before it.
func parse(t *testing.T, text string) (r auth.AWSRequest, authorization string) {
	t.Helper()
	head, body, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(strings.TrimSuffix(head, "\n"), "\n")
	method, rest, _ := strings.Cut(strings.TrimSuffix(lines[0], " HTTP/1.1"), " ")
	r.Method, r.Body = method, body
	r.Path, r.Query, _ = strings.Cut(rest, "?")
	for _, line := range lines[1:] {
		name, value, ok := strings.Cut(line, ":")
		switch {
		case strings.HasPrefix(line, " "):
			name, value = r.Headers[len(r.Headers)-1].Name, line
		case !ok:
			t.Fatalf("the header %q", line)
		case name == "Authorization":
			authorization = strings.TrimSpace(value)
			continue
		}
		if n, err := strconv.Atoi(value); err == nil && name == "Content-Length" {
			r.Body += strings.Repeat("\x00", n-len(r.Body)) // one body was sent with a zero byte at its end, which its file lacks
		}
		r.Headers = append(r.Headers, auth.AWSHeader{Name: name, Value: value})
	}
	return r, authorization
}

// keysOfTheVectors are the secret keys of Amazon's suite and of Amazon's documentation, by access key.
var keysOfTheVectors = map[string]string{"AKIDEXAMPLE": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "foo-akid": "foo-key"}

// requestsOfTheVectors finds all requests.
func requestsOfTheVectors(t *testing.T) (requests []signedRequest) {
	t.Helper()
	err := filepath.WalkDir(vectors.Dir()+"/kms-message", func(path string, _ fs.DirEntry, err error) error {
		if base, ok := strings.CutSuffix(path, ".sreq"); ok {
			requests = append(requests, signedRequest{base})
		}
		return err
	})
	if err != nil || len(requests) < 34 {
		t.Fatal(len(requests), err)
	}
	return requests
}

func TestSignaturesOfTheVectors(t *testing.T) {
	for _, vector := range requestsOfTheVectors(t) {
		t.Run(strings.TrimPrefix(vector.path, vectors.Dir()), func(t *testing.T) {
			r, want := parse(t, vector.read(t, ".sreq"))
			if plain := vector.read(t, ".req"); plain != "" {
				plain, _ := parse(t, plain)
				if len(plain.Headers) > len(r.Headers) || plain.Path != r.Path || plain.Query != r.Query || plain.Body != r.Body {
					t.Errorf("the request is %+v, signed it is %+v", plain, r)
				}
			}
			_, list, _ := strings.Cut(want, "SignedHeaders=")
			list, _, _ = strings.Cut(list, ",")
			var headers []auth.AWSHeader
			date := ""
			for _, h := range r.Headers { // some are not signed: Connection, and a token that is added at the end
				name := strings.ToLower(h.Name)
				if strings.Contains(";"+list+";", ";"+name+";") {
					headers = append(headers, h)
				}
				if name == "x-amz-date" {
					date = h.Value
				}
			}
			r.Headers = headers
			credential := strings.SplitN(strings.TrimPrefix(want, "AWS4-HMAC-SHA256 Credential="), "/", 5)
			id, region, service := credential[0], credential[2], credential[3]

			canonical, signed := r.Canonical()
			if text := vector.read(t, ".creq"); text != "" && canonical != text || signed != list {
				t.Errorf("the canonical request is\n%s\nwith %s, want\n%s", canonical, signed, text)
			}
			scope := strings.Join([]string{date[:8], region, service, "aws4_request"}, "/")
			if text := vector.read(t, ".sts"); text != "" && auth.StringToSign(canonical, date, scope) != text {
				t.Errorf("the text to sign is\n%s\nwant\n%s", auth.StringToSign(canonical, date, scope), text)
			}
			if text := vector.read(t, ".authz"); text != "" && text != want {
				t.Errorf("the headers are %q and %q", text, want)
			}
			key := options.AWSCredentials{AccessKeyID: id, SecretAccessKey: keysOfTheVectors[id]}
			if got := r.Sign(key, region, service, date); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}
