package fault

// CallbackError says that code of the program broke its contract: it panicked, ended its goroutine, or returned nothing.
// The driver runs that code in goroutines of its own, where the program could not recover.
type CallbackError struct {
	Callback string // the option that holds the code, such as "Dialer"
	Problem  string // what it did, such as "panicked: index out of range"
	Stack    string // the functions that were running, the innermost first; empty if the code returned
}

// Error names the callback and what it did, and lists the functions that were running.
func (e CallbackError) Error() string {
	text := "mongo: the program's " + e.Callback + " " + e.Problem
	if e.Stack != "" {
		text += "\n" + e.Stack
	}
	return text
}

// As fills a target of type *CallbackError or **CallbackError; errors.As and errors.AsType call it.
func (e CallbackError) As(target any) bool { return fill(e, target) }
