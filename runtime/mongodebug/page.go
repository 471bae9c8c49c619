package mongodebug

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/runtime/mongodebug/view"
)

// Page shows one client. The zero Page is ready for Connect. Its fields must not change after that.
type Page struct {
	// AllowRemote lets everybody who reaches the server see the page, not only this machine. The page requires no
	// password.
	AllowRemote bool
	// ShowValues shows the values in commands, and the texts of servers' errors, which quote some values.
	ShowValues bool

	once     sync.Once
	recorder *recorder
	handler  *view.Handler
}

// Connect is [mongo.Connect] for a client that the page shows. The monitors in the options still receive every event. A
// page shows one client: a second call fails.
func (p *Page) Connect(ctx context.Context, connectionString string, opts ...*options.Client) (*mongo.Client, error) {
	p.prepare()
	var merged *options.Client
	for _, o := range opts {
		merged = options.Merge(merged, o)
	}
	var o options.Client
	if merged != nil {
		o = *merged
	}
	if !p.recorder.connecting.CompareAndSwap(false, true) {
		return nil, errors.New("mongodebug: the page already shows another client")
	}
	if o.AppName != nil {
		p.recorder.title = *o.AppName
	}
	client, err := mongo.Connect(ctx, connectionString, p.recorder.listen(&o))
	if err != nil {
		p.recorder.connecting.Store(false)
		return nil, err
	}
	p.recorder.client.Store(client)
	return client, nil
}

// ServeHTTP serves the page and its resources, at any path that ends with a slash.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.prepare()
	p.handler.ServeHTTP(w, r)
}

// Close ends the viewers' streams, for which http.Server.Shutdown would wait. Closing the client does the same.
func (p *Page) Close() {
	p.prepare()
	p.handler.Close()
}

// WriteMetrics writes OpenMetrics text without the final line "# EOF", for a program that serves its own metrics next to
// these.
func (p *Page) WriteMetrics(w io.Writer) error {
	p.prepare()
	return p.recorder.WriteMetrics(w)
}

func (p *Page) prepare() {
	p.once.Do(func() {
		p.recorder = newRecorder(p.ShowValues)
		p.handler = &view.Handler{Source: p.recorder, Remote: p.AllowRemote}
		p.recorder.notify, p.recorder.closed = p.handler.Notify, p.handler.Close
	})
}
