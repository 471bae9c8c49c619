// Package payload reads and writes encrypted values: binary values of subtype 6, whose first byte says what follows.
//
// It knows layouts and asks for keys by their ids; where keys come from is not its concern. Every length is checked before
// anything is allocated for it. Only encrypt's packages import it.
package payload
