package main

import (
	"go/ast"
	"go/token"
	"strings"
)

// Client-side encryption: the ID of a data key is a bson.UUID here and a bson.Binary of its bytes in the official driver.

const keyIDSource = `
// keyID converts the ID of a data key, which the official driver keeps in a bson.Binary.
func keyID(id bson.Binary) (key bson.UUID) {
	copy(key[:], id.Data)
	return key
}
`

const createDataKeySource = `
// createDataKey makes a data key and returns its ID as the official driver does, in a bson.Binary.
func createDataKey(e *mongo.ClientEncryption, ctx context.Context, provider string, opts ...*options.DataKey) (bson.Binary, error) {
	id, err := e.CreateDataKey(ctx, provider, opts...)
	if err != nil {
		return bson.Binary{}, err
	}
	return bson.Binary{Subtype: bsontype.BinaryUUID, Data: id[:]}, nil
}
`

const encryptIntoSource = `
// encryptInto encrypts an expression and decodes it into result.
func encryptInto(e *mongo.ClientEncryption, ctx context.Context, expression, result any, opts ...*options.Encrypt) error {
	encrypted, err := e.EncryptExpression(ctx, expression, opts...)
	if err != nil {
		return err
	}
	return bson.Unmarshal(encrypted, result)
}
`

const createEncryptedCollectionSource = `
// createEncryptedCollection makes an encrypted collection, and returns its encrypted fields as the official driver does.
func createEncryptedCollection(e *mongo.ClientEncryption, ctx context.Context, db *mongo.Database, name string,
	opts *options.CreateCollection, provider string, masterKey any,
) (*mongo.Collection, bson.M, error) {
	made, encrypted, failed := e.CreateEncryptedCollection(ctx, db, name, provider, masterKey, opts)
	var fields bson.M
	if len(encrypted) > 0 {
		if err := bson.Unmarshal(encrypted, &fields, &bson.UnmarshalOptions{DefaultDocument: bson.DocumentM}); err != nil && failed == nil {
			failed = err
		}
	}
	return made, fields, failed
}
`

const autoEncryptionOfSource = `
// autoEncryptionOf returns the options of automatic encryption, nil if they are not set.
func autoEncryptionOf(e options.AutoEncrypter) *mongo.AutoEncryption {
	auto, _ := e.(*mongo.AutoEncryption)
	return auto
}
`

// ruleForEncryption rewrites a call of a ClientEncryption's method as one of a helper.
func ruleForEncryption(name string) func(*file, *ast.CallExpr) {
	return func(f *file, n *ast.CallExpr) {
		s, ok := n.Fun.(*ast.SelectorExpr)
		if !ok || f.pkg.TypesInfo.Selections[s] == nil {
			return
		}
		f.unreportIn(s)
		args := append([]string{f.receiver(s)}, f.argumentTexts(n)...)
		f.replace(n, f.useHelper(name)+"("+strings.Join(args, ", ")+")")
	}
}

// rewriteEncryptedCollection gives CreateEncryptedCollection its arguments in the order that it has here. The encrypted fields that it
// returns are encoded here: where a program looks at them, a helper decodes them.
func (f *file) rewriteEncryptedCollection(n *ast.CallExpr) {
	assign, ok := f.parents[n].(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 3 || !isBlank(assign.Lhs[1]) || len(n.Args) != 6 {
		ruleForEncryption("createEncryptedCollection")(f, n)
		return
	}
	f.unreportIn(n.Fun)
	args := f.argumentTexts(n)
	args = append(append(args[:3:3], args[4:]...), args[3])
	f.replace(n, f.text(n.Fun)+"("+strings.Join(args, ", ")+")")
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// readAutoEncryption writes a read of a client's AutoEncryptionOptions: here the field is an interface, which keeps programs that do
// not encrypt free of the code for it.
func (f *file) readAutoEncryption(n *ast.SelectorExpr, text string) {
	if b, ok := f.parents[n].(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
		f.replace(n, text)
		return
	}
	f.replace(n, f.useHelper("autoEncryptionOf")+"("+text+")")
}
