// Package callback calls functions of the user that ought to end with their context, such as token and key providers,
// resolvers and dialers. The caller returns in time even if such a function does not. A panic becomes an error. Every
// runtime package may import it.
package callback
