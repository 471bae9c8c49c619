package planted_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specdrivers/onion/tools/mutate/planted"
)

const shop = `package shop

func open(hour int) bool { return hour > 8 && hour < 18 }

func price(n int) int { return n * 3 }
`

// plant writes the shop, plants mistakes, and returns the texts that the compiler would read by their names.
func plant(t *testing.T, mistakes ...planted.Mistake) (map[string]string, error) {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "shop.go"), []byte(shop), 0o644); err != nil {
		t.Fatal(err)
	}
	overlay, err := planted.Overlay(mistakes, root, t.TempDir())
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(overlay)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Replace map[string]string }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for path, with := range file.Replace {
		text, err := os.ReadFile(with)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(path)] = string(text)
	}
	return texts, nil
}

func mistake(name, in, was, is string) planted.Mistake {
	return planted.Mistake{Name: name, Edits: []planted.Edit{{In: in, Was: was, Is: is}}}
}

func TestOverlay(t *testing.T) {
	early := mistake("early", ".", "hour > 8", "(hour > 8 || PLANTED)")
	cheap := mistake("cheap", "shop.go", "n * 3", "n * 2")
	t.Run("switched", func(t *testing.T) {
		texts, err := plant(t, early, cheap)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`(hour > 8 || planted("early")) && hour < 18`, "return n * 2"} {
			if !strings.Contains(texts["shop.go"], want) {
				t.Errorf("%q is not in\n%s", want, texts["shop.go"])
			}
		}
		if support := texts["planted_mistakes.go"]; !strings.HasPrefix(support, "package shop\n") || !strings.Contains(support, planted.Variable) {
			t.Errorf("nothing asks which mistake is active:\n%s", support)
		}
	})
	t.Run("always there", func(t *testing.T) {
		texts, err := plant(t, cheap)
		if err != nil || len(texts) != 1 {
			t.Errorf("%d files and %v; want the one that is changed", len(texts), err)
		}
	})
	refused := map[string][]planted.Mistake{
		"hour < 19":            {mistake("gone", ".", "hour < 19", "true")},
		"2 times":              {mistake("twice", ".", "return", "panic(0)")},
		"changes the same":     {early, mistake("late", ".", "hour > 8 &&", "")},
		"nowhere.go: no such ": {mistake("nowhere", "nowhere.go", "a", "b")},
	}
	for want, mistakes := range refused {
		t.Run("refused: "+want, func(t *testing.T) {
			if _, err := plant(t, mistakes...); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
