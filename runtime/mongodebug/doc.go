// Package mongodebug shows a client at work: a page to mount beside net/http/pprof.
//
//	var page mongodebug.Page
//	client, err := page.Connect(ctx, uri, &options.Client{AppName: new("shop")})
//	...
//	http.Handle("/debug/mongo/", &page)
//
// The page shows the topology and the history of its changes, the pools and who waits for them, the operations in flight,
// the slowest ones of the last minutes, errors and what became of the operation, and why a server would be chosen. It is
// live. The same is there as JSON (json), and as OpenMetrics text (metrics). Only the machine that the program runs on gets
// an answer, unless AllowRemote says otherwise, and values of documents appear nowhere unless ShowValues asks for them.
//
// The page listens to the events of the client and keeps a bounded part of what it hears. It has no goroutine of its own: a
// viewer's request is the only thing that ever waits for a viewer. The driver does not import this package, so that a
// program without the page links none of it.
package mongodebug
