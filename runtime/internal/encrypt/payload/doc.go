// Package payload reads and writes encrypted values: binary values of subtype 6, whose first byte says what follows.
//
// It is pure: it does no I/O, it asks a function for data keys, and it draws random bytes from a reader. The owner of a
// command or a reply calls it in this order:
//
//	refs, err := payload.KeysToEncrypt(command)   // the data keys that markings and placeholders name
//	command, err = payload.Encrypt(command, keys, random)
//	payload.Queryable(command)                      // whether the command needs encryptionInformation
//
//	refs, err := payload.NeededToDecrypt(reply, nil)  // the keys that the reply names in plain text
//	refs, err = payload.NeededToDecrypt(reply, keys)  // with those, the keys that indexed values hide
//	reply, changed, err := payload.Decrypt(reply, keys)
//
// Seal and Open do the same for a single value. Every length is checked before anything is allocated for it. Only
// encrypt's packages import it.
package payload
