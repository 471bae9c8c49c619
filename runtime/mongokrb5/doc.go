// Package mongokrb5 is the mechanism GSSAPI, Kerberos, in pure Go. It is a module of its own, so that only programs that
// ask for it carry a Kerberos library:
//
//	krb, err := mongokrb5.New(mongokrb5.Config{})
//	defer krb.Close()
//	client, err := mongo.Connect(ctx, "mongodb://ada%40EXAMPLE.COM@db.example.com/?authMechanism=GSSAPI",
//		&options.Client{Auth: &options.Credential{Mechanism: krb}})
//
// It does not read settings of other Kerberos libraries beyond krb5.conf, a keytab and a credential cache in a file.
package mongokrb5
