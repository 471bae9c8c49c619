// Package aead has the ciphers of client-side encryption, on byte slices: no BSON, no keys by name, no I/O.
//
// Client-side field level encryption and the wrapping of data keys use AEAD_AES_256_CBC_HMAC_SHA_512. Queryable Encryption
// uses AES-256 in CBC or CTR mode with HMAC-SHA-256, and plain CTR under a derived token. The two families split the 96
// bytes of a data key differently, so each function takes the whole key and splits it itself. Initialization vectors come
// from the caller: tests reproduce vectors with them, callers draw them from crypto/rand. Only encrypt's packages import it.
package aead
