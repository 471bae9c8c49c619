package auth

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/web"
)

const (
	// maxAnswerSize bounds what an endpoint may send.
	maxAnswerSize = 1 << 20

	// maxQuotedSize bounds how much of an answer an error repeats.
	maxQuotedSize = 4 << 10
)

// endpointError is an answer of an endpoint that is not a success.
type endpointError struct {
	host   string
	status string
	body   string
}

func (e *endpointError) Error() string {
	return fmt.Sprintf("%s answered %s: %s", e.host, e.status, e.body)
}

// ask sends a request to an endpoint that gives out keys or tokens and reads its whole answer.
func ask(client options.HTTPClient, request *http.Request) ([]byte, error) {
	response, err := web.Or(client).Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerSize+1))
	if err != nil {
		return nil, fmt.Errorf("reading the answer of %s: %w", request.URL.Host, err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, &endpointError{request.URL.Host, response.Status, string(body[:min(len(body), maxQuotedSize)])}
	}
	if len(body) > maxAnswerSize {
		return nil, fmt.Errorf("the answer of %s is larger than %d bytes", request.URL.Host, maxAnswerSize)
	}
	return body, nil
}

// get asks with GET.
func get(ctx context.Context, client options.HTTPClient, url string, header http.Header) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	request.Header = header
	return ask(client, request)
}

// parseJSON reads a JSON object. The codec's extended JSON does it: encoding/json would be linked for this alone.
func parseJSON(body []byte) (bson.Raw, error) {
	doc, err := bson.ExtJSONToRaw(body, false)
	if err != nil {
		return nil, fmt.Errorf("the answer is no JSON object: %w", err)
	}
	return doc, nil
}
