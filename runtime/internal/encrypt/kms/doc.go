// Package kms has key management services encrypt and decrypt data keys: AWS, Azure, Google Cloud, servers of KMIP, and a
// master key of the program's own.
//
// A Service knows the settings of all providers of one client. It opens a connection for each request, retries what
// failed for a passing reason, and stops when the context of the operation ends. No error shows a credential, a token, or an
// answer that may hold a key. The tables specs/encryption/kms.yaml, values.yaml and kmip.yaml have the facts.
package kms
