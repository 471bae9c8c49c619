// Package auth authenticates connections.
//
// An [Authenticator] holds one credential and what it learned while using it: derived SCRAM keys, AWS keys, OIDC
// tokens. For every connection it starts an [Attempt], whose first message the hello may carry. It opens no connections
// and keeps no list of them. The topology and exec packages of the runtime import it.
package auth
