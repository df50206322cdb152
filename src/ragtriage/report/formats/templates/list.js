// The list of cases: filters, search, order, keys. The address holds all of it: #state=not_ok&leaf=filter&case=ID.
const bench = document.getElementById("cases");
const article = bench.querySelector("article");
const list = bench.querySelector(".list");
const form = bench.querySelector("form");
const help = document.querySelector("dialog.help");
const summary = document.getElementById("summary");
const more = bench.querySelector(".more-rows");
const ROWS = 200; // are drawn at once, the next when the end of the list comes into view
const folder = bench.dataset.folder;
const byId = new Map(cases.map((one) => [one.id, one]));
const byMetric = new Map(metrics.map((metric) => [nameOf(metric), metric]));

let choice = new URLSearchParams(); // what the address says
let shown = []; // the cases that match, in order
let returnTo = 0; // where the report was scrolled to

function at(changes, from = choice) {
  const next = new URLSearchParams(from);
  for (const [name, value] of Object.entries(changes)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  return `#${next.size ? next : "cases"}`;
}

const here = (changes) => at(changes);
const go = (address) => { location.hash = address; render(); };
const replace = (address) => { location.replace(address); render(); };

// Rows are made once.
const rows = new Map();

function row(one) {
  if (!rows.has(one)) {
    const where = one.leaf || (one.failure ? "failed" : "");
    const told = [one.id, one.facts[0].join(""), one.facts[1].join("")].filter(Boolean);
    const node = link(`.row.${one.state}`, "#", el("span.state", STATE_WORDS[one.state]), text("span.q", one.question || "(no question)"),
      el("span.why", where && el("b", where), one.critical.length > 0 && [" ", el("span.tag.bad", "critical")], one.cause && [" ", bdi(one.cause)]),
      el("span.id.mono", bdi(told.join(" \u00b7 "))), el("span.score"));
    rows.set(one, el("li", node));
  }
  return rows.get(one);
}

const haystacks = new Map();

function haystack(one) {
  if (!haystacks.has(one)) {
    const p = one.parts ? partsOf(one) : {};
    const more = [p.answer, p.reference, p.expected, p.rewrites].flat(Infinity).filter((value) => typeof value === "string");
    const all = [one.id, one.question, one.leaf, one.cause, one.failure, ...one.broken, ...one.critical, ...one.facts.flat(), ...more];
    haystacks.set(one, all.join("\n").toLowerCase());
  }
  return haystacks.get(one);
}

const numeric = (found) => Number.parseFloat(found.split("/")[0].replaceAll(",", "").replace("\u2212", "-"));

const usualOrder = (metric) => (metric ? "score" : "broke");

function sorted(found, metric) {
  const order = choice.get("sort") || usualOrder(metric);
  const by = (key) => [...found].sort((a, b) => (key(b) ?? -1) - (key(a) ?? -1));
  if (order === "id") return [...found].sort((a, b) => (a.id < b.id ? -1 : 1));
  if (order === "slowest") return by((one) => one.ms);
  if (order === "dearest") return by((one) => one.cost);
  if (order !== "score" || !metric) return found;
  const worse = metric[3] < 0 ? -1 : 1;
  const scored = new Map(found.map((one) => [one, outcome(metric, one.index)]));
  const value = (one) => (kindOf(scored.get(one)) === "scored" ? worse * numeric(scored.get(one)) : Infinity);
  return [...found].sort((a, b) => { const x = value(a); const y = value(b); return x === y ? 0 : x < y ? -1 : 1; });
}

function matching() {
  const metric = byMetric.get(choice.get("metric"));
  const sought = (choice.get("q") || "").toLowerCase().split(/\s+/).filter(Boolean);
  const among = (name) => (choice.get(name) ? new Set(choice.get(name).split(",")) : null);
  const states = among("state");
  const leaves = among("leaf");
  const fields = data.fields.map((name, place) => [place, choice.get(name)]).filter(([, wanted]) => wanted);
  const moved_ = metric && choice.get("moved") ? new Set(metric[choice.get("moved") === "worse" ? 7 : 8] || []) : null;
  const found = cases.filter((one) =>
    (!states || states.has(one.state)) && (!leaves || leaves.has(one.leaf)) &&
    (!choice.get("ok") || one.ok === choice.get("ok")) && (!moved_ || moved_.has(one.index)) &&
    fields.every(([place, wanted]) => one.facts[place].includes(wanted)) &&
    (!metric || !choice.get("is") || kindOf(outcome(metric, one.index)) === choice.get("is")) &&
    sought.every((word) => haystack(one).includes(word)));
  return sorted(found, metric);
}

let drawn = 0; // how many of them have their row in the list
let listed = null; // for which filters

// Draw rows up to the one at `place`, and some more.
function drawRows(place = drawn) {
  const metric = byMetric.get(choice.get("metric"));
  const next = shown.slice(drawn, Math.max(drawn, place) + ROWS).map((one) => {
    const node = row(one);
    const anchor = node.firstChild;
    anchor.href = folder ? `${folder}${String(one.page).padStart(3, "0")}.html${at({ case: one.id }, "")}` : here({ case: one.id, claim: "" });
    anchor.querySelector(".score").textContent = metric ? worded(outcome(metric, one.index), metric[4]) : "";
    return node;
  });
  list.append(...next);
  drawn += next.length;
  more.hidden = drawn >= shown.length;
}

function drawList() {
  const filters = at({ case: "", claim: "" });
  if (filters === listed) return;
  listed = filters;
  shown = matching();
  drawn = 0;
  list.replaceChildren();
  drawRows();
  form.querySelector("output").textContent = `${shown.length} of ${cases.length}`;
  bench.querySelector(".none").hidden = shown.length > 0;
}

// The row of a case, drawn if it was not yet.
function rowOf(one) {
  const place = shown.indexOf(one);
  if (place >= drawn) drawRows(place);
  return row(one);
}

function fillForm() {
  for (const control of form.elements) {
    if (!control.name) continue;
    const value = choice.get(control.name) || (control.name === "sort" ? usualOrder(choice.get("metric")) : "");
    if (control.tagName === "SELECT" && value && ![...control.options].some((option) => option.value === value)) {
      control.append(new Option(value.replaceAll(",", ", "), value));
    }
    if (control.value !== value && control !== document.activeElement) control.value = value;
  }
  if (data.fields.some((name) => choice.get(name))) form.querySelector("details").open = true;
}

function drawHead(one) {
  const place = shown.indexOf(one);
  const step = (by, words_) => {
    const other = shown[place + by];
    return other && place >= 0 ? link(".step", here({ case: other.id, claim: "" }), words_) : el("span.step.dim", words_);
  };
  const title = text("h2.question", one.question || "(no question)");
  title.tabIndex = -1;
  return el("header",
    el("p.walk", link(".back", here({ case: "", claim: "" }), "All cases"), step(-1, "\u2039 before (k)"), step(1, "next (j) \u203a"),
      el("span.dim", place >= 0 ? `${place + 1} of ${shown.length}` : "")),
    el("p.ids", el(`span.state.${one.state}`, STATE_WORDS[one.state]), " ", el("bdi.mono", one.id), " ",
      one.facts.flatMap((values, field) => (field < 3 ? values.map((value) => (field === 2 ? `risk ${value}` : value)) : []))
        .map((value) => [el("span.tag", bdi(value)), " "]),
      one.critical.length > 0 && el("span.tag.bad", "critical")),
    title);
}

// Point at a claim and at what shows it.
function point(one) {
  const key = choice.get("claim");
  for (const node of article.querySelectorAll(".current, .bar-of-claim")) {
    node.classList.remove("current");
    if (node.classList.contains("bar-of-claim")) node.remove();
  }
  if (!key) return null;
  const claims = claimsOf(one);
  const claim = claims.find((known) => known.key === key);
  const nodes = [...article.querySelectorAll("[data-claims]")].filter((node) => node.dataset.claims.split(" ").includes(key));
  for (const node of nodes) node.classList.add("current");
  const said = nodes.filter((node) => node.classList.contains("claim"));
  const spans = nodes.filter((node) => !node.classList.contains("claim"));
  if (!nodes.length && !claim) return null;
  const next = claims[(claims.findIndex((known) => known.key === key) + 1) % Math.max(1, claims.length)];
  const whose = key.startsWith(REFERENCE) ? `The reference\u2019s claim ${key.slice(1)}` : `Claim ${key}`;
  const full = said.map((node) => node.firstChild.textContent).join("") || (claim && claim.words) || "";
  const shows = spans.length ? "It is marked in the context." : "No passage of the context shows it.";
  const guilt = claim && claim.guilty.length ? ` It says what is forbidden: ${claim.guilty.join("; ")}.` : "";
  const bar = el("div.bar-of-claim", el("p", el("b", whose), " ", claim && el(`span.tag.${claim.guilty.length ? "contradicted" : claim.label}`, claim.said, claim.guilty.length > 0 && ", forbidden"), " ", text("span", full)),
    el("p.note", shows, guilt, " ", next && next.key !== key && link("", here({ claim: next.key }), "Next claim (c)"), " ", link("", here({ claim: "" }), "Close")));
  bar.setAttribute("role", "status");
  article.append(bar);
  return spans[0] || said[0] || null;
}

let drawnCase = null;

function drawOpen(one) {
  if (drawnCase !== one) {
    article.replaceChildren(drawHead(one), ...drawCase(one, here));
    drawnCase = one;
  } else {
    article.firstChild.replaceWith(drawHead(one));
  }
  // Links within the case keep the filters of the moment.
  for (const node of article.querySelectorAll("a.claim, a.v")) node.href = here({ claim: (node.dataset.claims || "").split(" ")[0] || new URLSearchParams(node.hash.slice(1)).get("claim") });
  for (const node of list.querySelectorAll("[aria-current]")) node.removeAttribute("aria-current");
  const node = rowOf(one).firstChild;
  node.setAttribute("aria-current", "true");
  const target = point(one);
  if (target) {
    target.scrollIntoView({ block: "center" });
    if (target.tabIndex < 0) target.tabIndex = -1;
    target.focus({ preventScroll: true });
  } else {
    article.querySelector(".question").focus({ preventScroll: true });
    bench.scrollIntoView();
  }
  const side = list.closest(".side");
  if (side.scrollHeight > side.clientHeight && node.offsetParent) side.scrollTop = node.parentNode.offsetTop - side.clientHeight / 2;
}

let rendered = null; // the address that is drawn

function render() {
  if (location.hash === rendered) return;
  rendered = location.hash;
  const wasBench = !bench.hidden;
  const before = choice.get("case");
  const hash = location.hash.slice(1);
  const isBench = !summary || hash === "cases" || hash.includes("=");
  if (!wasBench && summary) returnTo = scrollY;
  choice = new URLSearchParams(hash.includes("=") ? hash : "");
  bench.hidden = !isBench;
  if (summary) {
    summary.hidden = isBench;
    document.querySelector("header.top").hidden = isBench;
  }
  document.body.classList.toggle("working", isBench);
  if (!isBench) {
    article.hidden = true;
    const target = hash && document.getElementById(hash);
    for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
    if (target) target.scrollIntoView();
    else if (wasBench) scrollTo(0, returnTo);
    return;
  }
  drawList();
  fillForm();
  const one = byId.get(choice.get("case"));
  article.hidden = !one;
  bench.classList.toggle("open", Boolean(one));
  if (one && folder) {
    location.replace(rowOf(one).firstChild.href);
  } else if (one) {
    drawOpen(one);
  } else {
    drawnCase = null;
    const last = byId.get(before);
    if (last && shown.includes(last)) rowOf(last).firstChild.focus();
    else if (!wasBench) bench.scrollIntoView();
  }
}

function step(by) {
  if (bench.hidden) {
    go(at({ case: folder ? "" : cases[0] && cases[0].id }, ""));
    return;
  }
  const focused = shown.findIndex((one) => rows.has(one) && rows.get(one).contains(document.activeElement));
  const place = article.hidden ? focused : shown.findIndex((one) => one.id === choice.get("case"));
  const next = shown[Math.min(shown.length - 1, Math.max(0, place + by))];
  if (!next) return;
  if (folder) rowOf(next).firstChild.focus();
  else (article.hidden ? go : replace)(here({ case: next.id, claim: "" }));
}

function nextClaim() {
  const one = byId.get(choice.get("case"));
  const claims = claimsOf(one);
  if (!claims.length) {
    const node = article.querySelector(".answer") || article.querySelector(".question");
    node.tabIndex = -1;
    node.focus();
    node.classList.add("current");
    return;
  }
  const place = claims.findIndex(({ key }) => key === choice.get("claim"));
  replace(here({ claim: claims[(place + 1) % claims.length].key }));
}

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  c: () => (article.hidden || bench.hidden ? go("#cases") : nextClaim()),
  d: () => {
    const cause = !bench.hidden && !article.hidden && article.querySelector(".cause");
    if (cause) { cause.scrollIntoView({ block: "center" }); cause.focus({ preventScroll: true }); } else if (summary) go("#waterfall");
  },
  f: () => { toList(); form.elements.state.focus(); },
  "/": () => { toList(); form.elements.q.focus(); },
  "?": () => (help.open ? help.close() : help.showModal()),
  Escape: () => {
    if (bench.hidden) return;
    if (!article.hidden) go(here({ case: "", claim: "" }));
    else if (summary) go("#");
  },
};

