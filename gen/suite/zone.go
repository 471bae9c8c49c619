package suite

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// record is a DNS record that the cases of a seedlist suite rely on.
type record struct {
	name   string // without a final dot, in lower case
	port   int    // of an SRV record
	target string // of an SRV record
	text   string // of a TXT record, its strings joined
}

// ZonePath is the path, in the specs directory, of the records that the specification's list lacks.
const ZonePath = "dns-records.yaml"

// Zone holds the records that the specification's list lacks.
type Zone struct {
	Table string `yaml:"table"`
	Doc   string `yaml:"doc"`
	Rows  []struct {
		Name   string `yaml:"name"`
		Port   int    `yaml:"port"`
		Target string `yaml:"target"`
		Reason string `yaml:"reason"`
	} `yaml:"rows"`
}

// LoadZone reads the records that the specification's list lacks.
func LoadZone(specs fs.FS) (*Zone, error) {
	file, err := specs.Open(ZonePath)
	if err != nil {
		return nil, fmt.Errorf("suite: read DNS records: %w", err)
	}
	defer file.Close()
	z := &Zone{}
	d := yaml.NewDecoder(file)
	d.KnownFields(true)
	if err := d.Decode(z); err != nil {
		return nil, fmt.Errorf("suite: specs/%s: %w", ZonePath, err)
	}
	return z, nil
}

// addMissing adds missing records to a list that has other records of the same name. It reports a record that the list
// has by now.
func (z *Zone) addMissing(zone []record) (all []record, superfluous string) {
	all = slices.Clone(zone)
	if z == nil {
		return all, ""
	}
	for _, row := range z.Rows {
		r := record{name: row.Name, port: row.Port, target: row.Target}
		if slices.Contains(zone, r) {
			superfluous = fmt.Sprintf("specs/%s: %s now has the target %s:%d", ZonePath, r.name, r.target, r.port)
			continue
		}
		if slices.ContainsFunc(zone, func(o record) bool { return o.name == r.name }) {
			all = append(all, r)
		}
	}
	return all, superfluous
}

// fence matches a block of DNS records in a README.
var fence = regexp.MustCompile("(?ms)^```dns\\n(.*?)^```")

// readZone reads the DNS records from the nearest README above a test file, where the format puts them.
func readZone(fsys fs.FS, file string) []record {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		data, err := fs.ReadFile(fsys, path.Join(dir, "README.md"))
		if err == nil {
			if zone := parseZone(string(data)); len(zone) > 0 {
				return zone
			}
		}
		if dir == "." || dir == "/" || path.Base(dir) == "tests" {
			return nil
		}
	}
}

func parseZone(text string) []record {
	var zone []record
	for _, block := range fence.FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(block[1]) {
			if r, ok := parseRecord(line); ok {
				zone = append(zone, r)
			}
		}
	}
	return zone
}

var quoted = regexp.MustCompile(`"([^"]*)"`)

// parseRecord reads a line like "name TTL IN SRV port target" or "name TTL IN TXT "text"". It skips headings, and addresses,
// for which the helpers have a rule of their own.
func parseRecord(line string) (record, bool) {
	f := strings.Fields(line)
	i := slices.Index(f, "IN")
	if i < 1 || i+2 >= len(f) {
		return record{}, false
	}
	r := record{name: hostName(f[0])}
	switch f[i+1] {
	case "TXT":
		for _, part := range quoted.FindAllStringSubmatch(line, -1) {
			r.text += part[1]
		}
		return r, true
	case "SRV":
		port, err := strconv.ParseUint(f[len(f)-2], 10, 16)
		r.port, r.target = int(port), hostName(f[len(f)-1])
		return r, err == nil
	}
	return record{}, false
}

func hostName(s string) string { return strings.ToLower(strings.TrimSuffix(s, ".")) }

// recordsFor returns the records that a connection string can ask for: the records under its host, for any service.
func recordsFor(zone []record, uri string) []record {
	_, rest, _ := strings.Cut(uri, "://")
	rest, _, _ = strings.Cut(rest, "?")
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = rest[at+1:]
	}
	rest, _, _ = strings.Cut(rest, "/")
	var out []record
	for item := range strings.SplitSeq(rest, ",") {
		host, _, _ := strings.Cut(item, ":")
		host = hostName(host)
		for _, r := range zone {
			if r.name == host || strings.HasPrefix(r.name, "_") && strings.HasSuffix(r.name, "._tcp."+host) {
				out = append(out, r)
			}
		}
	}
	return out
}
