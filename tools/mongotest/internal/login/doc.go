// Package login knows who may authenticate and how: the users of a deployment, SCRAM, PLAIN, X.509, MONGODB-AWS and
// MONGODB-OIDC, and the commands over users.
//
// Package server asks whether a connection has authenticated before it runs a command, and whether its roles allow what the
// command needs, which is a column of the command table. Roles and the privileges that they give belong here.
package login
