package update

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// IsReplacement reports whether an update document has no operators.
func IsReplacement(d bson.Raw) bool {
	first, ok := d.Index(0)
	return !ok || !strings.HasPrefix(first.Key, "$")
}

// Compile checks and compiles an update document.
func Compile(d bson.Raw, o Options) (*Update, error) {
	u := &Update{options: o}
	if IsReplacement(d) {
		u.replacement = d
		if len(o.ArrayFilters) > 0 {
			return nil, status.Errorf(errcode.FailedToParse, "arrayFilters may not be specified for replacement-syle updates")
		}
		return u, u.checkReplacement(o.isModern())
	}
	if err := u.compileFilters(o); err != nil {
		return nil, err
	}
	p := &parser{update: u, used: map[string]bool{}, root: &place{}}
	for op, v := range d.All() {
		if err := p.readOperator(op, v); err != nil {
			return nil, err
		}
	}
	if err := u.checkUsed(p.used, d); err != nil {
		return nil, err
	}
	u.arrange(u.changes)
	return u, nil
}

// checkReplacement refuses names that begin with a dollar at the top of a replacement, unless it is going to be inserted.
func (u *Update) checkReplacement(insert bool) error {
	if insert {
		return nil
	}
	for key := range u.replacement.All() {
		if strings.HasPrefix(key, "$") {
			return u.options.refuseDollar(key, key)
		}
	}
	return nil
}

func (p *parser) readOperator(op string, v bson.RawValue) error {
	build, known := operators[op]
	switch {
	case !known:
		return status.Errorf(errcode.FailedToParse,
			"Unknown modifier: %s. Expected a valid update modifier or pipeline-style update specified as an array", op)
	case v.Type != bsontype.EmbeddedDocument:
		return status.Errorf(errcode.FailedToParse,
			"Modifiers operate on fields but we found type %s instead. For example: {$mod: {<field>: ...}} "+
				"not {%s: %s}", v.Type, op, status.TextOf(v))
	case bson.Raw(v.Value).Len() == 0 && !p.update.options.isModern():
		return status.Errorf(errcode.FailedToParse, "'%s' is empty. You must specify a field like so: {%s: {<field>: ...}}", op, op)
	}
	for name, operand := range bson.Raw(v.Value).All() {
		c, err := p.readChange(op, build, name, operand)
		if err != nil {
			return err
		}
		p.update.changes = append(p.update.changes, c)
	}
	return nil
}

func (p *parser) readChange(op string, build build, name string, operand bson.RawValue) (change, error) {
	at, err := p.readPath(name)
	if err != nil {
		return change{}, err
	}
	if op == "$rename" {
		return p.readRename(name, at, operand)
	}
	run, err := build(name, operand, p.update.options)
	if err != nil {
		return change{}, err
	}
	return change{path: at, run: run}, p.claim(at)
}

func (p *parser) readRename(name string, from path.Path, operand bson.RawValue) (change, error) {
	if err := p.claim(from); err != nil {
		return change{}, err
	}
	text := name + ": " + status.TextOf(operand)
	to, ok := operand.StringOK()
	if !ok {
		return change{}, status.Errorf(errcode.BadValue, "The 'to' field for $rename must be a string: %s", text)
	}
	target, err := p.readPath(to)
	if err != nil {
		return change{}, err
	}
	n := sharedComponents(from, target)
	switch {
	case strings.ContainsRune(to, 0):
		return change{}, status.Errorf(errcode.BadValue, "The 'to' field for $rename cannot contain an embedded null byte")
	case name == to:
		return change{}, status.Errorf(errcode.BadValue, "The source and target field for $rename must differ: %s", text)
	case n == len(from) || n == len(target):
		return change{}, status.Errorf(errcode.BadValue, "The source and target field for $rename must not be on the same path: %s", text)
	case isDynamic(from):
		return change{}, status.Errorf(errcode.BadValue, "The source field for $rename may not be dynamic: %s", name)
	case isDynamic(target):
		return change{}, status.Errorf(errcode.BadValue, "The destination field for $rename may not be dynamic: %s", to)
	}
	return change{path: target, source: from}, p.claim(target)
}

var operators = map[string]build{
	"$set":         newSet,
	"$setOnInsert": newSetOnInsert,
	"$unset":       newUnset,
	"$inc":         newArithmetic("$inc"),
	"$mul":         newArithmetic("$mul"),
	"$min":         newExtreme(-1),
	"$max":         newExtreme(1),
	"$currentDate": newCurrentDate,
	"$bit":         newBit,
	"$push":        newPush,
	"$addToSet":    newAddToSet,
	"$pop":         newPop,
	"$pull":        newPull,
	"$pullAll":     newPullAll,
	"$rename":      nil, // it has two paths: see parser.rename
}