// Where the list and a case do not fit side by side, the filters are out of sight while a case is open.
function toList() {
  if (bench.hidden) go("#cases");
  else if (!article.hidden && !form.offsetParent) go(here({ case: "", claim: "" }));
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (typing && event.key === "Escape") { event.target.blur(); return; }
  if (help.open && event.key === "Escape") return;
  if (typing || !KEYS[event.key] || (help.open && event.key !== "?")) return;
  event.preventDefault();
  KEYS[event.key]();
});

// The form: what the cases differ in.
function fillChoices() {
  const options = (control, values) => control.append(...values.map(([value, name]) => new Option(name || value, value)));
  const present = STATES.filter((state) => cases.some((one) => one.state === state));
  options(form.elements.state, present.map((state) => [state, STATE_WORDS[state]]));
  options(form.elements.leaf, [...new Set(cases.map((one) => one.leaf))].filter(Boolean).map((leaf) => [leaf]));
  options(form.elements.metric, metrics.map((metric) => [nameOf(metric), metric[1] ? `${metric[0]} (${metric[1]})` : metric[0]]));
  const more = data.fields.map((name, place) => {
    const values = [...new Set(cases.flatMap((one) => one.facts[place]))].sort();
    if (values.length < 2) return null;
    const control = el("select", new Option("all", ""));
    control.name = name;
    options(control, values.map((value) => [value]));
    return el("label", `${name[0].toUpperCase()}${name.slice(1)} `, control);
  }).filter(Boolean);
  form.querySelector(".fields").append(...more);
  form.querySelector("details").hidden = !more.length;
}

