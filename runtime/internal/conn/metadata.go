package conn

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/authtable"
)

// DriverInfo identifies a library that wraps the driver.
type DriverInfo struct {
	Name     string
	Version  string
	Platform string
}

// Environment is what the driver knows about the place where it runs.
type Environment struct {
	Driver         DriverInfo
	OSType         string
	OSName         string
	OSArchitecture string
	OSVersion      string

	FaaS         string // the name of the function-as-a-service environment, empty outside one
	Region       string
	MemoryMB     *int32
	TimeoutSec   *int32
	Runtime      string // the container's runtime
	Orchestrator string
}

// Metadata is the client document of the handshake. Libraries may append their names at any time, and later connections
// send them. It is safe for concurrent use.
type Metadata struct {
	appName string
	env     Environment

	mu       sync.Mutex
	infos    []DriverInfo
	document bson.Raw
}

// NewMetadata builds the client document for an application; appName may be empty.
func NewMetadata(appName string, env Environment, infos ...DriverInfo) (*Metadata, error) {
	if len(appName) > authtable.MaxAppNameSize {
		return nil, fmt.Errorf("conn: the appName has %d bytes, at most %d are allowed", len(appName), authtable.MaxAppNameSize)
	}
	m := &Metadata{appName: appName, env: env}
	for _, info := range infos {
		if err := m.Append(info); err != nil {
			return nil, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.document = m.build()
	return m, nil
}

// Append adds the name of a library that wraps the driver. It adds the same library only once.
func (m *Metadata) Append(info DriverInfo) error {
	if info.Name == "" {
		return errors.New("conn: DriverInfo has no Name: set the name of the library that wraps the driver")
	}
	if strings.Contains(info.Name+info.Version+info.Platform, authtable.MetadataSeparator) {
		return fmt.Errorf("conn: the driver info %q must not contain %q", info.Name, authtable.MetadataSeparator)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, have := range m.infos {
		if have == info {
			return nil
		}
	}
	m.infos = append(m.infos, info)
	m.document = m.build()
	return nil
}

// Document returns the current client document. The document does not change later.
func (m *Metadata) Document() bson.Raw {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.document
}

// build makes the document. It leaves out more and more until the document fits. Handshake, "Limitations", steps 1 to
// 4.
func (m *Metadata) build() bson.Raw {
	driver := m.env.Driver
	for _, info := range m.infos {
		driver.Name += authtable.MetadataSeparator + info.Name
		driver.Version = joinInfo(driver.Version, info.Version)
		driver.Platform = joinInfo(driver.Platform, info.Platform)
	}
	var doc bson.Raw
	for cut := range cutEnv + 1 {
		if doc = m.encode(driver, cut); len(doc) <= authtable.MaxMetadataSize {
			return doc
		}
	}
	excess := len(doc) - authtable.MaxMetadataSize
	if keep := len(driver.Platform) - excess; keep > 0 {
		driver.Platform = truncate(driver.Platform, keep)
		return m.encode(driver, cutEnv)
	}
	driver.Platform = ""
	if doc = m.encode(driver, cutEnv); len(doc) <= authtable.MaxMetadataSize {
		return doc
	}
	return m.encodeShort(driver, len(doc)-authtable.MaxMetadataSize)
}

// encodeShort shortens the texts of wrapping libraries, the only part left that can be arbitrarily long. Otherwise the
// server would refuse the handshake, which is worse.
func (m *Metadata) encodeShort(driver DriverInfo, excess int) bson.Raw {
	version := max(0, len(driver.Version)-excess)
	excess -= len(driver.Version) - version
	driver.Version = truncate(driver.Version, version)
	driver.Name = truncate(driver.Name, max(0, len(driver.Name)-excess))
	return m.encode(driver, cutEnv)
}

func joinInfo(have, add string) string {
	if add == "" {
		return have
	}
	return have + authtable.MetadataSeparator + add
}

// These are the steps of leaving out. Each includes the steps before it.
const (
	cutNothing   = iota
	cutEnvFields // env keeps only its name
	cutOSFields  // os keeps only its type
	cutEnv
)

func (m *Metadata) encode(driver DriverInfo, cut int) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	if m.appName != "" {
		var app int
		dst, app = bson.AppendDocumentElementStart(dst, "application")
		dst = bson.AppendStringElement(dst, "name", m.appName)
		dst = bson.AppendDocumentEnd(dst, app)
	}
	dst, sub := bson.AppendDocumentElementStart(dst, "driver")
	dst = bson.AppendStringElement(dst, "name", driver.Name)
	dst = bson.AppendStringElement(dst, "version", driver.Version)
	dst = bson.AppendDocumentEnd(dst, sub)

	dst, sub = bson.AppendDocumentElementStart(dst, "os")
	dst = bson.AppendStringElement(dst, "type", m.env.OSType)
	if cut < cutOSFields {
		dst = appendNonEmpty(dst, "name", m.env.OSName)
		dst = appendNonEmpty(dst, "architecture", m.env.OSArchitecture)
		dst = appendNonEmpty(dst, "version", m.env.OSVersion)
	}
	dst = bson.AppendDocumentEnd(dst, sub)
	dst = appendNonEmpty(dst, "platform", driver.Platform)
	dst = m.appendEnv(dst, cut)
	return bson.AppendDocumentEnd(dst, start)
}

// appendEnv writes the env document if it has any field.
func (m *Metadata) appendEnv(dst []byte, cut int) []byte {
	e := &m.env
	container := e.Runtime != "" || e.Orchestrator != ""
	if cut >= cutEnv || e.FaaS == "" && (!container || cut >= cutEnvFields) {
		return dst
	}
	dst, env := bson.AppendDocumentElementStart(dst, "env")
	dst = appendNonEmpty(dst, "name", e.FaaS)
	if cut < cutEnvFields {
		if e.TimeoutSec != nil {
			dst = bson.AppendInt32Element(dst, "timeout_sec", *e.TimeoutSec)
		}
		if e.MemoryMB != nil {
			dst = bson.AppendInt32Element(dst, "memory_mb", *e.MemoryMB)
		}
		dst = appendNonEmpty(dst, "region", e.Region)
		if container {
			var sub int
			dst, sub = bson.AppendDocumentElementStart(dst, "container")
			dst = appendNonEmpty(dst, "runtime", e.Runtime)
			dst = appendNonEmpty(dst, "orchestrator", e.Orchestrator)
			dst = bson.AppendDocumentEnd(dst, sub)
		}
	}
	return bson.AppendDocumentEnd(dst, env)
}

func appendNonEmpty(dst []byte, key, value string) []byte {
	if value == "" {
		return dst
	}
	return bson.AppendStringElement(dst, key, value)
}

// truncate cuts s to at most n bytes without splitting a character.
func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
