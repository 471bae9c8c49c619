package web

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestARequestArrivesWhole(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut} {
		for name, client := range map[string]Client{"the driver's client": {}, "the program's": New(&http.Client{})} {
			t.Run(method+" of "+name, func(t *testing.T) { checkRequest(t, client, method) })
		}
	}
}

func checkRequest(t *testing.T, client Client, method string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if r.Method != method || r.URL.RequestURI() != "/a%20b?c=d" || r.Header.Get("X-Token") != "secret" || err != nil {
			t.Errorf("got %s %s %v, %v", r.Method, r.URL, r.Header, err)
		}
		if want := map[bool]string{true: "", false: "ask"}[method == http.MethodGet]; string(body) != want || r.ContentLength != int64(len(want)) {
			t.Errorf("the body is %q, its length %d", body, r.ContentLength)
		}
		w.WriteHeader(http.StatusAccepted)
		io.WriteString(w, "answer")
	}))
	defer server.Close()
	r := Request{Method: method, Address: server.URL + "/a%20b?c=d", Header: map[string]string{"x-token": "secret"}}
	if method != http.MethodGet {
		r.Body = []byte("ask")
	}
	answer, err := client.Do(t.Context(), r)
	if err != nil || answer.Status != http.StatusAccepted || answer.Line != "202 Accepted" || string(answer.Body) != "answer" {
		t.Errorf("got %+v, %v", answer, err)
	}
}

func TestAHeaderCannotBeginAnotherRequest(t *testing.T) {
	r := Request{Method: "GET", Address: "http://localhost", Header: map[string]string{"X-Token": "secret\r\nHost: elsewhere"}}
	if _, err := (Client{}).Do(t.Context(), r); err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "X-Token") {
		t.Errorf("got %v", err)
	}
}

// A redirect could lead a token to any host, or a request to a service of the machine.
func TestNoRedirectIsFollowed(t *testing.T) {
	for _, status := range []int{
		http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect,
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			t.Run(method+" "+http.StatusText(status), func(t *testing.T) {
				mux := http.NewServeMux()
				mux.Handle("/old", http.RedirectHandler("/new", status))
				mux.HandleFunc("/new", func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") })
				server := httptest.NewServer(mux)
				defer server.Close()
				answer, err := Client{}.Do(t.Context(), Request{Method: method, Address: server.URL + "/old", Body: []byte("ask")})
				if err != nil || answer.Status != status {
					t.Errorf("got %+v, %v", answer, err)
				}
			})
		}
	}
}

// Changes that a program makes to the variables of net/http do not affect the driver.
func TestTheDefaultsOfTheProgramAreNotUsed(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	transport, client := http.DefaultTransport, http.DefaultClient
	defer func() { http.DefaultTransport, http.DefaultClient = transport, client }()
	http.DefaultTransport = transportFunc(func(r *http.Request) (*http.Response, error) {
		t.Errorf("%s was asked", r.URL)
		return nil, errors.New("no network")
	})
	http.DefaultClient = &http.Client{}
	for _, machine := range []bool{false, true} {
		if answer, err := (Client{}).Do(t.Context(), Request{Method: "GET", Address: server.URL, Machine: machine}); err != nil || answer.Status != 404 {
			t.Errorf("got %+v, %v", answer, err)
		}
	}
}

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestTheProgramsClientIsAsked(t *testing.T) {
	failure := errors.New("no network")
	ctx := context.WithValue(t.Context(), failure, "kept")
	for name, tt := range map[string]struct {
		answer string
		err    error
		want   string // "" wants an error
	}{
		"answers":           {"yes", nil, "yes"},
		"fails":             {"", failure, ""},
		"answers very much": {strings.Repeat("a", MaxAnswerSize+1), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := New(&http.Client{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
				if r.Context().Value(failure) != "kept" || r.Header.Get("X-Token") != "secret" || r.Host != "example.com" {
					t.Errorf("got %+v", r)
				}
				if tt.err != nil {
					return nil, tt.err
				}
				return &http.Response{StatusCode: 200, Status: "200 OK", Body: io.NopCloser(strings.NewReader(tt.answer))}, nil
			})})
			answer, err := c.Do(ctx, Request{Method: "GET", Address: "http://example.com", Header: map[string]string{"x-token": "secret"}})
			if string(answer.Body) != tt.want || (err == nil) != (tt.want != "") || tt.err != nil && !errors.Is(err, tt.err) {
				t.Errorf("got %.80q, %v", answer.Body, err)
			}
		})
	}
}

func TestTheContextEndsARequest(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for name, want := range map[string]error{"cancelled": context.Canceled, "with a cause": errors.New("why")} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				nc, err := listener.Accept()
				if err != nil {
					t.Error(err)
					return
				}
				defer nc.Close()
				io.ReadFull(nc, make([]byte, 3))
				cancel(want)
				io.Copy(io.Discard, nc) // ends when the client closes
			}()
			_, err := Client{}.Do(ctx, Request{Method: "GET", Address: "http://" + listener.Addr().String()})
			if !errors.Is(err, want) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("before it begins", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), -1)
		defer cancel()
		_, err := Client{}.Do(ctx, Request{Method: "GET", Address: "http://" + listener.Addr().String()})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

// A request ends even if its context has no deadline.
func TestARequestWithoutADeadlineEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newClient(true)
		near, far := net.Pipe()
		defer far.Close()
		go io.Copy(io.Discard, far)
		client.Transport.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) { return near, nil }
		began := time.Now()
		_, err := New(client).Do(t.Context(), Request{Method: "GET", Address: "http://silent"})
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != maxTime {
			t.Errorf("got %v after %v", err, took)
		}
	})
}

func TestErrorsNameTheAddressWithoutItsPassword(t *testing.T) {
	_, err := Client{}.Do(t.Context(), Request{Method: "GET", Address: "ftp://user:hidden@host/path"})
	var named *url.Error
	if !errors.As(err, &named) || !strings.Contains(err.Error(), "host/path") || strings.Contains(err.Error(), "hidden") {
		t.Errorf("got %v", err)
	}
}

// endlessText repeats a text for ever.
type endlessText string

func (e endlessText) Read(p []byte) (int, error) {
	return copy(p, strings.Repeat(string(e), len(p)/len(e)+1)), nil
}

func TestAnAnswerIsBounded(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for name, tt := range map[string]struct {
		begin string
		more  endlessText
		want  string // "" wants any error
	}{
		"a status line":          {"", "a", ""},
		"a header":               {ok + "X: ", "a", ""},
		"many headers":           {ok, "X: y\r\n", ""},
		"many answers before":    {"", "HTTP/1.1 100 Continue\r\n\r\n", ""},
		"a body":                 {ok + "\r\n", "a", "larger than"},
		"a body with its length": {ok + "Content-Length: 1073741824\r\n\r\n", "a", "larger than"},
		"chunks":                 {ok + "Transfer-Encoding: chunked\r\n\r\n", "3\r\nabc\r\n", "larger than"},
		"a packed body":          {ok + "Content-Encoding: gzip\r\n\r\n", "\x00", "larger than"},
	} {
		t.Run(name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			go func() {
				nc, err := listener.Accept()
				if err != nil {
					t.Error(err)
					return
				}
				defer nc.Close()
				// An answer that comes before its request is another error.
				if _, err := http.ReadRequest(bufio.NewReader(nc)); err != nil {
					t.Error(err)
					return
				}
				io.Copy(nc, io.MultiReader(strings.NewReader(tt.begin), tt.more)) // ends when the client closes
			}()
			_, err = Client{}.Do(t.Context(), Request{Method: "GET", Address: "http://" + listener.Addr().String()})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
