// Package picture draws one world as a self-contained page: who was primary, what went wrong, every operation as a bar in the colour
// of its outcome, and how each client saw the deployment.
package picture
