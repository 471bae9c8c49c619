package auth

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unicode"

	"github.com/xdg-go/stringprep"

	authtable "github.com/specdrivers/onion/generated/core/auth"
)

// checkSASLprep compares with a library of the field.
func checkSASLprep(t *testing.T, password string) {
	t.Helper()
	want, wantErr := stringprep.SASLprep.Prepare(password)
	got, err := saslPrep(password)
	if got != want || (err != nil) != (wantErr != nil) {
		t.Errorf("%+q: got %+q, %v; want %+q, %v", password, got, err, want, wantErr)
	}
}

func TestSASLprepTablesAreThoseOfTheLibrary(t *testing.T) {
	dropped := stringprep.Set{}
	for r := range stringprep.TableB1 {
		dropped = append(dropped, stringprep.RuneRange{r, r})
	}
	prohibited := slices.Concat(stringprep.TableC1_2, stringprep.TableC2_1, stringprep.TableC2_2, stringprep.TableC3, stringprep.TableC4,
		stringprep.TableC5, stringprep.TableC6, stringprep.TableC7, stringprep.TableC8, stringprep.TableC9)
	for name, tt := range map[string]struct {
		ours   string
		theirs stringprep.Set
	}{
		"dropped":       {authtable.SASLprepDropped, dropped},
		"spaces":        {authtable.SASLprepSpaces, stringprep.TableC1_2},
		"prohibited":    {authtable.SASLprepProhibited, prohibited},
		"unassigned":    {authtable.SASLprepUnassigned, stringprep.TableA1},
		"right to left": {authtable.SASLprepRightToLeft, stringprep.TableD1},
		"left to right": {authtable.SASLprepLeftToRight, stringprep.TableD2},
	} {
		t.Run(name, func(t *testing.T) {
			var ours, theirs [unicode.MaxRune + 1]bool
			for _, span := range parseRunes(tt.ours) {
				for r := span[0]; r <= span[1]; r++ {
					ours[r] = true
				}
			}
			for _, span := range tt.theirs {
				for r := span[0]; r <= span[1]; r++ {
					theirs[r] = true
				}
			}
			for r := range ours {
				if ours[r] != theirs[r] {
					t.Errorf("%U: %t, the library says %t", r, ours[r], theirs[r])
				}
			}
		})
	}
}

func TestSASLprepOfTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 1))
	alphabet := []rune("ab12 ~\u0000\u007f\u00a0\u00adé\u0301א\u05bfب\u0661ﬁ½Ⅸ\u1680\u200b\u2000\u3000가\u1100\u1161字\u0221\ufffd\U0001d7d8\U000e0001")
	for range 2000 {
		text := make([]rune, random.IntN(8))
		for i := range text {
			text[i] = alphabet[random.IntN(len(alphabet))]
		}
		checkSASLprep(t, string(text))
		checkSASLprep(t, string(text)+"\xff")
	}
	for r := range rune(0x3100) {
		checkSASLprep(t, string(r))
	}
}

func FuzzSASLprep(f *testing.F) {
	f.Add("I\u00adX")
	f.Add("\u0627\u0031")
	f.Fuzz(func(t *testing.T, password string) { checkSASLprep(t, password) })
}
