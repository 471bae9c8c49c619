package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/options"
)

// imitation has the methods of a client, with another signature.
type imitation struct{}

func (imitation) Do(string) error       { return nil }
func (imitation) CloseIdleConnections() {}

// idle has but the method that its interface names.
type idle struct{}

func (idle) CloseIdleConnections() {}

func TestWhatIsAClient(t *testing.T) {
	var unset *http.Client
	for name, tt := range map[string]struct {
		give         options.HTTPClient
		theirs, fail bool
	}{
		"nothing":                   {nil, false, false},
		"a nil pointer":             {unset, false, false},
		"a client":                  {http.DefaultClient, true, false},
		"a type with a client":      {struct{ *http.Client }{http.DefaultClient}, true, false},
		"a type without a method":   {idle{}, false, true},
		"a type with another of it": {imitation{}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := New(tt.give)
			if (c.theirs != nil) != tt.theirs || (err != nil) != tt.fail {
				t.Errorf("got %+v, %v", c, err)
			}
		})
	}
}

// transport answers in place of a network.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestTheirClientIsAsked(t *testing.T) {
	failure := errors.New("no network")
	ctx := context.WithValue(t.Context(), failure, "kept")
	for name, tt := range map[string]struct {
		answer string
		err    error
		want   string // "" wants an error
	}{
		"answers":           {"yes", nil, "yes"},
		"fails":             {"", failure, ""},
		"answers very much": {strings.Repeat("a", maxAnswerSize+1), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := New(&http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
				if r.Context().Value(failure) != "kept" || r.Header.Get("X-Token") != "secret" || r.Host != "example.com" {
					t.Errorf("got %+v", r)
				}
				if tt.err != nil {
					return nil, tt.err
				}
				return &http.Response{StatusCode: 200, Status: "200 OK", Body: io.NopCloser(strings.NewReader(tt.answer))}, nil
			})})
			if err != nil {
				t.Fatal(err)
			}
			answer, err := c.Do(ctx, Request{Method: "GET", Address: "http://example.com", Header: map[string]string{"x-token": "secret"}})
			if string(answer.Body) != tt.want || (err == nil) != (tt.want != "") || tt.err != nil && !errors.Is(err, tt.err) {
				t.Errorf("got %.80q, %v", answer.Body, err)
			}
		})
	}
}
