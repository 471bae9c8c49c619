package view

import (
	"html"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// refusal says why a request gets nothing; empty when it gets an answer.
func (h *Handler) refusal(r *http.Request) string {
	if h.Remote {
		return ""
	}
	if !isLoopback(r.RemoteAddr) {
		return "This page is only for the machine that the program runs on, and the request comes from another one."
	}
	// A page of somebody else can make a browser ask for its own host name, which then resolves to 127.0.0.1.
	if !isLoopback(r.Host) {
		return "This page is only for the machine that the program runs on, and the request names another host."
	}
	// A proxy on this machine asks for people on others.
	for _, name := range [...]string{"X-Forwarded-For", "Forwarded", "X-Real-Ip", "Via"} {
		if r.Header.Get(name) != "" {
			return "This page is only for the machine that the program runs on, and the request came through a proxy."
		}
	}
	return ""
}

// isLoopback reports whether an address or a host name, with or without a port, is this machine.
func isLoopback(address string) bool {
	host := address
	if h, _, err := net.SplitHostPort(address); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

const refusalPage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Only from this machine</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<body><h1>Only from this machine</h1>
<p>{why}</p>
<p>It shows addresses, names of collections and errors. Two ways to see it from elsewhere:</p>
<ul><li>a tunnel: <code>ssh -L 6060:localhost:6060 HOST</code>, then <code>http://localhost:6060/</code> and the same path</li>
<li><code>mongodebug.Page{AllowRemote: true}</code>, behind a handler of your own that asks who is there</li></ul></body></html>
`

// refuse answers with the way out.
func refuse(w http.ResponseWriter, r *http.Request, why string) {
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusForbidden)
		w.Write([]byte(strings.Replace(refusalPage, "{why}", html.EscapeString(why), 1)))
		return
	}
	http.Error(w, why+" Use a tunnel (ssh -L 6060:localhost:6060 HOST), or set AllowRemote behind a handler that asks who is there.",
		http.StatusForbidden)
}

// checkSameSite says why a request that changes something is not one of the page's own; empty when it is.
func checkSameSite(r *http.Request) string {
	if r.Method != http.MethodPost {
		return "an action is a POST"
	}
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		return err.Error()
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return "an action is sent as application/json" // which another site's form cannot
	}
	return ""
}
