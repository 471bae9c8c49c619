package chromium

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"testing"
)

// Look says how a page is displayed.
type Look struct {
	Width, Height int
	Dark, Still   bool // prefers-color-scheme: dark, prefers-reduced-motion: reduce
	Zoom          float64
}

// Tab is a page.
type Tab struct {
	t       testing.TB
	b       *Browser
	session string
}

// Open opens a page and waits until it is loaded.
func (b *Browser) Open(t testing.TB, url string, look Look) *Tab {
	t.Helper()
	tab := &Tab{t: t, b: b}
	var target struct{ TargetID string }
	tab.must("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	tab.must("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	tab.session = attached.SessionID
	tab.must("Page.enable", nil, nil)
	tab.Look(look)
	tab.must("Page.navigate", map[string]any{"url": url}, nil)
	tab.Wait(`document.readyState === "complete" && location.href !== "about:blank"`)
	return tab
}

// Look changes how the page is displayed.
func (tab *Tab) Look(look Look) {
	tab.t.Helper()
	zoom := look.Zoom
	if zoom == 0 {
		zoom = 1
	}
	tab.must("Emulation.setDeviceMetricsOverride", map[string]any{
		"width": look.Width, "height": look.Height, "deviceScaleFactor": zoom, "mobile": look.Width < 600,
	}, nil)
	feature := func(name, value string) map[string]string { return map[string]string{"name": name, "value": value} }
	scheme, motion := "light", "no-preference"
	if look.Dark {
		scheme = "dark"
	}
	if look.Still {
		motion = "reduce"
	}
	tab.must("Emulation.setEmulatedMedia", map[string]any{
		"features": []any{feature("prefers-color-scheme", scheme), feature("prefers-reduced-motion", motion)},
	}, nil)
}

// Eval runs an expression, waits for its promise, and stores its value.
func (tab *Tab) Eval(expression string, into any) {
	tab.t.Helper()
	var result struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	tab.must("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &result)
	if e := result.ExceptionDetails; e != nil {
		tab.t.Fatalf("%s: %s %s", expression, e.Text, e.Exception.Description)
	}
	if into != nil && len(result.Result.Value) > 0 {
		if err := json.Unmarshal(result.Result.Value, into); err != nil {
			tab.t.Fatalf("%s: %v in %s", expression, err, result.Result.Value)
		}
	}
}

// Wait waits until an expression is true. After ten seconds it fails the test, with the text of the page.
func (tab *Tab) Wait(expression string) {
	tab.t.Helper()
	var ok bool
	tab.Eval(fmt.Sprintf(`new Promise(done => {
		const end = Date.now() + 10000;
		const look = () => {
			let ok = false;
			try { ok = Boolean(%s); } catch (e) {}
			if (ok || Date.now() > end) done(ok); else setTimeout(look, 25);
		};
		look();
	})`, expression), &ok)
	if !ok {
		var text string
		tab.Eval(`document.body ? document.body.innerText : ""`, &text)
		tab.t.Fatalf("it never was that %s; the page says:\n%s", expression, text)
	}
}

// Screenshot returns the whole page as a PNG.
func (tab *Tab) Screenshot() []byte {
	tab.t.Helper()
	var shot struct{ Data string }
	tab.must("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true}, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		tab.t.Fatal(err)
	}
	return data
}

// Press presses a key, such as Tab.
func (tab *Tab) Press(key, code, text string) {
	tab.t.Helper()
	virtual := map[string]int{"Tab": 9, "Enter": 13, " ": 32}[key]
	for _, kind := range []string{"keyDown", "keyUp"} {
		parameters := map[string]any{"type": kind, "key": key, "code": code, "windowsVirtualKeyCode": virtual}
		if kind == "keyDown" && text != "" {
			parameters["text"] = text
		}
		tab.must("Input.dispatchKeyEvent", parameters, nil)
	}
}

func (tab *Tab) must(method string, parameters, into any) {
	tab.t.Helper()
	data, err := tab.b.call(tab.session, method, parameters)
	if err == nil && into != nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		tab.t.Fatal(err)
	}
}
