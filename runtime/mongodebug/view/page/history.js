// The last minutes: how much was done, how slow it was, and what each server was.
const minutes = 5;

function drawBars(chart, values, failed, what) {
  const top = Math.max(1, ...values), n = values.length, parts = [];
  chart.setAttribute("viewBox", `0 0 ${n} 100`);
  values.forEach((v, i) => {
    if (!v) return;
    const h = Math.max(3, 96 * v / top), bad = failed && failed[i] ? Math.max(4, h * failed[i] / v) : 0;
    parts.push(svg("rect", {x: i, y: 100 - h, width: .86, height: h, class: "done"}));
    if (bad) parts.push(svg("rect", {x: i, y: 100 - bad, width: .86, height: bad, class: "failed"}));
  });
  chart.replaceChildren(...parts);
  chart.setAttribute("aria-label", what);
}

// wide puts a few seconds into one bar, so that a bar is some pixels wide.
function wide(values, step, join) {
  const out = [];
  for (let i = 0; i < values.length; i += step) out.push(values.slice(i, i + step).reduce(join, 0));
  return out;
}

function drawActivity(a) {
  const step = 3, sum = (x, y) => x + y;
  const done = wide(a.done, step, sum), failed = wide(a.failed, step, sum), longest = wide(a.longest, step, (x, y) => Math.max(x, y));
  const last = a.done[a.done.length - 2] || 0, top = Math.max(...a.done), bad = a.failed.reduce(sum, 0);
  drawBars($("rate"), done, failed, `${last} commands in the last second, at most ${top}; ${bad} failed in five minutes`);
  drawBars($("longest"), longest, null, `the slowest took ${span(Math.max(...a.longest))}`);
  $("rate-now").textContent = number(last);
  $("rate-more").textContent = "top " + number(top) + (bad ? ", " + number(bad) + " failed" : "");
  $("longest-now").textContent = Math.max(...a.longest) ? span(Math.max(...a.longest)) : "";
}

// segments are the times in which a server was of one type.
function segments(changes, from, now, since) {
  const out = [];
  for (const c of changes) {
    if (out.length) out[out.length - 1].end = c.at;
    if (c.to !== "gone") out.push({start: Math.max(c.at, since), end: now, type: c.to});
  }
  return out.filter(s => s.end > from).map(s => ({...s, start: Math.max(s.start, from)}));
}

function drawLanes(state, now) {
  const from = now - minutes * 60000, width = 1000;
  const by = new Map(state.topology.servers.map(s => [s.address, []]));
  for (const c of state.changes) {
    if (c.subject === "topology" || !c.to) continue;
    if (!by.has(c.subject)) by.set(c.subject, []);
    by.get(c.subject).push(c);
  }
  const lanes = [...by].map(([address, changes]) => ({address, parts: segments(changes, from, now, state.about.since)}))
    .filter(l => l.parts.length);
  sync($("lanes"), lanes, l => l.address,
    l => el("div", {class: "lane"}, el("b", null, l.address), svg("svg", {viewBox: `0 0 ${width} 10`, preserveAspectRatio: "none", role: "img"})),
    (e, l) => {
      const chart = e.lastChild;
      chart.replaceChildren(...l.parts.map(p => {
        const rect = svg("rect", {x: width * (p.start - from) / (now - from), y: 0, height: 10,
          width: Math.max(2, width * (p.end - p.start) / (now - from)), class: kind(p.type)[0]});
        rect.append(svg("title", {}, `${kind(p.type)[1]} from ${clock(p.start)} for ${span(p.end - p.start)}`));
        return rect;
      }));
      chart.setAttribute("aria-label", l.address + ": " + l.parts.map(p => `${kind(p.type)[1]} for ${span(p.end - p.start)}`).join(", then "));
    });
}

function drawChanges(changes) {
  $("changes-sub").textContent = changes.length ? "the last one at " + clock(changes[changes.length - 1].at).slice(0, 8) : "none yet";
  const list = [...changes].reverse();
  const type = t => el("span", {class: "badge " + kind(t)[0]}, kind(t)[1]);
  const topologyType = t => el("span", {class: "badge"}, t);
  fill($("changes"), ...list.map(c => {
    const show = c.subject === "topology" ? topologyType : type;
    return el("li", null, el("time", null, clock(c.at)), el("div", null, el("span", {class: "subject"}, c.subject),
      c.from && c.from !== c.to ? [show(c.from), " → "] : null, c.to && c.to !== "gone" ? show(c.to) : null,
      c.note ? el("span", {class: "note"}, c.note) : null));
  }));
}
