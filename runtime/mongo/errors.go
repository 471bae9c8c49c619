package mongo

import (
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// The errors that operations return. They are values, and they may arrive wrapped: use errors.As or errors.AsType, for
// the type itself or for a pointer to it.
type (
	// CommandError is a server's reply that a command failed. It has the fields Code, Name, Message, Labels, Command,
	// Address and Raw, and the methods ErrorCodes, HasErrorCode, HasErrorCodeWithMessage, HasErrorLabel, HasErrorMessage and
	// Timeout.
	CommandError = fault.CommandError
	// WriteError is the failure of one statement. It has the fields Index, Code, Name, Message, Details and Raw, and the
	// methods ErrorCodes, HasErrorCode, HasErrorCodeWithMessage, HasErrorLabel, HasErrorMessage and Timeout.
	WriteError = fault.WriteError
	// WriteErrors are the failures of the statements of one command.
	WriteErrors = fault.WriteErrors
	// WriteConcernError says that a write concern was not satisfied. It has the fields Code, Name, Message, Details, Labels
	// and Raw, and the methods ErrorCodes, HasErrorCode, HasErrorCodeWithMessage, HasErrorLabel, HasErrorMessage and
	// Timeout.
	WriteConcernError = fault.WriteConcernError
	// WriteException is the failure of an operation that sends one write command. It has the fields WriteConcernError,
	// WriteErrors, Labels, Address and Raw, and the methods ErrorCodes, HasErrorCode, HasErrorCodeWithMessage, HasErrorLabel
	// and HasErrorMessage.
	WriteException = fault.WriteException
	// BulkWriteError is the failure of one write of a bulk write or of InsertMany. It has the fields WriteError and Request,
	// and the methods ErrorCodes, HasErrorCode, HasErrorCodeWithMessage, HasErrorLabel, HasErrorMessage and Timeout.
	BulkWriteError = fault.BulkWriteError
	// BulkWriteException is the failure of BulkWrite and InsertMany. It has the fields WriteConcernError, WriteErrors, Err,
	// Unprocessed, Labels and Address, and the methods ErrorCodes, HasErrorCode, HasErrorCodeWithMessage, HasErrorLabel and
	// HasErrorMessage.
	BulkWriteException = fault.BulkWriteException
	// ClientBulkWriteException is the failure of BulkWrite on a client. It has the fields Err, WriteConcernErrors,
	// WriteErrors, PartialResult and Labels, and the methods ErrorCodes, HasErrorCode, HasErrorCodeWithMessage,
	// HasErrorLabel and HasErrorMessage.
	ClientBulkWriteException = fault.ClientBulkWriteException
	// ServerError is implemented by every error that a server returned.
	ServerError = fault.ServerError
	// NetworkError is a failure to connect to a server or to exchange a message with it. It has the fields Address,
	// ConnectionID, Doing, Kind, Labels and Err, and the method HasErrorLabel.
	NetworkError = fault.NetworkError
	// ServerSelectionError says that no server was found in time, and why. It has the fields Operation, Selector, Waited,
	// Topology, Hints, Labels and Err, and the methods HasErrorLabel, Summary and Timeout.
	ServerSelectionError = fault.ServerSelectionError
	// AuthError says that a connection could not be authenticated. It has the fields Address, Mechanism, Username, Source
	// and Err.
	AuthError = fault.AuthError
	// PoolClearedError says that the pool of a server was cleared because another operation failed. It has the fields
	// Address, Interrupted, Err and Labels.
	PoolClearedError = fault.PoolClearedError
	// EncryptionError says that a command could not be encrypted or a reply could not be decrypted. It has the fields
	// Operation, Reply and Err.
	EncryptionError = fault.EncryptionError
	// TimeoutError says that timeoutMS, or the deadline of the context, ended an operation. It has the fields Operation,
	// Doing and Err, and the method Timeout.
	TimeoutError = fault.TimeoutError
	// WaitQueueTimeoutError says that no connection became available in time. It has the fields Address, LoadBalanced,
	// MaxPoolSize, InUse, ForCursors, ForTransactions, Pending, Waiting and Err, and the method Timeout.
	WaitQueueTimeoutError = fault.WaitQueueTimeoutError
	// URIError is a mistake in a connection string. It has the fields Option, Reason and Err.
	URIError = fault.URIError
	// OptionError is a mistake in the options of a client. It has the fields Option, Reason and Err.
	OptionError = fault.OptionError
	// ErrMapForOrderedArgument says that an argument is a map although the order of its keys matters. It has the field
	// ParamName.
	ErrMapForOrderedArgument = fault.ErrMapForOrderedArgument
	// DocumentTooLargeError says that a document is larger than the server accepts. It has the fields Index, Size and Limit.
	DocumentTooLargeError = fault.DocumentTooLargeError

	// CommandTooLargeError says that a command, such as one with a long filter or pipeline, is larger than the server
	// accepts. It has the fields Command, Field, Size and Limit.
	CommandTooLargeError = fault.CommandTooLargeError
	// UnsupportedOptionError says that the server is too old for an option.
	UnsupportedOptionError = fault.UnsupportedOptionError
)

// Errors that carry no data. They may arrive wrapped: use errors.Is.
var (
	// ErrNoDocuments is returned when an operation that yields one document matched none.
	ErrNoDocuments = fault.ErrNoDocuments
	// ErrClientClosed is returned by every operation on a closed client, and by operations that Close interrupted.
	ErrClientClosed = fault.ErrClientClosed
	// ErrClientDisconnected is ErrClientClosed under the official driver's name for it.
	ErrClientDisconnected = fault.ErrClientClosed

	// ErrQueryAnalysis says that a command cannot be encrypted, whatever the keys. It queries or changes an encrypted
	// field in a way that encryption does not allow, or that is not known to be safe.
	ErrQueryAnalysis = fault.ErrQueryAnalysis
	// ErrKeyVault says that a data key could not be read from the key vault, or does not exist.
	ErrKeyVault = fault.ErrKeyVault
	// ErrKMS says that a key management service failed to encrypt or decrypt a data key.
	ErrKMS = fault.ErrKMS
)

// Common mistakes of callers. They arrive wrapped in an error that names the argument and the remedy: use errors.Is.
var (
	// ErrNilDocument is returned when a document, a filter or an update is nil.
	ErrNilDocument = fault.ErrNilDocument
	// ErrNilValue is returned when an argument other than a document is nil.
	ErrNilValue = fault.ErrNilValue
	// ErrEmptySlice is returned when a method that needs at least one element is given none.
	ErrEmptySlice = fault.ErrEmptySlice
	// ErrNotSlice is returned when an argument that must be a slice is something else.
	ErrNotSlice = fault.ErrNotSlice
	// ErrInvalidIndexValue is returned when an index has a key that is neither a number nor the name of an index type.
	ErrInvalidIndexValue = fault.ErrInvalidIndexValue
	// ErrMultipleIndexDrop is returned when a method that drops one index is asked to drop all of them.
	ErrMultipleIndexDrop = fault.ErrMultipleIndexDrop
)

// The results of writes.
type (
	// InsertOneResult is the result of InsertOne. It has the fields Acknowledged and InsertedID.
	InsertOneResult = options.InsertOneResult
	// InsertManyResult is the result of InsertMany. It has the fields Acknowledged and InsertedIDs.
	InsertManyResult = options.InsertManyResult
	// UpdateResult is the result of an update or a replacement. It has the fields Acknowledged, MatchedCount, ModifiedCount,
	// UpsertedCount and UpsertedID.
	UpdateResult = options.UpdateResult
	// DeleteResult is the result of a delete. It has the fields Acknowledged and DeletedCount.
	DeleteResult = options.DeleteResult
	// BulkWriteResult is the result of a bulk write on a collection. It has the fields Acknowledged, InsertedCount,
	// InsertedIDs, MatchedCount, ModifiedCount, DeletedCount, UpsertedCount and UpsertedIDs.
	BulkWriteResult = options.BulkWriteResult
	// RewrapManyDataKeyResult is the result of ClientEncryption.RewrapManyDataKey. It has the field BulkWriteResult, nil when no
	// data key matched.
	RewrapManyDataKeyResult = options.RewrapManyDataKeyResult
)

// IsTimeout reports whether err says that time ran out: the deadline of a context, a timeout of the driver or the
// network, or the server's time limit.
func IsTimeout(err error) bool { return fault.IsTimeout(err) }

// IsNetworkError reports whether err, or an error that it wraps, is a network error.
func IsNetworkError(err error) bool { return fault.IsNetworkError(err) }

// IsDuplicateKeyError reports whether err says that a unique index already holds the key.
func IsDuplicateKeyError(err error) bool { return fault.IsDuplicateKeyError(err) }

// HasErrorCode reports whether err, or an error that it wraps, is a server error with the given code.
func HasErrorCode(err error, code errcode.Code) bool { return fault.HasErrorCode(err, code) }

// ErrorCodes returns the codes of all server errors in err and in the errors that it wraps, each code once.
func ErrorCodes(err error) []errcode.Code { return fault.ErrorCodes(err) }

// IsNamespaceNotFound reports whether err says that a collection or database does not exist.
func IsNamespaceNotFound(err error) bool { return fault.HasErrorCode(err, errcode.NamespaceNotFound) }

// HasErrorLabel reports whether err, or an error that it wraps, carries an error label such as "RetryableWriteError".
func HasErrorLabel(err error, label string) bool { return fault.HasErrorLabel(err, label) }
