// Package kmstest is a set of key management services in memory: AWS KMS, Azure Key Vault, Google Cloud KMS with the
// services that give out tokens, and a KMIP server. One [Server] plays them all, for every host name: a client reaches it
// through [Server.Connect], which fits the KMSConnectCallback of its options, and trusts it with [Server.TLS].
//
// [Server.HTTPClient] plays the metadata services of cloud machines. [Server.NewProxy] starts a proxy in front of the
// services. Fail, Break and Hang make requests fail.
//
// The services check what real ones check: signatures, tokens, names of keys. They can unwrap only what they wrapped
// themselves. For any other data key they answer with the one that [Foreign] or [Published] gives.
//
// The package knows nothing of the driver. Any test may import it.
package kmstest
