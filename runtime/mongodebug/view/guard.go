package view

import (
	"html"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// whyRefused returns why a request is refused, or "" if it is not.
func (h *Handler) whyRefused(r *http.Request) string {
	if h.Remote {
		return ""
	}
	if !isLoopback(r.RemoteAddr) {
		return "This page is only for the machine that the program runs on, and the request comes from another one."
	}
	// DNS rebinding: another site can make a browser ask for the site's own host name, which then resolves to
	// 127.0.0.1.
	if !isLoopback(r.Host) {
		return "This page is only for the machine that the program runs on, and the request names another host."
	}
	// A proxy on this machine forwards requests from other machines.
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
<li><code>mongodebug.Page{AllowRemote: true}</code>, behind a handler of your own that authenticates the caller</li></ul></body></html>
`

// refuse answers a refused request, and says how to get access.
func refuse(w http.ResponseWriter, r *http.Request, why string) {
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusForbidden)
		w.Write([]byte(strings.Replace(refusalPage, "{why}", html.EscapeString(why), 1)))
		return
	}
	http.Error(w, why+" Use a tunnel (ssh -L 6060:localhost:6060 HOST), or set AllowRemote behind a handler that authenticates the caller.",
		http.StatusForbidden)
}

// checkSameSite returns why a request for a change did not come from the page itself, or "" if it did.
func checkSameSite(r *http.Request) string {
	if r.Method != http.MethodPost {
		return "an action must be a POST"
	}
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		return err.Error()
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return "an action must be sent as application/json" // another site's form cannot send this type
	}
	return ""
}
