package main

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// helpers are the functions and types that rewritten code may use: the packages and other helpers that they need, and
// their source. The first file of a package that needs one declares it.
var helpers = map[string]struct {
	imports, others []string
	source          string
}{
	"pointerTo": {source: `
// pointerTo makes a pointer to a copy of v, for the fields of options.
func pointerTo[T any](v T) *T { return &v }
`},
	"checkBounds": {imports: []string{"errors"}, source: `
// checkBounds turns the bool of Index into the error of the official driver's IndexErr.
func checkBounds[T any](v T, ok bool) (T, error) {
	if !ok {
		return v, errors.New("out of bounds")
	}
	return v, nil
}
`},
	"valueOrZero": {source: `
// valueOrZero returns what p points to, or the zero value for a field that is not set.
func valueOrZero[T any](p *T) T {
	if p == nil {
		p = new(T)
	}
	return *p
}
`},
	"mergeOptions": {imports: []string{"reflect"}, source: `
// mergeOptions returns the fields that any of the structs sets. Where several set one, the last wins.
func mergeOptions[T any](list ...*T) *T {
	var all T
	for _, one := range list {
		if one == nil {
			continue
		}
		from, to := reflect.ValueOf(one).Elem(), reflect.ValueOf(&all).Elem()
		for i := range from.NumField() {
			if !from.Field(i).IsZero() {
				to.Field(i).Set(from.Field(i))
			}
		}
	}
	return &all
}
`},
	"documentBuilder":           {source: documentBuilderSource()},
	"arrayBuilder":              {imports: []string{"strconv"}, others: []string{"documentBuilder"}, source: arrayBuilderSource()},
	"documentOf":                {source: buildSource},
	"setFields":                 {source: setFieldsSource},
	"lookUpIn":                  {imports: []string{"slices"}, source: lookUpInSource},
	"readDocument":              {source: readDocumentSource},
	"readDocumentFrom":          {imports: []string{"io"}, source: readDocumentFromSource},
	"readLength":                {imports: []string{"encoding/binary"}, source: readLengthSource},
	"marshalExtJSONIndent":      {source: marshalExtJSONIndentSource},
	"indentExtJSON":             {imports: []string{"bytes"}, source: indentExtJSONSource},
	"marshalExtJSONAppend":      {source: marshalExtJSONAppendSource},
	"splitDBPointer":            {source: splitDBPointerSource},
	"fieldsOf":                  {source: fieldsOfSource},
	"sinkLogger":                {imports: []string{"context", "log/slog"}, source: sinkLoggerSource},
	"lookUpOrNil":               {others: []string{"lookUpIn"}, source: lookUpOrNilSource},
	"typeOfValue":               {source: typeOfValueSource},
	"appendValue":               {source: appendValueSource},
	"decodeLikeVersion1":        {source: likeVersion1Source},
	"cutValue":                  {imports: []string{"bytes", "encoding/binary"}, source: cutValueSource},
	"readAs":                    {others: []string{"cutValue"}, source: readAsSource},
	"readParts":                 {others: []string{"cutValue"}, source: readPartsSource},
	"asInt64":                   {source: asInt64Source},
	"isObjectID":                {source: isObjectIDSource},
	"modeOf":                    {imports: []string{"fmt", "strings"}, source: modeOfSource},
	"marshalBytes":              {source: marshalBytesSource},
	"settersOf":                 {others: []string{"mergeOptions"}, source: settersOfSource},
	"valueOf":                   {source: valueOfSource},
	"arrayOf":                   {imports: []string{"strconv"}, source: arrayOfSource},
	"mapOf":                     {source: mapOfSource},
	"decimalOf":                 {imports: []string{"math/big"}, source: decimalOfSource},
	"pointersTo":                {source: pointersToSource},
	"keysOf":                    {source: keysOfSource},
	"keyID":                     {source: keyIDSource},
	"createDataKey":             {imports: []string{"context"}, source: createDataKeySource},
	"encryptInto":               {imports: []string{"context"}, source: encryptIntoSource},
	"createEncryptedCollection": {imports: []string{"context"}, source: createEncryptedCollectionSource},
	"autoEncryptionOf":          {source: autoEncryptionOfSource},
	"totalSize":                 {source: totalSizeSource},
	"readPreferenceOf":          {imports: []string{"errors"}, source: readPreferenceOfSource},
	"poolEvent":                 {imports: []string{"time"}, source: poolEventSource},
	"poolMonitorOf":             {others: []string{"poolEvent"}, source: poolMonitorSource},
	"mustBoth":                  {source: mustBothSource},
	"updateManyOf":              {source: updateManyOf},
	"deleteManyOf":              {source: deleteManyOf},
	"runCursorCommandOf":        {source: runCursorCommandOf},
	"tagSetsOf": {others: []string{"tagSetOf"}, source: `
// tagSetsOf makes a list of tag sets, in their order.
func tagSetsOf(sets []map[string]string) []options.TagSet {
	var list []options.TagSet
	for _, set := range sets {
		list = append(list, tagSetOf(set))
	}
	return list
}
`},
	"tagSetOf": {source: `
// tagSetOf makes a tag set of the names and values in a map.
func tagSetOf(set map[string]string) options.TagSet {
	list := options.TagSet{}
	for name, value := range set {
		list = append(list, options.Tag{Name: name, Value: value})
	}
	return list
}
`},
	"codecsOf": {source: `
// codecsOf returns codecs whose rules do not contradict each other, and panics if they do.
func codecsOf(codecs *bson.Codecs, err error) *bson.Codecs {
	if err != nil {
		panic(err)
	}
	return codecs
}
`},
	"extJSONReader":     {imports: []string{"encoding/json", "io"}, source: extJSONReaderSource},
	"extJSONWriter":     {imports: []string{"bytes", "encoding/binary", "encoding/json", "io"}, source: extJSONWriterSource},
	"extJSONWriterPool": {imports: []string{"io"}, others: []string{"extJSONWriter"}, source: extJSONWriterPoolSource},
	"extJSONReaderPool": {imports: []string{"io"}, others: []string{"extJSONReader"}, source: extJSONReaderPoolSource},
	"bsonWriterPool":    {imports: []string{"io"}, source: bsonWriterPoolSource},
	"bsonReaderPool":    {imports: []string{"bytes", "io"}, source: bsonReaderPoolSource},
	"sliceWriter":       {source: sliceWriterSource},
	"bsonValueWriter":   {imports: []string{"encoding/binary"}, source: writerSource()},
	"bsonValueReader":   {imports: []string{"fmt", "slices"}, source: readerSource()},
	"bsonEncodeWith":    {imports: []string{"reflect"}, others: []string{"bsonValueWriter"}, source: encodingWith},
	"bsonDecodeWith":    {imports: []string{"reflect"}, others: []string{"bsonValueReader"}, source: decodingWith},
}

