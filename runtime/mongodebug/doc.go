// Package mongodebug serves a live page about a client, to mount next to net/http/pprof.
//
//	var page mongodebug.Page
//	client, err := page.Connect(ctx, uri, &options.Client{AppName: new("shop")})
//	...
//	http.Handle("/debug/mongo/", &page)
//
// The page shows the topology and the history of its changes, the pools and who waits for them, the operations in
// flight, the slowest ones of the last minutes, errors and the outcome of their operations, and why a server would be
// chosen. It updates live. The same data is available as JSON (json) and as OpenMetrics text (metrics). The page
// answers only requests from the local machine, unless AllowRemote is set. It shows no values of documents, unless
// ShowValues is set.
//
// The page listens to the events of the client and keeps a bounded part of them. It has no goroutine of its own, and
// only a viewer's own request ever waits for that viewer. The driver does not import this package, so a program without
// the page links none of it. runtime/mongo/guide/observing.md is the guide.
package mongodebug
