package web

import (
	"fmt"
	"net/url"
	"testing"

	"golang.org/x/net/http/httpproxy"
)

// The package that http.ProxyFromEnvironment is made of decides the same.
func TestTheProxyIsTheOneOfPackageHTTP(t *testing.T) {
	addresses := []string{
		"http://example.com/", "https://example.com", "http://www.Example.com:80/a", "https://www.example.com:8443", "http://myexample.com",
		"http://10.1.2.3", "http://10.1.2.3:8080", "http://[2001:db8::1]:80", "http://localhost", "https://127.0.0.5", "http://[::1]:1", "http://LOCALHOST",
	}
	proxies := []string{"", "http://proxy:3128", "proxy:3128", "proxy", "https://user:pass@proxy", "socks5://proxy", "socks5h://proxy:1", "http://proxy:port"}
	exceptions := []string{
		"", "*", "example.com", ".example.com", "*.example.com", "*example.com", "example.com:80", "EXAMPLE.com:8443", "a, example.com ,b", "10.0.0.0/8",
		"10.1.2.3", "10.1.2.3:8080", "2001:db8::/32", "[2001:db8::1]:80", "[2001:db8::1]", ":80", ",", "10.1.2.0/33", "com", ".", "*.",
	}
	for _, address := range addresses {
		for _, proxy := range proxies {
			for _, exception := range exceptions {
				for _, method := range []string{"", "GET"} {
					checkProxy(t, address, proxy, exception, method)
				}
			}
		}
	}
}

func checkProxy(t *testing.T, address, proxy, exceptions, method string) {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil || to.Hostname() == "" || to.Scheme != "http" && to.Scheme != "https" {
		return
	}
	config := httpproxy.Config{HTTPProxy: proxy, HTTPSProxy: proxy, NoProxy: exceptions, CGI: method != ""}
	want, wantErr := config.ProxyFunc()(to)
	got, err := proxyFor(to, func(name string) string {
		return map[string]string{"http_proxy": proxy, "HTTPS_PROXY": proxy, "NO_PROXY": exceptions, "REQUEST_METHOD": method}[name]
	})
	if want != nil && err != nil && got == nil && wantErr == nil {
		return // package http refuses such a proxy when it dials
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || (err != nil) != (wantErr != nil) {
		t.Errorf("%s with the proxy %q but for %q: got %v, %v; want %v, %v", address, proxy, exceptions, got, err, want, wantErr)
	}
}

func FuzzProxyFor(f *testing.F) {
	f.Add("http://example.com", "http://proxy:3128", "example.org:80, 10.0.0.0/8", "")
	f.Fuzz(func(t *testing.T, address, proxy, exceptions, method string) {
		for _, text := range []string{address, proxy, exceptions} {
			for i := range len(text) {
				if text[i] >= 0x80 {
					return // host names are not translated from Unicode
				}
			}
		}
		checkProxy(t, address, proxy, exceptions, method)
	})
}
