// The topology as a picture: the hub, the servers with their pools, and a line to each.
function badge(server) {
  if (server.stopped) return el("span", {class: "badge down"}, "Stopped");
  const [name, text] = kind(server.type);
  return el("span", {class: "badge " + name}, text);
}

const mostCells = 48;

// drawPool shows each connection as a cell, and a bar when there are many.
function drawPool(p) {
  const open = p.inUse + p.idle + p.establishing;
  const words = [p.inUse + " in use", p.idle + " idle"];
  if (p.establishing) words.push(p.establishing + " connecting");
  if (p.forCursors) words.push(p.forCursors + " for cursors");
  if (p.forTransactions) words.push(p.forTransactions + " in transactions");
  if (p.max) words.push("of " + p.max);
  let shape;
  if (open > mostCells) {
    shape = el("span", {class: "bar", "aria-hidden": "true"});
    for (const [name, n] of [["use", p.inUse], ["idle", p.idle], ["making", p.establishing]]) {
      const part = el("i", {class: name});
      part.style.width = 100 * n / Math.max(p.max, open) + "%";
      shape.append(part);
    }
  } else {
    const cell = (n, name) => Array.from({length: n}, () => el("i", {class: name}));
    shape = el("span", {class: "cells", "aria-hidden": "true"}, ...cell(p.inUse, "use"), ...cell(p.idle, "idle"),
      ...cell(p.establishing, "making"), ...(open ? [] : cell(1, "none")));
  }
  const waiting = p.waiting ? el("span", {class: "waiting"}, p.waiting + " waiting" + (p.oldestWait ? ", " + span(p.oldestWait) : "")) : null;
  const queue = p.waiting ? el("span", {class: "cells", "aria-hidden": "true"},
    ...Array.from({length: Math.min(p.waiting, 24)}, () => el("i", {class: "wait"}))) : null;
  return el("div", {class: "pool"}, shape, queue, waiting, el("span", {class: "words"}, words.join(" · ")),
    p.ready ? null : el("span", {class: "badge down"}, "paused"));
}

function drawServer(s, about) {
  const parts = [];
  const rtt = s.rtt ? span(s.rtt) : "";
  parts.push(el("div", {class: "top"}, badge(s), el("span", {class: "address"}, s.address),
    ...(s.faults || []).map(f => el("span", {class: "badge fault"}, f)),
    Object.keys(s.tags || {}).length ? el("span", {class: "chips"}, ...Object.entries(s.tags).map(([k, v]) => el("span", null, k + "=" + v))) : null,
    el("span", {class: "rtt"}, s.operations ? el("b", null, s.operations + " running ") : null, rtt)));
  if (s.pool) parts.push(drawPool(s.pool));
  if (s.error) parts.push(el("p", {class: "trouble"}, s.error));
  else if (s.lastError && Date.now() - s.lastErrorAt < 600000 && about.kind === "client") {
    parts.push(el("p", {class: "past"}, "last error at " + clock(s.lastErrorAt) + ": " + s.lastError));
  }
  return parts;
}

function drawTopology(state) {
  const {topology, about} = state;
  const since = topology.since ? ", since " + clock(topology.since).slice(0, 8) : "";
  fill($("topology-type"), topology.type + (topology.setName ? " " + topology.setName : "") + since);
  fill($("hub"), el("span", null, about.kind === "client" ? about.title || "client" : "clients",
    el("small", null, about.kind === "client" ? "this client" : (state.clients || []).length + " connected")));
  sync($("servers"), topology.servers, s => s.address,
    () => el("li", null, el("div", {class: "body"}), el("div", {class: "actions", hidden: true})),
    (e, s) => {
      const down = s.stopped || kind(s.type)[0] === "down";
      e.className = "node " + (down ? "down" : kind(s.type)[0]);
      fill(e.firstChild, ...drawServer(s, about));
      drawServerActions(e.lastChild, s);
    });
  if (!topology.servers.length) fill($("servers"), el("li", {class: "empty"}, "No server is known."));
  const mark = (name, text) => el("span", null, el("span", {class: "cells"}, el("i", {class: name})), text);
  fill($("legend"), mark("use", about.kind === "client" ? "connection in use" : "connection with a command"), mark("idle", "idle"),
    mark("making", "connecting"), mark("wait", "operation that waits for one"));
  drawLinks(state);
}

// drawLinks draws a line from the hub to each server: a curve beside it, an elbow below it.
function drawLinks(state) {
  const box = $("picture").getBoundingClientRect(), hub = $("hub").getBoundingClientRect();
  const lines = [];
  state.topology.servers.forEach((s, i) => {
    const li = $("servers").children[i];
    if (!li) return;
    const r = li.getBoundingClientRect(), y = r.top - box.top + Math.min(r.height / 2, 40), x = r.left - box.left;
    let d;
    if (r.left > hub.right) {
      const x0 = hub.right - box.left, y0 = hub.top - box.top + hub.height / 2, mid = (x0 + x) / 2;
      d = `M${x0} ${y0}C${mid} ${y0} ${mid} ${y} ${x} ${y}`;
    } else {
      d = `M${10} ${hub.bottom - box.top}V${y - 6}Q10 ${y} 16 ${y}H${x}`;
    }
    const down = s.stopped || kind(s.type)[0] === "down" || (s.faults || []).includes("partitioned");
    const line = svg("path", {d, class: down ? "down" : s.operations ? "busy" : ""});
    if (s.operations && !down) line.style.strokeWidth = Math.min(1.5 + s.operations / 2, 7);
    lines.push(line);
  });
  $("links").replaceChildren(...lines);
}
