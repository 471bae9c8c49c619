// Why a server is chosen: each server's way through the stages, and the latency window.
const stages = [["type", "type"], ["staleness", "staleness"], ["tag sets", "tags"], ["deprioritized", "retry"], ["custom", "selector"], ["latency", "latency"]];
let question = null;

async function explain(parameters, focus) {
  question = parameters;
  let answer;
  try {
    const response = await fetch("why?" + new URLSearchParams(parameters));
    answer = await response.json();
  } catch (e) {
    answer = {error: "the program does not answer"};
  }
  drawDecision(answer);
  if (focus) {
    $("why-title").focus({preventScroll: true});
    $("why-panel").scrollIntoView({block: "nearest"});
  }
}

let decision = null;
function drawDecision(d) {
  decision = d;
  if (!d.verdicts) return fill($("why"), el("p", {class: "outcome"}, d.error));
  const inside = d.verdicts.filter(v => v.out === "window");
  const end = d.chosen ? [" was sent to ", el("code", null, d.chosen), " at " + clock(d.at) + "."] :
    !inside.length ? [" finds no server now."] :
    inside.length === 1 ? [" goes to ", el("code", null, inside[0].address), "."] :
    [" draws two of the " + inside.length + " servers in the window, and takes the one with fewer operations."];
  const rows = d.verdicts.map(v => el("tr", {role: "row", class: v.address === d.chosen ? "chosen" : null},
    el("td", {role: "cell", class: "server"}, v.address),
    el("td", {role: "cell", class: "plain"}, el("span", {class: "badge " + kind(v.type)[0]}, kind(v.type)[1])),
    el("td", {role: "cell", class: "num plain"}, v.rtt ? span(v.rtt) : ""),
    el("td", {role: "cell", class: "num plain"}, v.operations === undefined ? "" : v.operations + " running"),
    el("td", {role: "cell"}, track(v)),
    el("td", {role: "cell"}, v.reason || (v.address === d.chosen ? "chosen" : "may be chosen"))));
  const head = ["Server", "Type", "Round trip", "Load", "Stages", "Verdict"];
  fill($("why"), el("p", {class: "wants"}, el("b", null, d.wants[0].toUpperCase() + d.wants.slice(1)), " in a topology of type " + d.topology, ...end),
    d.error ? el("p", {class: "outcome"}, d.error) : null,
    el("table", {role: "table"}, el("thead", {role: "rowgroup"}, el("tr", {role: "row"},
      ...head.map(h => el("th", {role: "columnheader", scope: "col"}, h)))), el("tbody", {role: "rowgroup"}, ...rows)));
  const picture = windowPicture(d);
  if (picture) $("why").firstChild.after(picture);
}

// track is the stages that a server has passed, and the one in which it dropped out.
function track(v) {
  let out = false;
  const parts = stages.map(([name, text]) => {
    if (out) return el("i", {class: "never", "aria-hidden": "true"}, text);
    out = name === v.out;
    return el("i", {class: out ? "out" : "pass"}, (out ? "✗ " : "✓ ") + text);
  });
  if (v.out === "window") parts.push(el("i", {class: "in"}, "✓ window"));
  return el("span", {class: "track"}, ...parts);
}

// windowPicture shows the round trips of the suitable servers on a line, and the window.
function windowPicture(d) {
  const suitable = d.verdicts.filter(v => v.out === "window" || v.out === "latency");
  if (suitable.length < 2) return null;
  const width = Math.max(280, $("why").clientWidth), most = Math.max(d.shortest + d.threshold, ...suitable.map(v => v.rtt)) * 1.08;
  const x = ms => 10 + (width - 20) * ms / most;
  const picture = svg("svg", {class: "window", width, height: 54, role: "img", "aria-label":
    `The latency window goes from ${span(d.shortest)} to ${span(d.shortest + d.threshold)}`});
  picture.append(svg("rect", {class: "zone", x: x(d.shortest), y: 8, width: x(d.shortest + d.threshold) - x(d.shortest), height: 24, rx: 4}),
    svg("line", {x1: 10, x2: width - 10, y1: 20, y2: 20}));
  for (const v of suitable) {
    const dot = svg("circle", {cx: x(v.rtt), cy: 20, r: 6, class: v.out === "window" ? "in" : ""});
    dot.append(svg("title", {}, v.address + ", " + span(v.rtt)));
    picture.append(dot);
  }
  picture.append(svg("text", {x: x(d.shortest), y: 47}, span(d.shortest)),
    svg("text", {x: x(d.shortest + d.threshold), y: 47, "text-anchor": "end"}, span(d.shortest + d.threshold) + ": the window ends"));
  return picture;
}

$("why-form").addEventListener("submit", e => {
  e.preventDefault();
  explain(Object.fromEntries(new FormData(e.target)));
});
document.addEventListener("click", e => {
  const id = e.target.dataset && e.target.dataset.why;
  if (id) explain({id}, true);
});
