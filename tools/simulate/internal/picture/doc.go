// Package picture draws one world as a page that needs nothing else: who was primary, what went wrong, every operation as a bar
// in the colour of its outcome, and what each client took the deployment for.
package picture
