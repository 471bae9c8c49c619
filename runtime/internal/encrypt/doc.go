// Package encrypt encrypts and decrypts: single values for a program that asks for it, and the commands and replies of a client.
//
// It connects the pure packages next to it with data keys, which a key.Ring finds. It has no connection and no client: it reads from
// a server through functions that its caller supplies.
package encrypt
