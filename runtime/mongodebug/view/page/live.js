// The stream of changes, and what it draws.
let state = null, paused = false, ended = false, lastAt = 0;

function draw(changed, at) {
  const has = name => name in changed;
  const {about, topology} = state;
  if (has("about")) {
    document.title = (about.title || "client") + (about.kind === "client" ? " · mongodebug" : "");
    $("title").textContent = about.title || "client";
    $("detail").textContent = about.detail;
    $("footer").textContent = "Watching since " + clock(about.since).slice(0, 8) + (about.values ?
      ". Values of documents are shown." : ". Values of documents are not shown.");
    $("why-panel").hidden = about.kind !== "client";
  }
  if (has("counts")) drawCounts(state.counts);
  if (has("topology") || has("clients") || has("about")) drawTopology(state);
  if (has("topology") && question && !question.id) explain(question);
  if (has("activity")) drawActivity(state.activity);
  drawLanes(state, at);
  if (has("changes")) drawChanges(state.changes);
  if (has("running")) drawRunning(state.running, about);
  if (has("slowest")) drawSlowest(state.slowest);
  if (has("problems")) drawProblems(state.problems, about);
  if (has("clients") || has("topology")) drawClients(state.clients, topology.servers);
  document.body.dataset.drawn = at; // for tests
}

function setLive(name, text) {
  const e = $("live");
  if (e.dataset.state !== name) {
    e.dataset.state = name;
    e.textContent = text;
  }
}

let pending = {};
function show() {
  if (!state || paused || !Object.keys(pending).length && !lastAt) return;
  const changed = pending;
  pending = {};
  draw(changed, lastAt);
}

const source = new EventSource("events");
source.addEventListener("state", e => {
  const message = JSON.parse(e.data);
  state = Object.assign(state || {}, message.changed);
  Object.assign(pending, message.changed);
  lastAt = message.at;
  if (!paused) setLive("live", "live");
  requestAnimationFrame(show);
});
source.addEventListener("end", () => {
  ended = true;
  source.close();
  setLive("closed", "closed");
});
source.addEventListener("error", () => { if (!ended) setLive("lost", "no answer, trying again"); });

function togglePause() {
  if (ended) return;
  paused = !paused;
  $("pause").setAttribute("aria-pressed", paused);
  $("pause").textContent = paused ? "Go on" : "Pause";
  setLive(paused ? "paused" : "live", paused ? "paused" : "live");
  show();
}
$("pause").addEventListener("click", togglePause);
document.addEventListener("keydown", e => {
  if (e.key !== " " || e.target.closest("button,input,select,a,[tabindex]")) return;
  e.preventDefault();
  togglePause();
});
new ResizeObserver(() => { if (state) drawLinks(state); }).observe($("picture"));
addEventListener("resize", () => { if (decision) drawDecision(decision); });
drawGlobalActions();
