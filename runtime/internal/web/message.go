package web

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"
	"unicode"
)

const (
	// maxAnswerSize bounds the body of an answer.
	maxAnswerSize = 1 << 20

	// maxHeadSize bounds what comes before and around the body.
	maxHeadSize = 256 << 10
)

var errNoResponse = errors.New("the answer is no HTTP response")

// encode is a request as it is sent; header is whole lines to add.
func encode(r Request, target, host, header string) ([]byte, error) {
	message := []byte(r.Method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\nUser-Agent: onion\r\nConnection: close\r\n" + header)
	for name, value := range r.Header {
		if strings.ContainsFunc(value, unicode.IsControl) { // a line break could begin another request
			return nil, fmt.Errorf("the header %s has a control character", name)
		}
		message = append(message, name+": "+value+"\r\n"...)
	}
	if r.Method != "GET" {
		message = append(message, "Content-Length: "+strconv.Itoa(len(r.Body))+"\r\n"...)
	}
	return append(append(message, "\r\n"...), r.Body...), nil
}

// Read reads an answer whose body is at most so large. It may read more bytes than the answer has.
func Read(from io.Reader, most int) (Answer, error) {
	limited := &io.LimitedReader{R: from, N: int64(most) + maxHeadSize}
	b := bufio.NewReader(limited)
	answer, header, err := readHead(b)
	if err == nil {
		answer.location = header.Get("Location")
		answer.Body, err = readBody(b, answer.Status, header, most)
	}
	if err != nil && limited.N == 0 {
		err = tooLarge(most)
	}
	return answer, err
}

// readHead reads the status line and the header of the final answer; others with a status below 200 may come first.
//
// RFC 9112, "Status Line"; RFC 9110, "Informational 1xx".
func readHead(b *bufio.Reader) (Answer, textproto.MIMEHeader, error) {
	text := textproto.NewReader(b)
	for {
		line, err := text.ReadLine()
		if err != nil {
			return Answer{}, nil, unexpected(err)
		}
		version, line, _ := strings.Cut(line, " ")
		digits, _, _ := strings.Cut(line, " ")
		status, err := strconv.ParseUint(digits, 10, 16)
		if !strings.HasPrefix(version, "HTTP/1.") || len(digits) != 3 || err != nil || status < 100 {
			return Answer{}, nil, errNoResponse
		}
		header, err := text.ReadMIMEHeader()
		if err != nil {
			return Answer{}, nil, unexpected(err)
		}
		if status >= OK {
			return Answer{Status: int(status), Line: line}, header, nil
		}
	}
}

// readBody reads a body, however its end is marked. RFC 9112, "Message Body Length".
func readBody(b *bufio.Reader, status int, header textproto.MIMEHeader, most int) ([]byte, error) {
	const noContent, notModified = 204, 304
	if status == noContent || status == notModified {
		return nil, nil
	}
	codings, lengths := header["Transfer-Encoding"], header["Content-Length"]
	switch {
	case len(codings) == 1 && strings.EqualFold(codings[0], "chunked"):
		return readChunks(b, most)
	case len(codings) > 0:
		return nil, errors.New("the answer has an unknown transfer coding")
	case len(lengths) == 0:
		return readAll(b, most)
	}
	length, err := strconv.ParseUint(lengths[0], 10, 63)
	if err != nil || len(lengths) > 1 {
		return nil, errors.New("the answer has no valid length")
	}
	return readExactly(b, nil, length, most)
}

// readChunks reads a body in chunks, but not what follows them. RFC 9112, "Chunked Transfer Coding".
func readChunks(b *bufio.Reader, most int) (body []byte, err error) {
	for {
		line, err := b.ReadString('\n')
		if err != nil {
			return nil, unexpected(err)
		}
		digits, _, _ := strings.Cut(line, ";")
		size, err := strconv.ParseUint(strings.TrimSpace(digits), 16, 63)
		if err != nil {
			return nil, errors.New("the answer has a chunk without a size")
		}
		if size == 0 {
			return body, nil
		}
		if body, err = readExactly(b, body, size, most); err != nil {
			return nil, err
		}
		if line, err := b.ReadString('\n'); err != nil || strings.TrimRight(line, "\r\n") != "" {
			return nil, errors.New("the answer has a chunk of another size")
		}
	}
}

// readExactly appends the next bytes to a body.
func readExactly(b *bufio.Reader, body []byte, size uint64, most int) ([]byte, error) {
	if size > uint64(most-len(body)) {
		return nil, tooLarge(most)
	}
	start := len(body)
	body = append(body, make([]byte, size)...)
	_, err := io.ReadFull(b, body[start:])
	return body, unexpected(err)
}

// readAll reads to the end.
func readAll(from io.Reader, most int) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(from, int64(most)+1))
	if err == nil && len(body) > most {
		err = tooLarge(most)
	}
	return body, err
}

func tooLarge(most int) error { return fmt.Errorf("the answer is larger than %d bytes", most) }

// unexpected is io.ErrUnexpectedEOF where more had to come.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
