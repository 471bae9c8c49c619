package auth

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// AWSHeader is one header of a request that is signed, its name in lower case.
type AWSHeader struct{ Name, Value string }

// AWSRequest is an HTTP request to sign. Its path and query may hold any bytes, encoded or not.
type AWSRequest struct {
	Method, Path, Query string
	Headers             []AWSHeader // in any order; a name may come several times
	Body                string
}

// Canonical returns the canonical form of the request, which is signed, and the list of the signed headers.
//
// Signature Version 4, "Create a canonical request".
func (r *AWSRequest) Canonical() (text, signed string) {
	var headers strings.Builder
	var names []string
	list := slices.Clone(r.Headers)
	for i := range list {
		list[i].Name = strings.ToLower(list[i].Name)
	}
	slices.SortStableFunc(list, func(a, b AWSHeader) int { return cmp.Compare(a.Name, b.Name) })
	for i, h := range list {
		value := strings.Join(strings.FieldsFunc(h.Value, func(r rune) bool { return r == ' ' || r == '\t' }), " ")
		if i > 0 && list[i-1].Name == h.Name {
			headers.WriteString("," + value)
			continue
		}
		if i > 0 {
			headers.WriteByte('\n')
		}
		headers.WriteString(h.Name + ":" + value)
		names = append(names, h.Name)
	}
	signed = strings.Join(names, ";")
	return strings.Join([]string{
		r.Method, canonicalPath(r.Path), canonicalQuery(r.Query), headers.String(), "", signed, hexDigest(r.Body),
	}, "\n"), signed
}

// canonicalPath removes empty and relative segments and encodes the path once more, as every service except S3
// requires.
func canonicalPath(path string) string {
	var kept []string
	segments := strings.Split(path, "/")
	for _, s := range segments {
		switch s {
		case "", ".":
		case "..":
			kept = kept[:max(0, len(kept)-1)]
		default:
			kept = append(kept, percentEncode(s))
		}
	}
	if len(kept) == 0 {
		return "/"
	}
	out := "/" + strings.Join(kept, "/")
	if last := segments[len(segments)-1]; last == "" || last == "." || last == ".." {
		out += "/"
	}
	return out
}

// canonicalQuery orders the parameters by their encoded names, then by their values. A parameter without a value gets
// an empty value.
func canonicalQuery(query string) string {
	var list []string
	type parameter struct{ name, value string }
	var parameters []parameter
	for part := range strings.SplitSeq(query, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		parameters = append(parameters, parameter{percentEncode(percentDecode(name)), percentEncode(percentDecode(value))})
	}
	slices.SortStableFunc(parameters, func(a, b parameter) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.value, b.value))
	})
	for _, p := range parameters {
		list = append(list, p.name+"="+p.value)
	}
	return strings.Join(list, "&")
}

const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

// percentEncode encodes every byte that is not unreserved.
func percentEncode(s string) string {
	const digits = "0123456789ABCDEF"
	var out strings.Builder
	for i := range len(s) {
		if c := s[i]; strings.IndexByte(unreserved, c) >= 0 {
			out.WriteByte(c)
		} else {
			out.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return out.String()
}

// percentDecode decodes percent-encoded bytes and keeps all others.
func percentDecode(s string) string {
	var out []byte
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if b, err := hex.DecodeString(s[i+1 : i+3]); err == nil {
				out = append(out, b...)
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}

func hexDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
