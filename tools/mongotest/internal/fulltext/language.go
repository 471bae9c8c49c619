package fulltext

import (
	"strings"

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
	"english":   {"english", english.Stem, func(word string) bool { return englishStopWords[word] }},
	"french":    {"french", french.Stem, french.IsStopWord},
	"hungarian": {"hungarian", hungarian.Stem, hungarian.IsStopWord},
	"norwegian": {"norwegian", norwegian.Stem, norwegian.IsStopWord},
	"russian":   {"russian", russian.Stem, russian.IsStopWord},
	"spanish":   {"spanish", spanish.Stem, spanish.IsStopWord},
	"swedish":   {"swedish", swedish.Stem, swedish.IsStopWord},
}

// codes maps the other names that a server accepts to languages.
var codes = map[string]string{
	"en": "english", "fr": "french", "hu": "hungarian", "nb": "norwegian", "ru": "russian", "es": "spanish", "sv": "swedish",
	"da": "danish", "nl": "dutch", "fi": "finnish", "de": "german", "it": "italian", "pt": "portuguese", "ro": "romanian", "tr": "turkish",
}

// Absent lists the languages of a server that have no stemmer here.
var Absent = []string{"danish", "dutch", "finnish", "german", "italian", "portuguese", "romanian", "turkish"}

// Named finds a language by its name or two-letter code. absent reports a language that only servers have.
func Named(name string) (l *Language, absent bool) {
	name = strings.ToLower(name)
	if full, ok := codes[name]; ok {
		name = full
	}
	if l = languages[name]; l != nil {
		return l, false
	}
	for _, other := range Absent {
		absent = absent || other == name
	}
	return nil, absent
}

// englishStopWords is the stop list of the Snowball project.
var englishStopWords = setOf(`
	i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its itself
	they them their theirs themselves what which who whom this that these those am is are was were be been being have has had
	having do does did doing would should could ought i'm you're he's she's it's we're they're i've you've we've they've i'd you'd
	he'd she'd we'd they'd i'll you'll he'll she'll we'll they'll isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't
	didn't won't wouldn't shan't shouldn't can't cannot couldn't mustn't let's that's who's what's here's there's when's where's
	why's how's a an the and but if or because as until while of at by for with about against between into through during before
	after above below to from up down in out on off over under again further then once here there when where why how all any both
	each few more most other some such no nor not only own same so than too very`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}
