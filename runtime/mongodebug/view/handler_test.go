package view

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// fixedSource has a state that a test sets.
type fixedSource struct {
	mu    sync.Mutex
	state State
	acted []Request
}

func (f *fixedSource) State() *State {
	f.mu.Lock()
	defer f.mu.Unlock()
	return new(f.state)
}

func (f *fixedSource) set(change func(*State)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.state)
}

func (f *fixedSource) Decide(q Question) (*Decision, error) {
	switch {
	case q.Mode == "wrong":
		return nil, errors.New("wrong is no mode")
	case q.ID == 7:
		return nil, nil
	}
	return &Decision{Wants: "writable server", Verdicts: []Verdict{}}, nil
}

func (f *fixedSource) WriteMetrics(w io.Writer) error {
	_, err := io.WriteString(w, "# TYPE onion_cursors_open gauge\nonion_cursors_open 2\n")
	return err
}

// actingSource is a source with actions.
type actingSource struct{ fixedSource }

func (a *actingSource) Actions() []Action {
	return []Action{{Name: "kill", Label: "Kill </script>", Server: true}}
}

func (a *actingSource) Act(r Request) error {
	if r.Action != "kill" {
		return errors.New("there is no such action")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.acted = append(a.acted, r)
	return nil
}

// newRequest makes a request from this machine.
func newRequest(method, path, body string) *http.Request {
	r := httptest.NewRequest(method, "http://localhost:6060"+path, strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:50000"
	return r
}

func serve(h *Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestOnlyThisMachineIsAnswered(t *testing.T) {
	for _, c := range []struct {
		name, remote, host, header string
		all                        bool
		want                       int
	}{
		{"this machine", "127.0.0.1:50000", "localhost:6060", "", false, 200},
		{"by its address", "127.0.0.1:50000", "127.0.0.1:6060", "", false, 200},
		{"without a port", "127.0.0.1:50000", "localhost", "", false, 200},
		{"IPv6", "[::1]:50000", "[::1]:6060", "", false, 200},
		{"IPv4 in IPv6", "[::ffff:127.0.0.1]:50000", "[::1]", "", false, 200},
		{"another machine", "10.0.0.7:50000", "localhost:6060", "", false, 403},
		{"another name", "127.0.0.1:50000", "evil.example:6060", "", false, 403},
		{"a name that begins with localhost", "127.0.0.1:50000", "localhost.evil.example", "", false, 403},
		{"a proxy", "127.0.0.1:50000", "localhost:6060", "X-Forwarded-For", false, 403},
		{"a modern proxy", "127.0.0.1:50000", "localhost:6060", "Forwarded", false, 403},
		{"another machine, allowed", "10.0.0.7:50000", "shop.example", "X-Forwarded-For", true, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := &Handler{Source: &fixedSource{}, Remote: c.all}
			for _, path := range []string{"/debug/mongo/", "/debug/mongo/json", "/debug/mongo/metrics", "/debug/mongo/why"} {
				r := newRequest("GET", path, "")
				r.RemoteAddr, r.Host = c.remote, c.host
				if c.header != "" {
					r.Header.Set(c.header, "10.0.0.7")
				}
				w := serve(h, r)
				if w.Code != c.want {
					t.Errorf("%s: %d", path, w.Code)
				}
				if c.want == 403 && !strings.Contains(w.Body.String(), "ssh -L") {
					t.Errorf("it does not say what to do: %s", w.Body)
				}
			}
		})
	}
}

func TestRefusalsAreAPageForABrowser(t *testing.T) {
	r := newRequest("GET", "/", "")
	r.RemoteAddr = "10.0.0.7:1"
	r.Header.Set("Accept", "text/html")
	w := serve(&Handler{Source: &fixedSource{}}, r)
	if w.Code != 403 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") || !strings.Contains(w.Body.String(), "AllowRemote: true") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestPathsServeTheirContent(t *testing.T) {
	h := &Handler{Source: &fixedSource{state: State{About: About{Title: "shop"}}}}
	for _, c := range []struct {
		method, path, accept string
		code                 int
		kind, has            string
	}{
		{"GET", "/debug/mongo/", "text/html,*/*", 200, "text/html; charset=utf-8", "<!doctype html>"},
		{"GET", "/", "", 200, "text/html; charset=utf-8", "<!doctype html>"},
		{"GET", "/debug/mongo/", "application/json", 200, "application/json", `"title": "shop"`},
		{"GET", "/debug/mongo/json", "", 200, "application/json", `"title": "shop"`},
		{"GET", "/debug/mongo/metrics", "", 200, "application/openmetrics-text; version=1.0.0; charset=utf-8", "onion_cursors_open 2\n# EOF\n"},
		{"GET", "/debug/mongo/why?write=1", "", 200, "application/json", `"wants": "writable server"`},
		{"GET", "/debug/mongo/why?mode=wrong", "", 400, "application/json", "wrong is no mode"},
		{"GET", "/debug/mongo/why?id=7", "", 404, "application/json", "is not remembered"},
		{"GET", "/debug/mongo/why?id=x", "", 400, "application/json", "number"},
		{"GET", "/debug/mongo/else", "", 404, "text/plain; charset=utf-8", "ends with a slash"},
		{"POST", "/debug/mongo/", "", 405, "text/plain; charset=utf-8", "read-only"},
		{"POST", "/debug/mongo/do", "", 404, "text/plain; charset=utf-8", ""},
	} {
		t.Run(c.method+" "+c.path+" "+c.accept, func(t *testing.T) {
			r := newRequest(c.method, c.path, "")
			r.Header.Set("Accept", c.accept)
			w := serve(h, r)
			if w.Code != c.code || w.Header().Get("Content-Type") != c.kind || !strings.Contains(w.Body.String(), c.has) {
				t.Errorf("%d %s %.200s", w.Code, w.Header().Get("Content-Type"), w.Body)
			}
			if w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("headers %v", w.Header())
			}
		})
	}
}

// The page loads nothing else, and its policy allows only its own scripts and styles.
func TestThePageLoadsNothingElse(t *testing.T) {
	w := serve(&Handler{Source: &actingSource{}}, newRequest("GET", "/", ""))
	page := w.Body.String()
	if foreign := regexp.MustCompile(`(src|href|url)\s*[=(]\s*["']?(https?:)?//`).FindString(page); foreign != "" {
		t.Errorf("it loads %s", foreign)
	}
	if n := strings.Count(page, "</script>"); n != 1 {
		t.Errorf("the script ends %d times", n)
	}
	policy := w.Header().Get("Content-Security-Policy")
	between := func(open, end string) string {
		_, rest, _ := strings.Cut(page, open)
		text, _, _ := strings.Cut(rest, end)
		return text
	}
	for _, text := range []string{between("<style>", "</style>"), between("<script>", "</script>")} {
		if len(text) < 1000 || !strings.Contains(policy, hashOf(text)) {
			t.Errorf("the policy %s does not allow %.60s", policy, text)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(page, "{{") || strings.Contains(page, ` style="`) {
		t.Error("something is left to fill in, or needs a weaker policy")
	}
}

func TestActionsComeOnlyFromThePage(t *testing.T) {
	good := `{"action":"kill","server":"a:1"}`
	for _, c := range []struct {
		name, method, body string
		header             map[string]string
		code               int
	}{
		{"the page", "POST", good, map[string]string{"Sec-Fetch-Site": "same-origin"}, 200},
		{"a program", "POST", good, nil, 200},
		{"another site", "POST", good, map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"another port", "POST", good, map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
		{"an old browser on another site", "POST", good, map[string]string{"Origin": "http://evil.example"}, 403},
		{"a form", "POST", "action=kill", map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, 403},
		{"a form that pretends", "POST", good, map[string]string{"Content-Type": "text/plain"}, 403},
		{"a link", "GET", "", nil, 403},
		{"not JSON", "POST", "{", nil, 400},
		{"too long", "POST", `{"action":"` + strings.Repeat("x", maxRequest) + `"}`, nil, 400},
		{"no such action", "POST", `{"action":"feed"}`, nil, 422},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := &actingSource{}
			r := newRequest(c.method, "/do", c.body)
			r.Header.Set("Content-Type", "application/json")
			for name, value := range c.header {
				r.Header.Set(name, value)
			}
			w := serve(&Handler{Source: source}, r)
			if w.Code != c.code || (len(source.acted) == 1) != (c.code == 200) {
				t.Errorf("%d %s, acted %v", w.Code, w.Body, source.acted)
			}
			var answer map[string]any
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
				t.Errorf("%s: %v", w.Body, err)
			}
		})
	}
}
