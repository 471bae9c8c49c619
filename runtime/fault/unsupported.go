package fault

import "github.com/specdrivers/onion/generated/core/command"

// UnsupportedOptionError says that the server is too old for an option that it would ignore or misread.
type UnsupportedOptionError = command.UnsupportedOptionError
