package auth

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/internal/callback"
	"github.com/specdrivers/onion/runtime/internal/web"
)

// maxQuotedSize bounds how much of an answer an error repeats.
const maxQuotedSize = 4 << 10

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
func ask(ctx context.Context, client web.Client, request web.Request) ([]byte, error) {
	answer, err := callback.Call(ctx, "HTTPClient", func(ctx context.Context) (web.Answer, error) {
		return client.Do(ctx, request)
	}, nil)
	if err != nil {
		return nil, err
	}
	if answer.Status != http.StatusOK {
		host := ""
		if address, err := url.Parse(request.Address); err == nil {
			host = address.Host
		}
		return nil, &endpointError{host, answer.Line, string(answer.Body[:min(len(answer.Body), maxQuotedSize)])}
	}
	return answer.Body, nil
}

// get asks a service of the machine with GET.
func get(ctx context.Context, client web.Client, address string, header map[string]string) ([]byte, error) {
	return ask(ctx, client, web.Request{Method: "GET", Address: address, Header: header, Machine: true})
}

// parseJSON reads a JSON object into a document, whose fields are then looked up without a struct for each answer.
func parseJSON(body []byte) (bson.Raw, error) {
	doc, err := bson.ExtJSONToRaw(body, false)
	if err != nil {
		return nil, fmt.Errorf("the answer is not a JSON object: %w", err)
	}
	return doc, nil
}
