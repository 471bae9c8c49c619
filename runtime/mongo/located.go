package mongo

import (
	"fmt"
	"strings"
)

// wrapOnce says where an error came up that may be one of this package: the package is named once.
func wrapOnce(err error, format string, args ...any) error {
	return located{where: fmt.Sprintf(format, args...), err: err}
}

type located struct {
	where string
	err   error
}

func (e located) Error() string {
	return prefix + e.where + ": " + strings.TrimPrefix(e.err.Error(), prefix)
}

func (e located) Unwrap() error { return e.err }

const prefix = "mongo: "
