package kms

import "github.com/specdrivers/onion/generated/core/kmip"

// message is a request with one operation. Encryption and decryption came with version 1.2 of the protocol.
func message(minor, operation int, items ...[]byte) []byte {
	return structure(kmip.TagRequestMessage,
		structure(kmip.TagRequestHeader,
			structure(kmip.TagProtocolVersion, integer(kmip.TagProtocolVersionMajor, 1), integer(kmip.TagProtocolVersionMinor, minor)),
			integer(kmip.TagBatchCount, 1)),
		structure(kmip.TagBatchItem, enumeration(kmip.TagOperation, operation), structure(kmip.TagRequestPayload, items...)))
}

func attribute(name string, value []byte) []byte {
	return structure(kmip.TagAttribute, textItem(kmip.TagAttributeName, name), value)
}

// requestByID asks the server to activate an object or to return it.
func requestByID(operation int, id string) []byte {
	return message(0, operation, textItem(kmip.TagUniqueIdentifier, id))
}

// registerSecret stores a secret on the server.
func registerSecret(secret []byte) []byte {
	return message(0, kmip.OperationRegister,
		enumeration(kmip.TagObjectType, kmip.ObjectSecretData),
		structure(kmip.TagTemplateAttribute, attribute("Cryptographic Usage Mask", integer(kmip.TagAttributeValue, 0))),
		structure(kmip.TagSecretData,
			enumeration(kmip.TagSecretDataType, kmip.SecretDataSeed),
			structure(kmip.TagKeyBlock,
				enumeration(kmip.TagKeyFormatType, kmip.KeyFormatOpaque),
				structure(kmip.TagKeyValue, bytesItem(kmip.TagKeyMaterial, secret)))))
}

// createKey has the server create a key that never leaves the server.
func createKey() []byte {
	return message(2, kmip.OperationCreate,
		enumeration(kmip.TagObjectType, kmip.ObjectSymmetricKey),
		structure(kmip.TagTemplateAttribute,
			attribute("Cryptographic Algorithm", enumeration(kmip.TagAttributeValue, kmip.AlgorithmAES)),
			attribute("Cryptographic Length", integer(kmip.TagAttributeValue, kmip.AESBits)),
			attribute("Cryptographic Usage Mask", integer(kmip.TagAttributeValue, kmip.UsageEncryptDecrypt))))
}

// parameters says how the server is to encrypt.
func parameters(more ...[]byte) []byte {
	return structure(kmip.TagCryptographicParameters, append([][]byte{
		enumeration(kmip.TagBlockCipherMode, kmip.ModeCBC),
		enumeration(kmip.TagPaddingMethod, kmip.PaddingPKCS5),
		enumeration(kmip.TagCryptographicAlgorithm, kmip.AlgorithmAES),
	}, more...)...)
}

func encryptData(id string, data []byte) []byte {
	return message(2, kmip.OperationEncrypt,
		textItem(kmip.TagUniqueIdentifier, id), parameters(boolean(kmip.TagRandomIV)), bytesItem(kmip.TagData, data))
}

func decryptData(id string, iv, data []byte) []byte {
	return message(2, kmip.OperationDecrypt,
		textItem(kmip.TagUniqueIdentifier, id), parameters(), bytesItem(kmip.TagData, data), bytesItem(kmip.TagIVCounterNonce, iv))
}
