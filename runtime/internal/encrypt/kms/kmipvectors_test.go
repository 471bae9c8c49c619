package kms

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/core/kmip"
)

// kmipVector is a message of KMIP, or a value that one holds.
type kmipVector struct{ File, Name, Hex, Text string }

func kmipVectors(t *testing.T) []kmipVector {
	t.Helper()
	var vectors []kmipVector
	readJSON(t, "kms-message/kmip.json", &vectors)
	if len(vectors) < 30 {
		t.Fatalf("only %d vectors", len(vectors))
	}
	return vectors
}

// The driver's requests with the values of the vectors have the bytes of the vectors.
func TestKMIPRequestsOfTheVectors(t *testing.T) {
	ran := 0
	for _, v := range kmipVectors(t) {
		if !strings.HasSuffix(v.Name, "_REQUEST") {
			continue
		}
		ran++
		t.Run(v.File+"/"+v.Name, func(t *testing.T) {
			want, err := hex.DecodeString(v.Hex)
			if err != nil {
				t.Fatal(err)
			}
			value := func(path ...uint32) []byte {
				i, ok := find(want, append([]uint32{kmip.TagRequestMessage, kmip.TagBatchItem}, path...)...)
				if !ok {
					t.Fatalf("there is no %x", path)
				}
				return i.value
			}
			payload := func(path ...uint32) []byte { return value(append([]uint32{kmip.TagRequestPayload}, path...)...) }
			id := func() string { return string(payload(kmip.TagUniqueIdentifier)) }
			var got []byte
			switch operation := int(value(kmip.TagOperation)[3]); operation {
			case kmip.OperationRegister:
				got = registerSecret(payload(kmip.TagSecretData, kmip.TagKeyBlock, kmip.TagKeyValue, kmip.TagKeyMaterial))
			case kmip.OperationActivate, kmip.OperationGet:
				got = requestByID(operation, id())
			case kmip.OperationCreate:
				got = createKey()
			case kmip.OperationEncrypt:
				got = encryptData(id(), payload(kmip.TagData))
			case kmip.OperationDecrypt:
				got = decryptData(id(), payload(kmip.TagIVCounterNonce), payload(kmip.TagData))
			}
			if !bytes.Equal(got, want) {
				t.Errorf("got  %x\nwant %x", got, want)
			}
		})
	}
	if ran < 8 {
		t.Errorf("only %d requests", ran)
	}
}

// Each response yields the values that the same file names.
func TestKMIPResponsesOfTheVectors(t *testing.T) {
	all := kmipVectors(t)
	of := func(file, name string) (values []string) {
		for _, v := range all {
			if v.File == file && strings.Contains(v.Name, name) {
				values = append(values, v.Hex+v.Text)
			}
		}
		return values
	}
	ran := 0
	for _, v := range all {
		if !strings.Contains(v.Name, "_RESPO") || v.Hex == "" || strings.HasSuffix(v.Name, "_SECRETDATA") { // one name is misspelled
			continue
		}
		ran++
		t.Run(v.File+"/"+v.Name, func(t *testing.T) {
			b, err := hex.DecodeString(v.Hex)
			if err != nil {
				t.Fatal(err)
			}
			read, err := readItem(bufio.NewReader(bytes.NewReader(append(slices.Clone(b), "what follows"...))))
			if err != nil || !bytes.Equal(read, b) {
				t.Fatalf("read %x, %v", read, err)
			}
			payload, err := parseResponse(b)
			if strings.HasPrefix(v.Name, "ERROR") {
				if err == nil || !strings.Contains(err.Error(), "result status (1): Operation Failed, result reason (1): Item Not Found") {
					t.Errorf("the failure is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if id, ok := find(payload, kmip.TagUniqueIdentifier); !ok || len(id.value) == 0 {
				t.Errorf("the identifier is %q", id.value)
			} else if want := of(v.File, v.Name+"_UNIQUE_IDENTIFIER"); len(want) > 0 && string(id.value) != want[0] {
				t.Errorf("the identifier is %q, want %q", id.value, want[0])
			}
			check := func(name string, value []byte, err error) {
				t.Helper()
				if want := of(v.File, name); err != nil || len(want) > 0 && !slices.Contains(want, hex.EncodeToString(value)) {
					t.Errorf("%s is %x, %v; want %s", name, value, err, want)
				}
			}
			switch {
			case strings.Contains(v.Name, "GET"):
				secret, err := findField(payload, kmip.TagSecretData, kmip.TagKeyBlock, kmip.TagKeyValue, kmip.TagKeyMaterial)
				check(v.Name+"_SECRETDATA", secret, err)
			case strings.Contains(v.Name, "DECRYPT"):
				data, err := findField(payload, kmip.TagData)
				check("PLAINTEXT", data, err)
			case strings.Contains(v.Name, "ENCRYPT"):
				iv, err := findField(payload, kmip.TagIVCounterNonce)
				data, err2 := findField(payload, kmip.TagData)
				if err == nil {
					err = err2
				}
				check("IV_CIPHERTEXT", append(slices.Clone(iv), data...), err)
			}
		})
	}
	if ran < 12 {
		t.Errorf("only %d responses", ran)
	}
}

// The driver reads the sample in the specification of KMIP, whose bytes are printed between bars.
func TestKMIPSampleOfTheVectors(t *testing.T) {
	for _, v := range kmipVectors(t) {
		if v.Name != "SAMPLE_KMIP" {
			continue
		}
		b, err := hex.DecodeString(strings.NewReplacer(" ", "", "|", "").Replace(v.Text))
		if err != nil {
			t.Fatal(err)
		}
		i, rest, err := nextItem(b)
		if err != nil || len(rest) > 0 || i.tag != 0x420020 || i.kind != kmip.TypeStructure {
			t.Fatalf("the item is %+v, %v", i, err)
		}
		got := structure(0x420020, enumeration(0x420004, 0xfe), integer(0x420005, 0xff))
		if !bytes.Equal(got, b) {
			t.Errorf("got %x, want %x", got, b)
		}
		for tag, want := range map[uint32]uint32{0x420004: 0xfe, 0x420005: 0xff} {
			if i, ok := find(b, 0x420020, tag); !ok {
				t.Errorf("there is no %x", tag)
			} else if n, ok := i.number(); !ok || n != want {
				t.Errorf("%x is %d", tag, n)
			}
		}
		return
	}
	t.Error("there is no sample")
}
