// Package view is part of mongodebug, not for users: it is the page that shows a client or a deployment at work: its data,
// and the handler that serves it as HTML, as JSON, as a stream of changes and as metrics.
//
// It knows no client: a Source says what there is to see. runtime/mongodebug makes one of a client, and the program
// mongotestd one of its deployment. The page is one HTML document that loads nothing else.
package view
