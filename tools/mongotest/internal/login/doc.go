// Package login knows who may authenticate and how: the users of a deployment, SCRAM, PLAIN, X.509, MONGODB-AWS and
// MONGODB-OIDC, and the commands over users.
//
// It does not enforce anything: package server asks whether a connection has authenticated before it runs a command. Roles
// belong here: Directory stores the roles of each user.
package login
