package fault

// URIError is a mistake in a connection string. It names the option, never its value.
type URIError struct {
	Option string // empty when the mistake is not in an option
	Reason string
	Err    error // what failed underneath, nil when there is nothing
}

// Error describes the option and the mistake.
func (e URIError) Error() string { return describeOption("uri: ", e.Option, e.Reason, e.Err) }

// Unwrap returns what failed underneath.
func (e URIError) Unwrap() error { return e.Err }

// As fills a target of type *URIError or **URIError; errors.As and errors.AsType call it.
func (e URIError) As(target any) bool { return fill(e, target) }

// OptionError is a mistake in the options that a program sets on a client. It names the option, never its value.
type OptionError struct {
	Option string // empty when the reason names the options
	Reason string
	Err    error // what failed underneath, nil when there is nothing
}

// Error describes the option and the mistake.
func (e OptionError) Error() string { return describeOption("options: ", e.Option, e.Reason, e.Err) }

// Unwrap returns what failed underneath.
func (e OptionError) Unwrap() error { return e.Err }

// As fills a target of type *OptionError or **OptionError; errors.As and errors.AsType call it.
func (e OptionError) As(target any) bool { return fill(e, target) }

func describeOption(text, option, reason string, err error) string {
	if option != "" {
		text += "option " + option + ": "
	}
	text += reason
	if err != nil {
		text += ": " + err.Error()
	}
	return text
}
