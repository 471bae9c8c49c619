// Package encrypt encrypts and decrypts: single values for a program that asks for it, and the commands and replies of a client.
//
// It joins the pure packages beside it with data keys, which a key.Ring finds. It knows no connection and no client: what it
// must read from a server, it gets from functions.
package encrypt
