package fault

import "github.com/specdrivers/onion/generated/errcode"

// HasErrorCode reports whether the error has the code.
func (e CommandError) HasErrorCode(code errcode.Code) bool { return hasCode(e, code) }

// HasErrorMessage reports whether the message of the error contains part.
func (e CommandError) HasErrorMessage(part string) bool { return hasMessage(e, part) }

// HasErrorCodeWithMessage reports whether the error has the code and a message that contains part.
func (e CommandError) HasErrorCodeWithMessage(code errcode.Code, part string) bool {
	return hasCodeWithMessage(e, code, part)
}

// ErrorCodes returns every code that the server returned.
func (e CommandError) ErrorCodes() []errcode.Code { return codes(e) }

// HasErrorCode reports whether the error has the code.
func (e WriteError) HasErrorCode(code errcode.Code) bool { return hasCode(e, code) }

// HasErrorMessage reports whether the message of the error contains part.
func (e WriteError) HasErrorMessage(part string) bool { return hasMessage(e, part) }

// HasErrorCodeWithMessage reports whether the error has the code and a message that contains part.
func (e WriteError) HasErrorCodeWithMessage(code errcode.Code, part string) bool {
	return hasCodeWithMessage(e, code, part)
}

// ErrorCodes returns every code that the server returned.
func (e WriteError) ErrorCodes() []errcode.Code { return codes(e) }

// HasErrorCode reports whether the error has the code.
func (e WriteConcernError) HasErrorCode(code errcode.Code) bool { return hasCode(e, code) }

// HasErrorMessage reports whether the message of the error contains part.
func (e WriteConcernError) HasErrorMessage(part string) bool { return hasMessage(e, part) }

// HasErrorCodeWithMessage reports whether the error has the code and a message that contains part.
func (e WriteConcernError) HasErrorCodeWithMessage(code errcode.Code, part string) bool {
	return hasCodeWithMessage(e, code, part)
}

// ErrorCodes returns every code that the server returned.
func (e WriteConcernError) ErrorCodes() []errcode.Code { return codes(e) }

// HasErrorCode reports whether one of the errors has the code.
func (e WriteException) HasErrorCode(code errcode.Code) bool { return hasCode(e, code) }

// HasErrorMessage reports whether the message of one of the errors contains part.
func (e WriteException) HasErrorMessage(part string) bool { return hasMessage(e, part) }

// HasErrorCodeWithMessage reports whether one of the errors has the code and a message that contains part.
func (e WriteException) HasErrorCodeWithMessage(code errcode.Code, part string) bool {
	return hasCodeWithMessage(e, code, part)
}

// ErrorCodes returns every code that the server returned.
func (e WriteException) ErrorCodes() []errcode.Code { return codes(e) }

// HasErrorCode reports whether one of the errors has the code.
func (e BulkWriteException) HasErrorCode(code errcode.Code) bool { return hasCode(e, code) }

// HasErrorMessage reports whether the message of one of the errors contains part.
func (e BulkWriteException) HasErrorMessage(part string) bool { return hasMessage(e, part) }

// HasErrorCodeWithMessage reports whether one of the errors has the code and a message that contains part.
func (e BulkWriteException) HasErrorCodeWithMessage(code errcode.Code, part string) bool {
	return hasCodeWithMessage(e, code, part)
}

// ErrorCodes returns every code that the server returned.
func (e BulkWriteException) ErrorCodes() []errcode.Code { return codes(e) }

// HasErrorLabel is false: the server labels commands, not their single writes.
func (e WriteError) HasErrorLabel(string) bool { return false }
