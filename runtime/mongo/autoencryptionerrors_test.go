package mongo_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// TestServerErrorsQuoteCiphertext lets a validator refuse encrypted documents. The server quotes the value, and neither
// the error nor a span shows it in plain text.
func TestServerErrorsQuoteCiphertext(t *testing.T) {
	const secret = "457-55-5462"
	s := newEncryptionScene(t)
	s.create(t, "coll", &options.CreateCollection{Validator: bson.Doc("encrypted", bson.Doc("$type", "int"))})
	spans := &spanTexts{}
	client, _ := s.connectEncrypting(t, &options.AutoEncryption{SchemaMap: map[string]any{"db.coll": s.schema("encrypted")}},
		&options.Client{Tracing: &options.Tracing{Tracer: spans}})
	coll := client.Database("db").Collection("coll")
	doc := bson.Doc("encrypted", secret)
	writes := map[string]func() error{
		"insert": func() error { _, err := coll.InsertOne(t.Context(), doc); return err },
		"insertMany": func() error {
			_, err := coll.InsertMany(t.Context(), []any{doc, doc}, &options.InsertMany{Ordered: new(false)})
			return err
		},
		"replace": func() error {
			_, err := coll.ReplaceOne(t.Context(), bson.D{}, doc, &options.ReplaceOne{Upsert: new(true)})
			return err
		},
		"bulkWrite": func() error {
			_, err := client.BulkWrite(t.Context(), []mongo.ClientBulkWrite{{
				Database: "db", Collection: "coll", Model: &mongo.ClientInsertOneModel{Document: doc},
			}})
			return err
		},
	}
	for name, write := range writes {
		t.Run(name, func(t *testing.T) {
			err := write()
			if err == nil || !strings.Contains(err.Error(), "consideredValue") {
				t.Fatalf("the server quotes nothing: %v", err)
			}
			if strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), secret) {
				t.Errorf("the error shows the value: %v", err)
			}
		})
	}
	if texts := spans.String(); !strings.Contains(texts, "validation") || strings.Contains(texts, secret) {
		t.Errorf("the spans say %s", texts)
	}
}

// spanTexts keeps what spans say.
type spanTexts struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *spanTexts) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func (s *spanTexts) Start(_ context.Context, name string, _ time.Time, attributes []options.SpanAttribute) options.Span {
	s.SetAttributes(attributes)
	return s
}

func (s *spanTexts) Context(ctx context.Context) context.Context { return ctx }
func (s *spanTexts) Traceparent() string                         { return "" }
func (s *spanTexts) SetAttributes(attributes []options.SpanAttribute) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range attributes {
		s.text.WriteString(a.Text + "\n")
	}
}
func (s *spanTexts) End(err error) {
	if err != nil {
		s.SetAttributes([]options.SpanAttribute{{Text: err.Error()}})
	}
}