form.addEventListener("input", ({ target }) => {
  const next = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
  if (target.name === "metric" || next.get("sort") === usualOrder(next.get("metric"))) next.delete("sort");
  for (const name of ["ok", "moved", "case"]) if (choice.get(name)) next.set(name, choice.get(name));
  replace(`#${next.size ? next : "cases"}`);
});
form.addEventListener("reset", (event) => {
  event.preventDefault();
  for (const control of form.elements) if (control.name) control.value = control.name === "sort" ? usualOrder("") : "";
  replace("#cases");
});
more.addEventListener("click", () => drawRows());
new IntersectionObserver((seen) => { if (seen.some((one) => one.isIntersecting)) drawRows(); }).observe(more);
form.addEventListener("submit", (event) => event.preventDefault());

article.addEventListener("click", ({ target }) => {
  if (!target.dataset.hit) return;
  const [id, ...place] = data.hits[target.dataset.hit];
  const peek = target.closest(".scroll").nextElementSibling;
  peek.hidden = peek.dataset.id === id && !peek.hidden;
  peek.dataset.id = id;
  const title = texts[place[0] - 1][1];
  peek.replaceChildren(el("p.note", el("bdi.mono", id), " ", bdi(title)), excerpt(place, 0)[1]);
});

// Numbers of the report become links to the cases behind them. What is measured over all cases at once has no score of
// a case: it leads to the cases of its slice, of a time or a price to the slowest or dearest first.
const ORDERS = [[/latency|first_token/, { sort: "slowest" }], [/cost/, { sort: "dearest" }]];

