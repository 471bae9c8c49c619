package mongo

import (
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// The errors that operations return. They may arrive wrapped: use errors.As.
type (
	// CommandError is a reply of the server that says that a command failed.
	CommandError = fault.CommandError
	// WriteError is the failure of one statement.
	WriteError = fault.WriteError
	// WriteConcernError says that a write concern was not satisfied.
	WriteConcernError = fault.WriteConcernError
	// WriteException is the failure of an operation that writes once.
	WriteException = fault.WriteException
	// BulkWriteError is the failure of an operation that writes many times.
	BulkWriteError = fault.BulkWriteError
	// NetworkError is a failure to connect to a server or to exchange a message with it.
	NetworkError = fault.NetworkError
	// ServerSelectionError says that no server was found in time, and why.
	ServerSelectionError = fault.ServerSelectionError
	// AuthError is a failure to authenticate.
	AuthError = fault.AuthError
	// URIError is a mistake in a connection string.
	URIError = fault.URIError
	// DocumentTooLargeError says that a document is larger than the server accepts.
	DocumentTooLargeError = fault.DocumentTooLargeError
	// UnsupportedOptionError says that the server is too old for an option.
	UnsupportedOptionError = fault.UnsupportedOptionError
)

// Errors that carry no data.
var (
	// ErrNoDocuments is returned when an operation that yields one document matched none.
	ErrNoDocuments = fault.ErrNoDocuments
	// ErrClientClosed is returned by every operation of a client that has been closed.
	ErrClientClosed = fault.ErrClientClosed
)

// The results of writes.
type (
	InsertOneResult  = options.InsertOneResult
	InsertManyResult = options.InsertManyResult
	UpdateResult     = options.UpdateResult
	DeleteResult     = options.DeleteResult
)

// IsTimeout reports whether time ran out: the deadline of a context, a timeout of the driver or of the network, or the
// server's time limit.
func IsTimeout(err error) bool { return fault.IsTimeout(err) }

// IsNetworkError reports whether err is a network error.
func IsNetworkError(err error) bool { return fault.IsNetworkError(err) }

// IsDuplicateKey reports whether a unique index already holds the key.
func IsDuplicateKey(err error) bool { return fault.IsDuplicateKey(err) }

// IsNamespaceNotFound reports whether a collection or database does not exist.
func IsNamespaceNotFound(err error) bool { return fault.HasCode(err, errcode.NamespaceNotFound) }

// HasLabel reports whether err carries an error label, such as "RetryableWriteError".
func HasLabel(err error, label string) bool { return fault.HasLabel(err, label) }
