package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const shopMini = `
## Fruit

| Name | Price |
| ---- | ----- |
| fig  | 3 coins |
| none | - |

Sold are ` + "`fig` and `pear`" + `. Sold elsewhere: ` + "`plum`" + `.

|      |       |
| ---- | ----- |
| **Name** | **Price** |
| pear | 4 coins |

` + "```typescript\nclass Basket {\n   // how: many\n   size: Int32;\n   /* in: colour */\n   colour?: String;\n}\n```\n"

// TestReadings reads a miniature in each of the ways.
func TestReadings(t *testing.T) {
	for _, c := range []struct{ name, row, want, fails string }{
		{"a table", `columns: [Name, Price], holds: fig, skip: '^none', says: '^(?P<name>\w+) \| (?P<price>\d+) coins$', names: {fig: Fig}`,
			"shop.yaml rows Fig: name=Fig price=3\n", ""},
		{"a table with its header in the first row", `columns: [Name, Price], holds: pear, says: '^(?P<name>\w+) \| (?P<price>\d+) coins$', words: {"4": four}`,
			"shop.yaml rows pear: name=pear price=four\n", ""},
		{"a list in a row", "row: Sold, column: list, inside: 'Sold are (.*?)\\.', says: '`(\\w+)`'", "shop.yaml rows Sold: list=[fig, pear]\n", ""},
		{"a mark", "mark: sold, inside: 'Sold are (.*?)\\.', says: '`(?P<name>\\w+)`'",
			"shop.yaml rows fig: name=fig sold=true\nshop.yaml rows pear: name=pear sold=true\nshop.yaml rows plum: sold=\n", ""},
		{"a declaration", `of: Basket, key: option, says: '(?:^|; )(?P<option>\w+)(?P<optional>\??): (?P<type>\w+)', words: {"?": "true"}`,
			"shop.yaml rows size: option=size optional= type=Int32\nshop.yaml rows colour: option=colour optional=true type=String\n", ""},
		{"a row that does not fit", `columns: [Name, Price], holds: fig, says: '^(?P<name>\w+) \| (?P<price>\d+) coins$'`, "", `shop.md:7: the row "none | -" does not say`},
		{"a name without one of ours", `columns: [Name, Price], holds: pear, says: '^(?P<name>\w+)', names: {fig: Fig}`, "", `"pear" has no name`},
		{"no such table", `columns: [Name, Weight], says: '(?P<name>\w+)'`, "", `has 0 tables with the columns ["Name" "Weight"]`},
		{"two such tables", `columns: [Name, Price], says: '(?P<name>\w+)'`, "", `has 2 tables with the columns`},
		{"no such text", `says: 'Given are (?P<name>\w+)'`, "", `no longer says`},
		{"no such part", `inside: 'Given are (.*)', says: '(?P<name>\w+)'`, "", `0 times, not once`},
		{"no such declaration", `of: Bag, says: '(?P<name>\w+)'`, "", `has no declaration of Bag`},
		{"no group for the key", `says: 'Sold are'`, "", `says nothing of the column name`},
	} {
		t.Run(c.name, func(t *testing.T) {
			specs := t.TempDir()
			write(t, filepath.Join(specs, "shop.yaml"), "rows:\n  - {name: fig}\n  - {name: pear}\n  - {name: plum, sold: true}\n  - {name: ours, override: {row: x}}\n")
			if err := os.Mkdir(filepath.Join(specs, "sync"), 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(specs, "sync", "readings.yaml"), "table: readings\ndoc: x\nspec: none\nrows:\n  - {file: shop.yaml, document: shop.md, section: Fruit, "+c.row+"}\n")
			got, err := runReader(readReadings(specs, newLibrary()), map[string]string{"shop.md": shopMini})
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("got %v, want %s", err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if spellTables(got) != c.want {
				t.Errorf("got\n%swant\n%s", spellTables(got), c.want)
			}
		})
	}
}
