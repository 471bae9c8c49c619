package conn

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"crypto/pbkdf2"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"hash"
)

// maxKeyIterations limits how much work a key file can demand.
const maxKeyIterations = 10_000_000

var errNoPassword = errors.New("the private key is encrypted: set tlsCertificateKeyFilePassword")

// decryptKey decrypts the block of a private key. It reads PKCS#8 (RFC 5958) with PBES2 (RFC 8018) itself, because the
// standard library does not; the standard library reads the older encryption of PEM blocks.
func decryptKey(block *pem.Block, password string) (*pem.Block, error) {
	//lint:ignore SA1019 the form is insecure, and still what users have
	legacy := x509.IsEncryptedPEMBlock(block)
	if !legacy && block.Type != "ENCRYPTED PRIVATE KEY" {
		return block, nil
	}
	if password == "" {
		return nil, errNoPassword
	}
	if legacy {
		//lint:ignore SA1019 see above
		der, err := x509.DecryptPEMBlock(block, []byte(password))
		if err != nil {
			return nil, fmt.Errorf("decrypting the private key: %w", err)
		}
		return &pem.Block{Type: block.Type, Bytes: der}, nil
	}
	der, err := decryptPKCS8(block.Bytes, password)
	if err != nil {
		return nil, fmt.Errorf("decrypting the private key: %w", err)
	}
	return &pem.Block{Type: "PRIVATE KEY", Bytes: der}, nil
}

// encryptedPrivateKeyInfo is defined in RFC 5958.
type encryptedPrivateKeyInfo struct {
	Algorithm pkix.AlgorithmIdentifier
	Data      []byte
}

// pbes2Params and pbkdf2Params are defined in RFC 8018, appendix A.4 and A.2.
type pbes2Params struct {
	KeyDerivation pkix.AlgorithmIdentifier
	Encryption    pkix.AlgorithmIdentifier
}

type pbkdf2Params struct {
	Salt       []byte
	Iterations int
	KeyLength  int                      `asn1:"optional"`
	PRF        pkix.AlgorithmIdentifier `asn1:"optional"`
}

var (
	oidPBES2  = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 13}
	oidPBKDF2 = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 12}
)

// prfs holds the hash functions of PBKDF2 by their object identifiers. The empty identifier stands for the default.
var prfs = map[string]func() hash.Hash{
	"":                    sha1.New,
	"1.2.840.113549.2.7":  sha1.New,
	"1.2.840.113549.2.8":  sha256.New224,
	"1.2.840.113549.2.9":  sha256.New,
	"1.2.840.113549.2.10": sha512.New384,
	"1.2.840.113549.2.11": sha512.New,
}

type blockCipher struct {
	keySize int
	open    func(key []byte) (cipher.Block, error)
}

// ciphers holds the encryption schemes, which all use CBC mode.
var ciphers = map[string]blockCipher{
	"2.16.840.1.101.3.4.1.2":  {16, aes.NewCipher},
	"2.16.840.1.101.3.4.1.22": {24, aes.NewCipher},
	"2.16.840.1.101.3.4.1.42": {32, aes.NewCipher},
	"1.2.840.113549.3.7":      {24, des.NewTripleDESCipher},
}

func decryptPKCS8(der []byte, password string) ([]byte, error) {
	var info encryptedPrivateKeyInfo
	if err := unmarshal(der, &info); err != nil {
		return nil, err
	}
	if !info.Algorithm.Algorithm.Equal(oidPBES2) {
		return nil, fmt.Errorf("the scheme %v is not known: re-encrypt the key with openssl pkcs8 -topk8 -v2 aes256",
			info.Algorithm.Algorithm)
	}
	var params pbes2Params
	if err := unmarshal(info.Algorithm.Parameters.FullBytes, &params); err != nil {
		return nil, err
	}
	scheme, ok := ciphers[params.Encryption.Algorithm.String()]
	if !ok {
		return nil, fmt.Errorf("the cipher %v is not known", params.Encryption.Algorithm)
	}
	key, err := deriveKey(params.KeyDerivation, password, scheme.keySize)
	if err != nil {
		return nil, err
	}
	var iv []byte
	if err := unmarshal(params.Encryption.Parameters.FullBytes, &iv); err != nil {
		return nil, err
	}
	block, err := scheme.open(key)
	if err != nil {
		return nil, err
	}
	return openCBC(block, iv, info.Data)
}

func deriveKey(algorithm pkix.AlgorithmIdentifier, password string, size int) ([]byte, error) {
	if !algorithm.Algorithm.Equal(oidPBKDF2) {
		return nil, fmt.Errorf("the key derivation %v is not known", algorithm.Algorithm)
	}
	var params pbkdf2Params
	if err := unmarshal(algorithm.Parameters.FullBytes, &params); err != nil {
		return nil, err
	}
	prf, ok := prfs[params.PRF.Algorithm.String()]
	if !ok {
		return nil, fmt.Errorf("the hash %v is not known", params.PRF.Algorithm)
	}
	if params.Iterations < 1 || params.Iterations > maxKeyIterations {
		return nil, fmt.Errorf("%d iterations are out of range", params.Iterations)
	}
	return pbkdf2.Key(prf, password, params.Salt, params.Iterations, size)
}

// openCBC decrypts data and removes its padding. A wrong password leads to invalid padding.
func openCBC(block cipher.Block, iv, data []byte) ([]byte, error) {
	size := block.BlockSize()
	if len(iv) != size || len(data) == 0 || len(data)%size != 0 {
		return nil, errors.New("the encrypted data has the wrong length")
	}
	out := make([]byte, len(data))
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(out, data)
	pad := int(out[len(out)-1])
	if pad == 0 || pad > size {
		return nil, errors.New("wrong password")
	}
	for _, b := range out[len(out)-pad:] {
		if int(b) != pad {
			return nil, errors.New("wrong password")
		}
	}
	return out[:len(out)-pad], nil
}

func unmarshal(der []byte, into any) error {
	rest, err := asn1.Unmarshal(der, into)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return fmt.Errorf("%d bytes are left over", len(rest))
	}
	return nil
}
