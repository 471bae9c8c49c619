package kms

import (
	"io"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/core/kmstable"
)

func TestAnswersOfServices(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	full := strings.Repeat("a", kmstable.MaxAnswerSize)
	for name, tt := range map[string]struct {
		answer string
		status int // 0 wants an error
		body   string
	}{
		"with a length":         {ok + "Content-Length: 3\r\n\r\nabc and more", 200, "abc"},
		"in chunks":             {ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", 200, "abcde"},
		"after interim answers": {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok + "\r\nabc", 200, "abc"},
		"as large as allowed":   {ok + "\r\n" + full, 200, full},
		"larger":                {ok + "\r\n" + full + "a", 0, ""},
		"cut in the body":       {ok + "Content-Length: 4\r\n\r\nabc", 0, ""},
		"cut in the header":     {ok + "Content-Length: 3\r\n", 0, ""},
		"not HTTP":              {"SSH-2.0-OpenSSH_9.2\r\n", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			status, body, err := readAnswer(strings.NewReader(tt.answer))
			if tt.status == 0 {
				if err == nil {
					t.Errorf("got %d, %.80q", status, body)
				}
				return
			}
			if err != nil || status != tt.status || string(body) != tt.body {
				t.Errorf("got %d, %.80q, %v", status, body, err)
			}
		})
	}
}

// endless is a reader that repeats a text without end.
type endless string

func (e endless) Read(p []byte) (int, error) {
	return copy(p, strings.Repeat(string(e), len(p)/len(e)+1)), nil
}

func TestAnAnswerOfAServiceIsBounded(t *testing.T) {
	for name, tt := range map[string]struct {
		begin string
		more  endless
	}{
		"a status line":        {"", "a"},
		"many headers":         {"HTTP/1.1 200 OK\r\n", "X: y\r\n"},
		"many interim answers": {"", "HTTP/1.1 100 Continue\r\n\r\n"},
		"a body":               {"HTTP/1.1 200 OK\r\n\r\n", "a"},
		"chunks":               {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "3\r\nabc\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := readAnswer(io.MultiReader(strings.NewReader(tt.begin), tt.more)); err == nil {
				t.Error("it was read to an end that it does not have")
			}
		})
	}
}