function follow() {
  const wrap = (node, address) => {
    if (!node) return;
    if (address === "#units") {
      const anchor = link(".to", document.querySelector("#units") ? address : "#metrics");
      anchor.append(...node.childNodes);
      node.append(anchor);
      return;
    }
    const wanted = new URLSearchParams(address.slice(1));
    const metric = wanted.get("metric");
    const [, instead] = byMetric.has(metric) ? [null, {}] : ORDERS.find(([name]) => name.test(metric)) || [null, { metric: "" }];
    const anchor = link(".to", at("sort" in instead ? { ...instead, metric: "" } : instead, wanted));
    anchor.append(...node.childNodes);
    node.append(anchor);
  };
  const count = (node, address) => {
    const known = byMetric.has(new URLSearchParams(address.slice(1)).get("metric"));
    if (node && known && Number(node.textContent) > 0) wrap(node, address);
  };
  for (const node of document.querySelectorAll("dd[data-metric], th[data-metric]")) wrap(node.querySelector("span") || node, node.dataset.metric);
  for (const [name, value, undefined_, failed] of [["#gate", 2, 7, 8], [".metrics", 1, 4, 5]]) {
    for (const line of document.querySelectorAll(`${name} tr[data-metric]`)) {
      const { cells, dataset: { metric } } = line;
      wrap(cells[value], metric);
      count(cells[undefined_], `${metric}&is=undefined`);
      count(cells[failed], `${metric}&is=failed`);
    }
  }
  for (const grid of document.querySelectorAll("table.slices")) {
    const heads = [...grid.tHead.rows[0].cells].map((cell) => cell.dataset.metric);
    for (const line of grid.tBodies[0].rows) {
      const own = line.cells[0].querySelector("a");
      [...line.cells].forEach((cell, place) => {
        const value = place && cell.querySelector("b");
        if (value) wrap(value, own ? `${heads[place]}&${own.hash.slice(1)}` : heads[place]);
      });
    }
  }
}

history.scrollRestoration = "manual";
fillChoices();
follow();
for (const node of document.querySelectorAll("button.keys")) {
  node.hidden = false;
  node.addEventListener("click", () => help.showModal());
}
for (const node of document.querySelectorAll(".to-cases")) node.append(el("small", ` ${cases.length}`));
addEventListener("hashchange", render);
render();
