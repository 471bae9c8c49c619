// Package discovery serves compiled tests, not users: it runs the cases of Server Discovery And Monitoring: a client without
// sockets gets what servers reply and which errors operations meet, and what it makes of the deployment, or publishes, is
// checked.
package discovery
