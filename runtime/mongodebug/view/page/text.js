// Small helpers: elements, numbers and times.
const $ = id => document.getElementById(id);

// el makes an element. Text goes in as text, never as HTML.
function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else e.setAttribute(name, value === true ? "" : value);
  }
  e.append(...children.flat().filter(c => c !== undefined && c !== null && c !== ""));
  return e;
}

function svg(tag, attributes, text) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  if (text) e.append(text);
  return e;
}

// sync makes the children of a parent follow a list: what stays keeps its element, and so the focus.
function sync(parent, list, key, make, update) {
  const have = new Map([...parent.children].map(c => [c.dataset.key, c]));
  let at = parent.firstElementChild;
  for (const item of list) {
    const k = String(key(item));
    let e = have.get(k);
    if (e) have.delete(k);
    else {
      e = make(item);
      e.dataset.key = k;
    }
    update(e, item);
    if (e === at) at = at.nextElementSibling;
    else parent.insertBefore(e, at);
  }
  for (const e of have.values()) e.remove();
}

// fill replaces the content of an element when its text or structure has changed.
function fill(e, ...children) {
  const fresh = el("div", null, ...children);
  if (e.innerHTML !== fresh.innerHTML) e.replaceChildren(...fresh.childNodes);
}

function number(n) {
  if (n >= 1e7) return (n / 1e6).toFixed(0) + " M";
  if (n >= 1e6) return (n / 1e6).toFixed(1) + " M";
  return n >= 1e4 ? Math.round(n).toLocaleString("en").replaceAll(",", "\u202f") : String(n);
}

// span is a duration of milliseconds.
function span(ms) {
  if (ms < 1) return ms.toFixed(2) + " ms";
  if (ms < 10) return ms.toFixed(1) + " ms";
  if (ms < 1000) return ms.toFixed(0) + " ms";
  if (ms < 60000) return (ms / 1000).toFixed(ms < 10000 ? 2 : 1) + " s";
  if (ms < 3600000) return Math.floor(ms / 60000) + " min " + String(Math.floor(ms / 1000) % 60).padStart(2, "0") + " s";
  return Math.floor(ms / 3600000) + " h " + String(Math.floor(ms / 60000) % 60).padStart(2, "0") + " min";
}

// clock is a time of day.
function clock(ms) {
  const t = new Date(ms), two = n => String(n).padStart(2, "0");
  return two(t.getHours()) + ":" + two(t.getMinutes()) + ":" + two(t.getSeconds()) + "." + String(t.getMilliseconds()).padStart(3, "0");
}

const kinds = {RSPrimary: ["primary", "Primary"], RSSecondary: ["secondary", "Secondary"], RSArbiter: ["other", "Arbiter"],
  RSOther: ["other", "Other"], RSGhost: ["other", "Ghost"], Mongos: ["mongos", "Mongos"], Standalone: ["standalone", "Standalone"],
  LoadBalancer: ["loadbalancer", "Load balancer"], PossiblePrimary: ["down", "Unknown"], Unknown: ["down", "Unknown"]};
const kind = type => kinds[type] || ["other", type];