// useHelper returns the name of a helper, and has it declared in this file if no other file of the package declares it.
func (f *file) useHelper(name string) string {
	if f.helped[f.pkg.PkgPath+"."+name] || f.helped[f.helperKey(name)] {
		return f.helperName(name)
	}
	f.helped[f.helperKey(name)], f.helpers[name] = true, true
	for _, other := range helpers[name].others {
		f.useHelper(other)
	}
	return f.helperName(name)
}

// helperName gives a function among the helpers another name where the package has a name like its own.
func (f *file) helperName(name string) string {
	if !strings.Contains(helpers[name].source, "\nfunc "+name) {
		return name
	}
	for id := range f.pkg.TypesInfo.Defs {
		if id.Name == name {
			return "onion" + strings.ToUpper(name[:1]) + name[1:]
		}
	}
	return name
}

// helperKey names a helper of the package for the files that are built together with this one.
func (f *file) helperKey(name string) string { return f.pkg.PkgPath + f.build + "." + name }

// keepHelpers forgets the helpers that the new text no longer names, because another rule has rewritten what did. It imports the
// packages that the other helpers need.
func (f *file) keepHelpers() {
	text, kept := f.textBetween(f.tree.FileStart, f.tree.FileEnd), map[string]bool{}
	for found := true; found; {
		found = false
		for name := range f.helpers {
			if !kept[name] && namesHelper(text, name) {
				kept[name], found = true, true
				text += helpers[name].source
			}
		}
	}
	for name := range f.helpers {
		if !kept[name] {
			delete(f.helped, f.helperKey(name))
			continue
		}
		for _, path := range helpers[name].imports {
			f.extra[path] = true
		}
	}
	f.helpers = kept
}

// namesHelper reports whether a text names a helper, its constructor, or the name that it has where the package has one like it.
func namesHelper(text, name string) bool {
	title := strings.ToUpper(name[:1]) + name[1:]
	return regexp.MustCompile(`\b(` + name + `|new` + title + `|onion` + title + `)\b`).MatchString(text)
}

// onionName is a name of one of these packages in the source of a helper.
var onionName = regexp.MustCompile(`\b(bson|bsontype|event|mongo|options)\.[A-Z]\w*`)

// helperText returns the source of the helpers that this file declares.
func (f *file) helperText() string {
	text := ""
	for _, name := range slices.Sorted(maps.Keys(f.helpers)) {
		text += onionName.ReplaceAllStringFunc(helpers[name].source, f.qualify)
	}
	for name := range f.helpers {
		if to := f.helperName(name); to != name {
			text = regexp.MustCompile(`\b`+name+`\b`).ReplaceAllString(text, to)
		}
	}
	return text
}
