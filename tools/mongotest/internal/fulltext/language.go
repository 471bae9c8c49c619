package fulltext

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/turkish"
	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/french"
	"github.com/kljensen/snowball/hungarian"
	"github.com/kljensen/snowball/norwegian"
	"github.com/kljensen/snowball/russian"
	"github.com/kljensen/snowball/spanish"
	"github.com/kljensen/snowball/swedish"
)

// Language defines how to stem the words of a language, and which words are too common to be terms.
type Language struct {
	name string
	stem func(word string, stopWords bool) string
	stop func(word string) bool
}

// None is text without a language: every word is a term, unchanged.
var None = &Language{name: "none"}

var languages = map[string]*Language{
	"none":      None,
	"english":   {"english", english.Stem, englishStopWords},
	"french":    {"french", french.Stem, french.IsStopWord},
	"hungarian": {"hungarian", hungarian.Stem, hungarian.IsStopWord},
	"norwegian": {"norwegian", norwegian.Stem, norwegian.IsStopWord},
	"russian":   {"russian", russian.Stem, russian.IsStopWord},
	"spanish":   {"spanish", spanish.Stem, spanish.IsStopWord},
	"swedish":   {"swedish", swedish.Stem, swedish.IsStopWord},

	"danish":     snowball("danish", danish.Stem, danishStopWords),
	"dutch":      snowball("dutch", dutch.Stem, dutchStopWords),
	"finnish":    snowball("finnish", finnish.Stem, finnishStopWords),
	"german":     snowball("german", german.Stem, germanStopWords),
	"italian":    snowball("italian", italian.Stem, italianStopWords),
	"portuguese": snowball("portuguese", portuguese.Stem, portugueseStopWords),
	"romanian":   snowball("romanian", romanian.Stem, romanianStopWords),
	"turkish":    snowball("turkish", turkish.Stem, turkishStopWords),
}

// snowball returns a language with a stemmer that changes its environment and a list of stop words.
func snowball(name string, stem func(*snowballstem.Env) bool, stop func(string) bool) *Language {
	return &Language{name, func(word string, _ bool) string {
		env := snowballstem.NewEnv(word)
		stem(env)
		return env.Current()
	}, stop}
}

// codes maps the other names that a server accepts to languages.
var codes = map[string]string{
	"en": "english", "fr": "french", "hu": "hungarian", "nb": "norwegian", "ru": "russian", "es": "spanish", "sv": "swedish",
	"da": "danish", "nl": "dutch", "fi": "finnish", "de": "german", "it": "italian", "pt": "portuguese", "ro": "romanian", "tr": "turkish",
}

// Named finds a language by its name or two-letter code.
func Named(name string) *Language {
	name = strings.ToLower(name)
	if full, ok := codes[name]; ok {
		name = full
	}
	return languages[name]
}
