package encode

import (
	"fmt"
	"strings"
)

// At adds to an error where it came up. If the error's text begins with the driver's package, the text still names it only
// once.
func At(err error, format string, args ...any) error {
	return locatedError{where: fmt.Sprintf(format, args...), err: err}
}

type locatedError struct {
	where string
	err   error
}

func (e locatedError) Error() string {
	return prefix + e.where + ": " + strings.TrimPrefix(e.err.Error(), prefix)
}

func (e locatedError) Unwrap() error { return e.err }

const prefix = "mongo: "
