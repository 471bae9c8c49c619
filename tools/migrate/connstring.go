package main

import (
	"go/ast"
	"go/types"
	"strings"
)

// connectionFields are the fields of version 1's connstring.ConnString that are fields of options.Client in Onion, with
// their names there. A field that the connection string does not set is the zero value there and nil here.
var connectionFields = map[string]string{
	"AppName": "AppName", "Compressors": "Compressors", "ConnectTimeout": "ConnectTimeout",
	"DirectConnection": "DirectConnection", "HeartbeatInterval": "HeartbeatFrequency", "LoadBalanced": "LoadBalanced",
	"LocalThreshold": "LocalThreshold", "MaxConnIdleTime": "MaxIdleTime", "MaxPoolSize": "MaxPoolSize",
	"MinPoolSize": "MinPoolSize", "MaxConnecting": "MaxConnecting", "RetryWrites": "RetryWrites", "RetryReads": "RetryReads",
	"ReplicaSet": "ReplicaSet", "ServerSelectionTimeout": "ServerSelectionTimeout", "SocketTimeout": "SocketTimeout",
	"Timeout": "Timeout", "SSLCaFile": "TLSCAFile", "SSLInsecure": "TLSInsecure",
}

// rewriteConnectionField rewrites a read of one field of a connection string. It reports whether there is a counterpart.
func (f *file) rewriteConnectionField(n *ast.SelectorExpr, o types.Object) bool {
	if _, isField := o.(*types.Var); !isField || f.isAssigned(n) {
		return false
	}
	value, name := f.text(n.X), n.Sel.Name
	switch name {
	case "Username", "Password":
		f.replace(n, f.useHelper("valueOrZero")+"("+f.useHelper("valueOrZero")+"("+value+".Options.Auth)."+name+")")
		return true
	case "UsernameSet", "PasswordSet":
		field := strings.TrimSuffix(name, "Set")
		f.replace(n, "("+f.useHelper("valueOrZero")+"("+value+".Options.Auth)."+field+" != nil)")
		return true
	}
	if stem, ok := strings.CutSuffix(name, "Set"); ok && connectionFields[stem] != "" {
		f.replace(n, "("+value+".Options."+connectionFields[stem]+" != nil)")
		return true
	}
	field := connectionFields[name]
	pointed, isPointer := strings.CutPrefix(api["options.Client."+field], "field *")
	switch official := typeText(o.Type()); {
	case field == "":
		return false
	case !isPointer:
		f.replace(n, value+".Options."+field)
	case pointed == official:
		f.replace(n, f.useHelper("valueOrZero")+"("+value+".Options."+field+")")
	default:
		f.replace(n, official+"("+f.useHelper("valueOrZero")+"("+value+".Options."+field+"))")
	}
	return true
}

// rewriteGetURI rewrites GetURI.
func (f *file) rewriteGetURI(n *ast.CallExpr) {
	options := f.text(n.Fun.(*ast.SelectorExpr).X)
	if strings.HasPrefix(options, "&") {
		options = "(" + options + ")"
	}
	f.replace(n, f.useHelper("valueOrZero")+"("+options+".ConnectionString)")
}
