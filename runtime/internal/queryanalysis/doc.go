// Package queryanalysis does for automatic encryption what the programs mongocryptd and crypt_shared do for other drivers: it finds the
// values of encrypted fields in a command and puts placeholders in their place, which package payload then encrypts. It is a pure
// function of a command and the schemas of its collections: it does no I/O, keeps nothing, and several goroutines may use it
// and the schemas at once.
//
//	target, err := queryanalysis.Inspect("db", command)      // what is to be done, and which schemas are needed
//	if target.Class == queryanalysis.Bypassed { send(command) }
//	schemas := ...                                      // one for each of target.Collections
//	result, err := queryanalysis.Analyze(target, command, schemas)
//	send(encrypt(result.Command))                       // if result.Marked
//
// # What is refused
//
// A command that is not known to be safe is an error, a *refusal.Error that names the field and the operator, and never quotes
// the command. The same holds for unknown commands, arguments, operators, stages and expressions as soon as one collection of the command
// has an encrypted field. A command that concerns no such collection is never refused.
//
// # What passes in plain text
//
// The arguments comment, hint and collation, and everything that is neither written to an encrypted field nor compared with one. A
// literal that a pipeline computes with, or puts into a new field, passes. So does one that is compared with a field of a stage's own,
// whatever its name, but not one that is compared with an encrypted field that a stage removed.
//
// # Placeholders
//
// A placeholder is a binary value of subtype 6. The first byte is 0 for client-side field level encryption, followed by
// a document {a, ki or ka, v}, and 3 for Queryable Encryption, with {t, a, ki, ku, v, cm, [s]}.
//
// The driver's encryption (package encrypt) imports this package. Its own parts are the packages below: schema, mark, match,
// expression, update, pipeline and refusal; their rules are in the tables of specs/encryption.
package queryanalysis
