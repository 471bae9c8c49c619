package unified

// Span is what a span must look like.
type Span struct {
	Name       string
	Attributes any
	Nested     []Span
}

// Traces asserts that the client has made these spans and no others.
func (c *Client) Traces(want ...Span) { c.run.notBuilt("tracing") }

// TracesAmongOthers asserts that the client has made these spans.
func (c *Client) TracesAmongOthers(want ...Span) { c.run.notBuilt("tracing") }
