// Package callback calls functions of the user that ought to end with their context, and does not depend on it: token and
// key providers, resolvers, dialers. A panic in one becomes an error. Every runtime package may import it.
package callback
