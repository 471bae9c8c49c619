// Package mongokrb5 implements the mechanism GSSAPI, Kerberos, in pure Go. It is a separate module, so only programs
// that ask for it link a Kerberos library:
//
//	krb, err := mongokrb5.New(mongokrb5.Config{})
//	defer krb.Close()
//	client, err := mongo.Connect(ctx, "mongodb://ada%40EXAMPLE.COM@db.example.com/?authMechanism=GSSAPI",
//		&options.Client{Auth: &options.Credential{Mechanism: krb}})
//
// It reads a krb5.conf, a keytab and a credential cache file. It ignores all other settings of Kerberos libraries. README.md
// is the guide.
package mongokrb5
