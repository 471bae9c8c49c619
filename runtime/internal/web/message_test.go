package web

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestAnswers(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for name, tt := range map[string]struct {
		answer string
		status int // 0 wants an error
		body   string
	}{
		"with a length":               {ok + "Content-Length: 3\r\n\r\nabc and more", 200, "abc"},
		"without a length":            {ok + "\r\nabc", 200, "abc"},
		"in chunks":                   {ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", 200, "abcde"},
		"of HTTP/1.0":                 {"HTTP/1.0 404 Not Found\r\n\r\nnone", 404, "none"},
		"without a reason":            {"HTTP/1.1 404\r\n\r\n", 404, ""},
		"without content":             {"HTTP/1.1 204 No Content\r\n\r\nabc", 204, ""},
		"after others":                {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok + "\r\nabc", 200, "abc"},
		"empty":                       {"", 0, ""},
		"no HTTP":                     {"SSH-2.0-OpenSSH_9.2\r\n", 0, ""},
		"of HTTP/2":                   {"HTTP/2 200 OK\r\n\r\n", 0, ""},
		"with a status in words":      {"HTTP/1.1 fine OK\r\n\r\n", 0, ""},
		"with a status of two digits": {"HTTP/1.1 20 OK\r\n\r\n", 0, ""},
		"with a negative status":      {"HTTP/1.1 -20 OK\r\n\r\n", 0, ""},
		"cut in the header":           {ok + "Content-Length: 3\r\n", 0, ""},
		"with a header of no form":    {ok + "what\r\n\r\n", 0, ""},
		"cut in the body":             {ok + "Content-Length: 4\r\n\r\nabc", 0, ""},
		"cut in a chunk":              {ok + "Transfer-Encoding: chunked\r\n\r\n4\r\nabc", 0, ""},
		"with a chunk of no size":     {ok + "Transfer-Encoding: chunked\r\n\r\nx\r\nabc\r\n0\r\n\r\n", 0, ""},
		"with a chunk that is longer": {ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n", 0, ""},
		"with a chunk of any size":    {ok + "Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\nabc\r\n", 0, ""},
		"with a chunk without end":    {ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc", 0, ""},
		"cut before the last chunk":   {ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", 0, ""},
		"with a negative length":      {ok + "Content-Length: -1\r\n\r\nabc", 0, ""},
		"with two lengths":            {ok + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 0, ""},
		"in an unknown coding":        {ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 0, ""},
		"as large as allowed":         {ok + "\r\n" + strings.Repeat("a", maxAnswerSize), 200, strings.Repeat("a", maxAnswerSize)},
		"that claims too much":        {ok + "Content-Length: 4611686018427387904\r\n\r\nabc", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			answer, err := Read(strings.NewReader(tt.answer), maxAnswerSize)
			if tt.status == 0 {
				if err == nil {
					t.Errorf("got %+v", answer)
				}
				return
			}
			if err != nil || answer.Status != tt.status || string(answer.Body) != tt.body {
				t.Errorf("got %d, %.80q, %v", answer.Status, answer.Body, err)
			}
		})
	}
}

// endless repeats a text for ever.
type endless string

func (e endless) Read(p []byte) (int, error) {
	return copy(p, strings.Repeat(string(e), len(p)/len(e)+1)), nil
}

func TestAnAnswerIsBounded(t *testing.T) {
	for name, tt := range map[string]struct {
		begin string
		more  endless
	}{
		"a status line":          {"", "a"},
		"a header":               {"HTTP/1.1 200 OK\r\nX: ", "a"},
		"many headers":           {"HTTP/1.1 200 OK\r\n", "X: y\r\n"},
		"many answers before":    {"", "HTTP/1.1 100 Continue\r\n\r\n"},
		"a body":                 {"HTTP/1.1 200 OK\r\n\r\n", "a"},
		"a body with its length": {"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n", "a"},
		"chunks":                 {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "3\r\nabc\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Read(io.MultiReader(strings.NewReader(tt.begin), tt.more), maxAnswerSize); err == nil {
				t.Error("it was read to an end that it does not have")
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"))
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"))
	f.Fuzz(func(t *testing.T, answer []byte) {
		want, wantErr := http.ReadResponse(bufio.NewReader(bytes.NewReader(answer)), nil)
		got, err := Read(bytes.NewReader(answer), 100)
		if err == nil && (len(got.Body) > 100 || wantErr == nil && want.StatusCode >= OK && got.Status != want.StatusCode) {
			t.Errorf("got %+v, package http reads %+v", got, want)
		}
	})
}
