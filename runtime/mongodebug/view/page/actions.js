// Buttons that do something to the deployment. A page without actions has none.
async function act(action, server, fields, button) {
  button.disabled = true;
  try {
    const response = await fetch("do", {method: "POST", headers: {"Content-Type": "application/json"},
      body: JSON.stringify({action: action.name, server, fields})});
    const answer = await response.json();
    toast(answer.error || "✓ " + action.label + (server ? " · " + server : ""), Boolean(answer.error));
  } catch (e) {
    toast("the program does not answer", true);
  }
  button.disabled = false;
}

let toastTimer;
function toast(text, bad) {
  const t = $("toast");
  t.textContent = text;
  t.className = bad ? "toast bad" : "toast";
  t.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { t.hidden = true; }, bad ? 6000 : 2200);
}

// control is a button with the fields that go with it.
function control(action, server) {
  const fields = (action.fields || []).map(f => f.choices && f.choices.length ?
    el("select", {name: f.name, "aria-label": f.label}, ...f.choices.map(c => el("option", {selected: c === f.value}, c))) :
    el("input", {name: f.name, value: f.value, "aria-label": f.label}));
  const button = el("button", {type: "button", class: action.danger ? "danger" : null, title: action.hint}, action.label);
  button.addEventListener("click", () => act(action, server, Object.fromEntries(fields.map(f => [f.name, f.value])), button));
  return fields.length ? el("span", {class: "pair"}, button, ...fields) : button;
}

// drawServerActions makes the buttons of a server once for what it is: one that is stopped can only be started.
function drawServerActions(e, server) {
  const list = ACTIONS.filter(a => a.server && (server.stopped ? a.when === "stopped" : !a.when ||
    a.when === "partitioned" && (server.faults || []).includes("partitioned")));
  e.hidden = !list.length;
  const print = list.map(a => a.name).join();
  if (e.dataset.print === print) return;
  e.dataset.print = print;
  e.replaceChildren(...list.map(a => control(a, server.address)));
}

function drawGlobalActions() {
  const small = ACTIONS.filter(a => !a.server && !(a.fields || []).length);
  $("global-actions").replaceChildren(...small.map(a => control(a, "")));
  const forms = ACTIONS.filter(a => !a.server && (a.fields || []).length);
  $("faults-panel").hidden = !forms.length;
  $("fault-forms").replaceChildren(...forms.map(a => {
    const form = el("form", null, ...a.fields.map(f => el("label", null, f.label, f.choices && f.choices.length ?
      el("select", {name: f.name}, ...f.choices.map(c => el("option", {selected: c === f.value}, c))) :
      el("input", {name: f.name, value: f.value, autocomplete: "off", spellcheck: "false"}))), el("button", {type: "submit", title: a.hint}, a.label));
    form.addEventListener("submit", e => {
      e.preventDefault();
      act(a, "", Object.fromEntries(new FormData(form)), form.querySelector("button"));
    });
    return form;
  }));
}
