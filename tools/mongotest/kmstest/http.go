package kmstest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// reply is an answer over HTTP.
type reply struct {
	status int
	body   any // as JSON
}

func succeed(body any) reply { return reply{http.StatusOK, body} }

// call is a request over HTTP.
type call struct {
	*http.Request
	body []byte
	host string // without the port
}

// maxBody limits the size of a request.
const maxBody = 1 << 20

// answerHTTP answers one request, and reports whether the connection stays open.
func (s *Server) answerHTTP(w io.Writer, r *bufio.Reader, host string) bool {
	q, err := http.ReadRequest(r)
	if err != nil {
		return false
	}
	body, err := io.ReadAll(io.LimitReader(q.Body, maxBody))
	if err != nil {
		return false
	}
	c := &call{Request: q, body: body}
	c.host, _, _ = strings.Cut(q.Host, ":")
	a, operation := s.route(c)
	switch f := s.takeFault(host, operation); {
	case f != nil && f.status == 0:
		f.wait(r)
		return false
	case f != nil:
		a = reply{f.status, map[string]any{"error": "injected"}}
	}
	data, err := json.Marshal(a.body)
	if err != nil {
		return false
	}
	_, err = fmt.Fprintf(w, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		a.status, http.StatusText(a.status), len(data), data)
	return err == nil && !q.Close
}

// route finds the service for a request.
func (s *Server) route(c *call) (a reply, operation string) {
	target := c.Header.Get("X-Amz-Target")
	switch path := c.URL.Path; {
	case target != "":
		return s.answerAWS(c, target), target
	case strings.HasSuffix(path, "/oauth2/v2.0/token"):
		return s.answerAzureToken(c), "oauth"
	case path == "/token":
		return s.answerGCPToken(c), "oauth"
	case strings.HasSuffix(path, "/wrapkey"), strings.HasSuffix(path, "/unwrapkey"):
		return s.answerAzure(c), path[strings.LastIndex(path, "/")+1:]
	case strings.HasSuffix(path, ":encrypt"), strings.HasSuffix(path, ":decrypt"):
		return s.answerGCP(c), path[strings.LastIndex(path, ":")+1:]
	}
	return fail(http.StatusNotFound, "there is no service at %s", c.URL.Path), "unknown"
}

func fail(status int, format string, args ...any) reply {
	return reply{status, map[string]any{"error": map[string]any{"code": status, "message": fmt.Sprintf(format, args...)}}}
}

// field returns a string from the JSON body of a request.
func (c *call) field(name string) string {
	var doc map[string]any
	if json.Unmarshal(c.body, &doc) != nil {
		return ""
	}
	text, _ := doc[name].(string)
	return text
}
