package mongodebug_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongodebug"
	"github.com/specdrivers/onion/tools/mongotest"
)

func ExamplePage() {
	deployment, err := mongotest.New()
	if err != nil {
		log.Fatal(err)
	}
	defer deployment.Close()
	ctx := context.Background()
	var page mongodebug.Page
	client, err := page.Connect(ctx, deployment.URI(), &options.Client{AppName: new("shop")})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close(ctx)
	mux := http.NewServeMux()
	mux.Handle("/debug/mongo/", &page)
	server := httptest.NewServer(mux) // a program listens on localhost
	defer server.Close()
	response, err := http.Get(server.URL + "/debug/mongo/metrics")
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	metrics, err := io.ReadAll(response.Body)
	fmt.Println(response.StatusCode, len(metrics) > 0, err)
	// Output: 200 true <nil>
}
