package web

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// bothClients are the driver's own client and one of the program.
func bothClients(t *testing.T) map[string]Client {
	theirs, err := New(&http.Client{})
	if err != nil || theirs.theirs == nil {
		t.Fatal(err)
	}
	return map[string]Client{"ours": {}, "theirs": theirs}
}

func TestARequestArrivesWhole(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut} {
		for name, client := range bothClients(t) {
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
	r := Request{Method: "GET", Header: map[string]string{"X-Token": "secret\r\nHost: elsewhere"}}
	if _, err := encode(r, "/", "localhost", ""); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

func TestRedirects(t *testing.T) {
	for name, tt := range map[string]struct {
		method       string
		status       int
		path, body   string
		wantStatus   int
		wantFollowed bool
	}{
		"a GET that was found elsewhere":         {http.MethodGet, http.StatusFound, "/new", "", 200, true},
		"a GET that moved to another host":       {http.MethodGet, http.StatusMovedPermanently, "absolute", "", 200, true},
		"a POST keeps its body":                  {http.MethodPost, http.StatusTemporaryRedirect, "/new", "ask", 200, true},
		"a POST keeps its body for ever":         {http.MethodPost, http.StatusPermanentRedirect, "/new", "ask", 200, true},
		"a POST that would become a GET":         {http.MethodPost, http.StatusSeeOther, "/new", "ask", http.StatusSeeOther, false},
		"an answer without an address":           {http.MethodGet, http.StatusFound, "", "", http.StatusFound, false},
		"an answer that redirects to itself":     {http.MethodGet, http.StatusFound, "/old", "", http.StatusFound, false},
		"an address of another kind of protocol": {http.MethodGet, http.StatusFound, "file:///etc/passwd", "", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			followed, asked := false, 0
			mux := http.NewServeMux()
			server := httptest.NewServer(mux)
			defer server.Close()
			mux.HandleFunc("/old", func(w http.ResponseWriter, r *http.Request) {
				asked++
				if to := strings.Replace(tt.path, "absolute", server.URL+"/new", 1); to != "" {
					w.Header().Set("Location", to)
				}
				w.WriteHeader(tt.status)
			})
			mux.HandleFunc("/new", func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				followed = r.Method == tt.method && string(body) == tt.body && r.Header.Get("X-Token") == "secret"
			})
			answer, err := Client{}.Do(t.Context(), Request{
				Method: tt.method, Address: server.URL + "/old", Body: []byte(tt.body), Header: map[string]string{"X-Token": "secret"},
			})
			if (err == nil) != (tt.wantStatus != 0) || answer.Status != tt.wantStatus || followed != tt.wantFollowed {
				t.Errorf("got %+v, %v, followed %v", answer, err, followed)
			}
			if asked > 1+maxRedirects {
				t.Errorf("asked %d times", asked)
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

func TestErrorsNameTheAddressWithoutItsPassword(t *testing.T) {
	_, err := Client{}.Do(t.Context(), Request{Method: "GET", Address: "ftp://user:hidden@host/path"})
	var named *url.Error
	if !errors.As(err, &named) || !strings.Contains(err.Error(), "host/path") || strings.Contains(err.Error(), "hidden") {
		t.Errorf("got %v", err)
	}
}
