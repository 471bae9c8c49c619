package server

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// The maximum lengths of client metadata, in bytes.
const (
	maxAppName        = 128
	maxMetadata       = 1024
	maxMetadataRouter = 512
)

// noteClient checks the client's metadata and stores the application name for fail points. Only the first hello of a
// connection may carry metadata.
func (r *request) noteClient() error {
	value := r.Body.Lookup("client")
	if value.IsZero() {
		return nil
	}
	if r.conn.greeted {
		return status.Errorf(errcode.ClientMetadataCannotBeMutated, "The client metadata document may only be sent in the first hello")
	}
	client, ok := value.DocumentOK()
	if !ok {
		return status.Errorf(errcode.TypeMismatch, "The client metadata document must be a document")
	}
	if err := r.checkMetadata(client); err != nil {
		return err
	}
	r.noteApplication()
	r.noteDriver(client)
	return nil
}

// noteDriver stores the name and the version of the driver.
func (r *request) noteDriver(client bson.Raw) {
	name, _ := client.Lookup("driver", "name").StringOK()
	version, _ := client.Lookup("driver", "version").StringOK()
	r.conn.mu.Lock()
	defer r.conn.mu.Unlock()
	r.conn.driver = name + " " + version
}

// noteApplication stores the name of the application.
func (r *request) noteApplication() {
	name, ok := r.Body.Lookup("client", "application", "name").StringOK()
	if !ok || r.conn.greeted {
		return
	}
	r.conn.mu.Lock()
	defer r.conn.mu.Unlock()
	r.conn.appName = name
}

// mongodb-handshake, "Limitations": a server refuses metadata that is too long or incomplete.
func (r *request) checkMetadata(client bson.Raw) error {
	limit := maxMetadata
	if r.cluster.IsRouter() {
		limit = maxMetadataRouter
	}
	if len(client) > limit {
		return status.Errorf(errcode.ClientMetadataDocumentTooLarge,
			"The client metadata document must be less then or equal to %d bytes", limit)
	}
	for _, field := range [...]struct {
		document, name string
		optional       bool
	}{{"application", "name", true}, {"driver", "name", false}, {"driver", "version", false}, {"os", "type", false}} {
		if err := checkMetadataField(client, field.document, field.name, field.optional); err != nil {
			return err
		}
	}
	if name, _ := client.Lookup("application", "name").StringOK(); len(name) > maxAppName {
		return status.Errorf(errcode.ClientMetadataAppNameTooLarge,
			"The 'application.name' field must be less then or equal to %d bytes in the client metadata document", maxAppName)
	}
	return nil
}

func checkMetadataField(client bson.Raw, document, name string, optional bool) error {
	outer, value := client.Lookup(document), client.Lookup(document, name)
	switch {
	case outer.IsZero() && optional, value.IsZero() && optional && outer.Type == bsontype.EmbeddedDocument:
		return nil
	case outer.IsZero():
		return status.Errorf(errcode.ClientMetadataMissingField,
			"Missing required sub-document '%s' in the client metadata document", document)
	case outer.Type != bsontype.EmbeddedDocument:
		return status.Errorf(errcode.TypeMismatch,
			"The '%s' field is required to be a BSON document in the client metadata document", document)
	case value.IsZero():
		return status.Errorf(errcode.ClientMetadataMissingField,
			"Missing required field '%s.%s' in the client metadata document", document, name)
	case value.Type != bsontype.String:
		return status.Errorf(errcode.TypeMismatch, "The '%s.%s' field must be a string in the client metadata document", document, name)
	}
	return nil
}
