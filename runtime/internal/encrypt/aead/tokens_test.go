package aead

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson/emitted/sealed"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/encrypt/vectors"
)

// deriveTokens are all tokens of a root, by the names that the vectors use.
func deriveTokens(key sealed.TokenKey, value []byte, factor int64) map[string]sealed.Token {
	collections, server := encryption.CollectionsLevel1Token(key), encryption.ServerTokenDerivationLevel1Token(key)
	edc, esc := encryption.EDCToken(collections), encryption.ESCToken(collections)
	out := map[string]sealed.Token{
		"collectionslevel1token": collections, "servertokenderivationlevel1token": server,
		"serverdataencryptionlevel1token": encryption.ServerDataEncryptionLevel1Token(key),
		"edctoken":                        edc, "esctoken": esc, "ecoctoken": encryption.ECOCToken(collections),
	}
	edcValue, escValue, serverValue := encryption.EDCDerivedFromDataToken(edc.Root(), value), encryption.ESCDerivedFromDataToken(esc.Root(), value),
		encryption.ServerDerivedFromDataToken(server.Root(), value)
	edcFactor := encryption.EDCDerivedFromDataTokenAndContentionFactor(edcValue, factor)
	escFactor := encryption.ESCDerivedFromDataTokenAndContentionFactor(escValue, factor)
	padding := encryption.AnchorPaddingTokenRoot(esc)
	for name, token := range map[string]sealed.Token{
		"edcderivedfromdatatoken": edcValue, "escderivedfromdatatoken": escValue, "serverderivedfromdatatoken": serverValue,
		"edcderivedfromdatatokenandcontentionfactor":    edcFactor,
		"escderivedfromdatatokenandcontentionfactor":    escFactor,
		"edctwicederivedtoken":                          encryption.EDCTwiceDerivedToken(edcFactor),
		"esctwicederivedtagtoken":                       encryption.ESCTwiceDerivedTagToken(escFactor),
		"esctwicederivedvaluetoken":                     encryption.ESCTwiceDerivedValueToken(escFactor),
		"servercountandcontentionfactorencryptiontoken": encryption.ServerCountAndContentionFactorEncryptionToken(serverValue),
		"serverzerosencryptiontoken":                    encryption.ServerZerosEncryptionToken(serverValue),
		"anchorpaddingtokenroot":                        padding,
		"anchorpaddingkeytoken":                         encryption.AnchorPaddingKeyToken(padding),
		"anchorpaddingvaluetoken":                       encryption.AnchorPaddingValueToken(padding),
	} {
		out[name] = token
	}
	for kind, roots := range map[string][3]sealed.Token{
		"exact":     {encryption.EDCTextExactToken(edc), encryption.ESCTextExactToken(esc), encryption.ServerTextExactToken(server)},
		"substring": {encryption.EDCTextSubstringToken(edc), encryption.ESCTextSubstringToken(esc), encryption.ServerTextSubstringToken(server)},
		"suffix":    {encryption.EDCTextSuffixToken(edc), encryption.ESCTextSuffixToken(esc), encryption.ServerTextSuffixToken(server)},
		"prefix":    {encryption.EDCTextPrefixToken(edc), encryption.ESCTextPrefixToken(esc), encryption.ServerTextPrefixToken(server)},
	} {
		text := "text" + kind
		out["edc"+text+"token"], out["esc"+text+"token"], out["server"+text+"token"] = roots[0], roots[1], roots[2]
		edcText, escText := encryption.EDCDerivedFromDataToken(roots[0].Root(), value), encryption.ESCDerivedFromDataToken(roots[1].Root(), value)
		out["edc"+text+"derivedfromdatatoken"], out["esc"+text+"derivedfromdatatoken"] = edcText, escText
		out["server"+text+"derivedfromdatatoken"] = encryption.ServerDerivedFromDataToken(roots[2].Root(), value)
		out["edc"+text+"derivedfromdatatokenandcontentionfactortoken"] = encryption.EDCDerivedFromDataTokenAndContentionFactor(edcText, factor)
		out["esc"+text+"derivedfromdatatokenandcontentionfactortoken"] = encryption.ESCDerivedFromDataTokenAndContentionFactor(escText, factor)
	}
	return out
}

func TestTokenVectors(t *testing.T) {
	for _, name := range []string{"mc", "server"} {
		data, err := os.ReadFile(vectors.Folder("testdata") + "/tokens/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var vector map[string]any
		if err := json.Unmarshal(data, &vector); err != nil {
			t.Fatal(err)
		}
		got := deriveTokens(sealed.TokenKey(unhex(t, vector["root"].(string))), unhex(t, vector["value"].(string)), int64(vector["contentionFactor"].(float64)))
		checked := 0
		for key, want := range vector {
			if key == "root" || key == "value" || key == "contentionFactor" || strings.HasPrefix(key, "ECC") {
				continue // ECC tokens belong to the first version of the protocol
			}
			token, known := got[strings.ToLower(key)]
			if !known {
				t.Errorf("%s: no derivation of %s", name, key)
			} else if text := hex.EncodeToString(token[:]); !strings.EqualFold(text, want.(string)) {
				t.Errorf("%s: %s is %s, want %s", name, key, text, want)
			}
			checked++
		}
		if checked != len(got) {
			t.Errorf("%s: %d tokens are checked, %d are derived", name, checked, len(got))
		}
	}
}
