package web

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/textproto"
	"strconv"
	"strings"
	"unicode"
)

const (
	// maxAnswerSize bounds the body of an answer. Callers may read less.
	maxAnswerSize = 1<<20 + 1

	// maxHeadSize bounds what comes before and around the body.
	maxHeadSize = 256 << 10
)

var (
	errTooLarge   = fmt.Errorf("the answer is larger than %d bytes", maxAnswerSize)
	errNoResponse = errors.New("the answer is no HTTP response")
)

// encode is a request as it is sent; header is whole lines to add. http.Request.Write and http.ReadResponse would do more and
// link 0.2 MB for it.
func encode(r *http.Request, target, header string) ([]byte, error) {
	var body []byte
	if r.Body != nil {
		defer r.Body.Close()
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	message := []byte(r.Method + " " + target + " HTTP/1.1\r\nHost: " + r.URL.Host +
		"\r\nUser-Agent: onion\r\nConnection: close\r\n" + header)
	for name, values := range r.Header {
		for _, value := range values {
			if strings.ContainsFunc(value, unicode.IsControl) { // a line break could begin another request
				return nil, fmt.Errorf("the header %s has a control character", name)
			}
			message = append(message, name+": "+value+"\r\n"...)
		}
	}
	if r.Method != http.MethodGet {
		message = append(message, "Content-Length: "+strconv.Itoa(len(body))+"\r\n"...)
	}
	return append(append(message, "\r\n"...), body...), nil
}

// read reads a whole answer. Its body needs not be closed.
func read(from io.Reader) (*http.Response, error) {
	limited := &io.LimitedReader{R: from, N: maxHeadSize + maxAnswerSize}
	b := bufio.NewReader(limited)
	response, err := readHead(b)
	if err == nil {
		var body []byte
		body, err = readBody(b, response)
		response.Body = io.NopCloser(bytes.NewReader(body))
	}
	if err != nil && limited.N == 0 {
		err = errTooLarge
	}
	return response, err
}

// readHead reads the status line and the header of the final answer; others with a status below 200 may come first.
//
// RFC 9112, "Status Line"; RFC 9110, "Informational 1xx".
func readHead(b *bufio.Reader) (*http.Response, error) {
	text := textproto.NewReader(b)
	for {
		line, err := text.ReadLine()
		if err != nil {
			return nil, unexpected(err)
		}
		version, status, _ := strings.Cut(line, " ")
		code, _, _ := strings.Cut(status, " ")
		n, err := strconv.ParseUint(code, 10, 16)
		if !strings.HasPrefix(version, "HTTP/1.") || len(code) != 3 || err != nil || n < 100 {
			return nil, errNoResponse
		}
		header, err := text.ReadMIMEHeader()
		if err != nil {
			return nil, unexpected(err)
		}
		if n >= http.StatusOK {
			return &http.Response{Status: status, StatusCode: int(n), Header: http.Header(header)}, nil
		}
	}
}

// readBody reads a body, however its end is marked. RFC 9112, "Message Body Length".
func readBody(b *bufio.Reader, response *http.Response) ([]byte, error) {
	if response.StatusCode == http.StatusNoContent || response.StatusCode == http.StatusNotModified {
		return nil, nil
	}
	codings, lengths := response.Header["Transfer-Encoding"], response.Header["Content-Length"]
	from, length := io.Reader(b), int64(-1)
	switch {
	case len(codings) == 1 && strings.EqualFold(codings[0], "chunked"):
		from = httputil.NewChunkedReader(b)
	case len(codings) > 0:
		return nil, errors.New("the answer has an unknown transfer coding")
	case len(lengths) > 0:
		n, err := strconv.ParseUint(lengths[0], 10, 63)
		if err != nil || len(lengths) > 1 {
			return nil, errors.New("the answer has no valid length")
		}
		length = int64(n)
		from = io.LimitReader(b, length)
	}
	body, err := io.ReadAll(io.LimitReader(from, maxAnswerSize+1))
	switch {
	case err != nil:
		return nil, unexpected(err)
	case len(body) > maxAnswerSize:
		return nil, errTooLarge
	case length >= 0 && int64(len(body)) < length:
		return nil, io.ErrUnexpectedEOF
	}
	return body, nil
}

// unexpected is io.ErrUnexpectedEOF where more had to come.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
