// Package kmstest is a set of key management services in memory: AWS KMS, Azure Key Vault, Google Cloud KMS with the
// services that give out tokens, and a KMIP server. One [Server] plays them all, for every host name: a client reaches it
// through [Server.Connect], which fits the KMSConnectCallback of its options, and trusts it with [Server.TLS].
//
// [Server.HTTPClient] plays the metadata services of machines in a cloud, [Server.NewProxy] starts a proxy in front of the
// services, and Fail, Break and Hang have requests fail.
//
// The services check what real ones check: signatures, tokens, names of keys. What they wrap only they can unwrap, except
// that they answer for a data key that they did not wrap with the one that [Foreign] or [Published] gives.
//
// The package knows nothing of the driver. Any test may import it.
package kmstest
