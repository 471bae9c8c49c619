// Package login decides who may authenticate and how. It holds the users of a deployment, SCRAM, PLAIN, X.509,
// MONGODB-AWS and MONGODB-OIDC, and the commands on users.
//
// Before a command runs, package server asks whether the connection has authenticated and whether its roles allow the
// command's needs, which are a column of the command table. Roles and their privileges belong here.
package login
