package view

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
)

//go:embed page
var files embed.FS

// The parts of the page, in order.
var (
	styles  = []string{"base.css", "picture.css", "tables.css"}
	scripts = []string{"text.js", "picture.js", "history.js", "tables.js", "why.js", "actions.js", "live.js"}
)

func joinFiles(names []string) string {
	var b strings.Builder
	for _, name := range names {
		data, err := files.ReadFile("page/" + name)
		if err != nil {
			panic(err) // cannot happen: the file is embedded
		}
		b.Write(data)
	}
	return b.String()
}

// servePage sends the page with its style and its script inside. The policy names their hashes, so nothing else runs.
func (h *Handler) servePage(w http.ResponseWriter) {
	actions := []Action{}
	if actor, ok := h.Source.(Actor); ok {
		actions = actor.Actions()
	}
	buttons, err := json.Marshal(actions) // Marshal escapes <, > and &
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	style := joinFiles(styles) + h.Style
	script := `"use strict";const ACTIONS=` + string(buttons) + ";\n" + joinFiles(scripts) + h.Script
	w.Header().Set("Content-Security-Policy", "default-src 'none'; connect-src 'self'; img-src data:; base-uri 'none'; "+
		"form-action 'none'; frame-ancestors 'none'; style-src '"+hashOf(style)+"'; script-src '"+hashOf(script)+"'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	page := strings.NewReplacer("{{style}}", style, "{{script}}", script).Replace(joinFiles([]string{"index.html"}))
	w.Write([]byte(page))
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
