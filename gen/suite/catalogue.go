package suite

import (
	"slices"
	"strings"
	"unicode"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/suite/unified"
)

// Catalogue is what the compiler knows about the driver: the tables that its options, events and types come from.
type Catalogue struct {
	Operations *unified.Operations
	Failures   *unified.Failures

	structs map[string][]load.TypeField // of package options, by name
	enums   map[string]load.Type
	uri     map[string]bool   // options of a connection string, in lower case
	events  map[string]string // Go types by the name of the event

	// Go names, by their names in test files.
	serverTypes, topologyTypes, modes map[string]string
	poolEvents, topologyEvents        map[string]string
}

// LoadCatalogue reads the tables.
func LoadCatalogue(t *load.Tables) (*Catalogue, error) {
	c := &Catalogue{
		structs: map[string][]load.TypeField{},
		enums:   map[string]load.Type{},
		uri:     map[string]bool{},
		events:  map[string]string{},

		serverTypes:    map[string]string{},
		topologyTypes:  map[string]string{},
		modes:          map[string]string{},
		poolEvents:     map[string]string{},
		topologyEvents: map[string]string{},
	}
	for _, file := range t.OptionTypes() {
		for _, typ := range file.Types {
			c.structs[typ.Name] = typ.Fields
			if typ.Base != "" {
				c.enums[typ.Name] = typ
			}
			if typ.Name == "ReadPreferenceMode" {
				for _, v := range typ.Values {
					c.modes[v.Name], c.modes[v.Text] = v.Name, v.Name
				}
			}
		}
	}
	for _, command := range t.Commands() {
		for _, o := range command.Operations {
			if o.Options != "" && !o.Elsewhere {
				c.structs[o.Options] = optionsOf(command, o.Options)
			}
		}
	}
	for _, row := range t.URI().Rows {
		c.uri[strings.ToLower(row.Name)] = true
	}
	for _, row := range t.Events().Rows {
		c.events[row.Event] = row.Go
		c.nameEvent(row)
	}
	types := t.ServerTypes()
	for _, row := range types.Servers {
		c.serverTypes[row.Text] = row.Name
	}
	for _, row := range types.Topologies {
		c.topologyTypes[row.Text] = row.Name
	}
	var err error
	if c.Operations, err = unified.LoadOperations(t.FS()); err != nil {
		return nil, err
	}
	c.Failures, err = unified.LoadFailures(t.FS())
	return c, err
}

// nameEvent records what CMAP tests and SDAM monitoring tests call an event.
func (c *Catalogue) nameEvent(row load.Event) {
	name := strings.TrimSuffix(row.Event, "Event")
	switch {
	case strings.HasPrefix(name, "Pool"):
		c.poolEvents["Connection"+name] = row.Go
	case strings.HasPrefix(name, "Connection"):
		c.poolEvents[name] = row.Go
	default:
		c.topologyEvents[snake(row.Event)] = row.Go
	}
}

// snake spells a name in lower case, its words joined by underscores.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func optionsOf(c *load.Command, name string) []load.TypeField {
	var fields []load.TypeField
	for _, r := range c.Rows {
		if len(r.Of) == 0 || slices.Contains(r.Of, name) {
			fields = append(fields, r.TypeField)
		}
	}
	return fields
}

// option finds a field of a struct by its name in the specifications. It ignores case and underscores.
func (c *Catalogue) option(structName, option string) *load.TypeField {
	for _, f := range c.structs[structName] {
		name := strings.ReplaceAll(f.Option, "_", "")
		if name == "" { // a row of ours, which upstream does not name
			name = f.Field
			if f.Go == "*time.Duration" {
				name += "MS"
			}
		}
		if strings.EqualFold(name, option) {
			return &f
		}
	}
	return nil
}

// Tables reads everything that compiling suites needs from the specs directory into o.
func (o *Options) Tables(t *load.Tables) error {
	format, err := unified.LoadFormat(t.FS())
	if err != nil {
		return err
	}
	catalogue, err := LoadCatalogue(t)
	o.Unified, o.Catalogue = format, catalogue
	return err
}
