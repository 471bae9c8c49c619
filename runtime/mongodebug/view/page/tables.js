// The tables of operations. A row keeps its element while its operation stays, so that the focus stays too.
function table(id, columns, list, empty, key) {
  const t = $(id);
  if (!t.tHead) {
    t.append(el("thead", {role: "rowgroup"}, el("tr", {role: "row"}, ...columns.map(c => el("th", {role: "columnheader", scope: "col", class: c.class}, c.head)))),
      el("tbody", {role: "rowgroup"}));
  }
  t.hidden = !list.length;
  let none = t.nextElementSibling;
  if (!none) t.after(none = el("p", {class: "empty"}, empty));
  none.hidden = list.length > 0;
  sync(t.tBodies[0], list, key || (o => o.id), () => el("tr", {role: "row"}, ...columns.map(c => el("td", {role: "cell", class: c.class}))),
    (row, o) => {
      row.className = o.rowClass || "";
      columns.forEach((c, i) => fillCell(row.children[i], c.cell(o)));
    });
}

// fillCell leaves a cell alone whose content is the same: a button in it may have the focus.
function fillCell(td, content) {
  const list = [].concat(content).filter(c => c !== undefined && c !== null && c !== "");
  const print = list.map(c => c.outerHTML || String(c)).join("\u0000");
  if (td.dataset.print === print) return;
  td.dataset.print = print;
  td.replaceChildren(...list);
}

const shape = o => o.shape ? el("span", {class: "more mono"}, o.shape) : null;
const whyButton = o => o.why ? el("button", {type: "button", "data-why": o.id, "aria-label": `Why did ${o.name} go to ${o.server}?`}, "why?") : null;

function drawRunning(list, about) {
  const sorted = [...list].sort((a, b) => b.for - a.for).map(o => ({...o, rowClass: o.for > 1000 ? "slow" : ""}));
  $("running-panel").classList.toggle("quiet", !list.length); // one line then
  $("running-sub").textContent = list.length ? number(list.length) + (list.length === 1 ? " operation" : " operations") + ", the oldest first" : "nothing is under way";
  const columns = [
    {head: "Age", class: "num", cell: o => span(o.for)},
    {head: "Operation", class: "name", cell: o => o.name},
    {head: "Namespace", class: "ns", cell: o => o.namespace || ""},
    {head: "Server", class: "server", cell: o => o.server || el("span", {class: "outcome"}, "none yet")},
  ];
  if (about.kind === "client") columns.push({head: "", class: "plain", cell: o => o.try > 1 ? el("span", {class: "outcome"}, "try " + o.try) : ""});
  else columns.push({head: "From", class: "plain", cell: o => o.from || ""});
  table("running", columns, sorted.slice(0, 200), "Nothing is under way.");
}

function drawSlowest(list) {
  table("slowest", [
    {head: "Took", class: "num", cell: o => span(o.for)},
    {head: "Command", class: "name", cell: o => o.name},
    {head: "What", class: "ns wide", cell: o => [o.namespace || "", shape(o)]},
    {head: "Server", class: "server", cell: o => [o.server || "", o.from ? el("span", {class: "more"}, "for " + o.from) : null]},
    {head: "When", class: "when", cell: o => [clock(o.at).slice(0, 8), o.outcome ? el("span", {class: "outcome"}, " " + o.outcome) : null]},
    {head: "", class: "plain", cell: whyButton},
  ], list, "No command has ended in the last five minutes.");
}

function drawProblems(list, about) {
  $("problems-sub").textContent = list.length ? "the last " + list.length + (about.values ? "" : "; values and servers' texts are not shown") : "";
  table("problems", [
    {head: "When", class: "num when", cell: o => clock(o.at)},
    {head: "Command", class: "name", cell: o => o.name},
    {head: "What", class: "ns wide", cell: o => [o.namespace || "", shape(o)]},
    {head: "Server", class: "server", cell: o => [o.server || "", o.from ? el("span", {class: "more"}, "for " + o.from) : null]},
    {head: "Error", class: "wide", cell: o => [el("span", {class: "outcome"}, o.outcome), o.kind === "server" || o.kind === o.outcome ? null : " (" + o.kind + ")",
      o.labels && o.labels.length ? el("span", {class: "chips"}, ...o.labels.map(l => el("span", null, l))) : null,
      o.text ? el("span", {class: "more"}, o.text) : null]},
    {head: "Then", class: "wide", cell: o => o.then ? el("span", {class: "then" + (o.then.includes("failed") || o.then.includes("no ") || o.then.includes("reported") ? " bad" : "")}, o.then) : ""},
    {head: "", class: "plain", cell: whyButton},
  ], list, "Nothing has gone wrong.");
}

function drawClients(list, servers) {
  $("clients-panel").hidden = !list;
  if (!list) return;
  table("clients", [
    {head: "Client", class: "name", cell: c => c.name || "(no name)"},
    {head: "Driver", class: "plain", cell: c => c.driver},
    {head: "Connections", class: "wide", cell: c => c.connections.map((n, i) => el("span", {class: "more"},
      el("code", null, (servers[i] || {}).address || ""), " " + n)).filter((_, i) => c.connections[i])},
    {head: "Running", class: "num plain", cell: c => c.running ? c.running + " running" : ""},
  ], list, "Nobody is connected.", c => c.name + c.driver);
}

function drawCounts(counts) {
  sync($("counts"), counts, c => c.name, c => el("div", {title: c.hint}, el("dt", null, c.name), el("dd")), (e, c) => {
    e.lastChild.textContent = number(c.value);
    e.className = c.value === 0 ? "zero" : (c.kind || "").startsWith("bad") ? "alert" : "";
  });
}
