// Package callback calls functions of the user that ought to end with their context, and does not depend on it: token and
// key providers, resolvers, dialers. Every runtime package may import it.
package callback
