// The data of the page (formats/_page_data.py says how it is packed) and how elements are made: everything as text.
const data = JSON.parse(document.getElementById("data").textContent);
const { words, texts, metrics } = data;
const STATES = ["failed", "not_ok", "ok", "no_expectation"];
const STATE_WORDS = { failed: "failed", not_ok: "not ok", ok: "ok", no_expectation: "no expectation" };
const GLYPHS = { gold: "\u25cf", near: "\u25cb", forbidden: "\u2298", stale: "\u25f7" };
const MARKS = {
  gold: "gold evidence",
  near: "gold document, other passage",
  forbidden: "may not be seen by this principal",
  stale: "not in force at the case\u2019s date",
};
const LABELS = { supported: "supported", contradicted: "contradicted", not_in_context: "not in context" };
const STATED = { supported: "stated", contradicted: "contradicted", not_in_context: "missing" };
const USES = { supported: "supports", contradicted: "contradicts", not_in_context: "is near" };
const SVG = "http://www.w3.org/2000/svg";

const cases = data.cases.map(([id, question, state, facts, ms, cost, found, failure, parts, page, before], index) => {
  const [leaf, cause, advice, broken, critical, evidence] = found || [];
  return {
    index, id, question, state: STATES[Math.floor(state / 3)], ok: ["no", "unknown", "yes"][state % 3], ms, cost, failure,
    facts: data.fields.map((_, place) => [facts && facts[place]].flat().filter(Boolean).map((word) => words[word])),
    leaf: words[leaf || 0], cause: words[cause || 0], advice: words[advice || 0], told: evidence || [],
    broken: (broken || []).map((word) => words[word]), critical: (critical || []).map((word) => words[word]),
    parts, page, before,
  };
});

const partsOf = (one) => Object.fromEntries(data.parts.map((name, place) => [name, one.parts[place] || null]));

// An element: el("p.note", "text", otherElement). Strings become text nodes; null, false, 0 and "" are left out.
function el(kind, ...children) {
  const [tag, ...classes] = kind.split(".");
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(" ");
  node.append(...children.flat(3).filter(Boolean));
  return node;
}

function text(kind, ...children) {
  const node = el(kind, ...children);
  node.dir = "auto";
  return node;
}

const bdi = (value) => el("bdi", value);

function link(kind, href, ...children) {
  const node = el(`a${kind}`, ...children);
  node.href = href;
  return node;
}

const proxy = (yes) => yes && [" ", el("span.tag.proxy", "uncalibrated proxy")];

function table(heads, rows, kind = "") {
  const whole = (tag) => (cell) => (cell instanceof HTMLTableCellElement ? cell : el(tag, cell));
  const body = rows.map((cells) => (cells instanceof HTMLTableRowElement ? cells : el("tr", cells.map(whole("td")))));
  const drawn = el(`table${kind}`, el("thead", el("tr", heads.map(whole("th")))), el("tbody", body));
  const box = el("div.scroll", drawn);
  box.tabIndex = 0;
  return box;
}

const facts = (rows) => el("dl.facts", rows.map(([name, ...value]) => el("div", el("dt", name), el("dd", value))));

function svg(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// Scores: the outcome of a case is null (none), "0.500/2" (scored), a number (undefined, of a word) or [number] (failed).
function outcome(metric, index) {
  const [, , , , , outcomes, column] = metric;
  if (!column) return outcomes[0];
  const width = column.length / cases.length;
  return outcomes[number(column.slice(index * width, (index + 1) * width))];
}

function kindOf(found) {
  if (found === null) return "none";
  return typeof found === "string" ? "scored" : typeof found === "number" ? "undefined" : "failed";
}

function worded(found, unit) {
  const kind = kindOf(found);
  if (kind === "none") return "no score";
  if (kind !== "scored") return `${kind}: ${words[[found].flat()[0]]}`;
  const [value, support] = found.split("/");
  return `${value}${unit ? ` ${unit}` : ""} (n=${support})`;
}

const nameOf = ([name, level]) => (level ? `${name}/${level}` : name);

const labelOf = (place) => (place ? data.labels[place - 1] : "");
const markOf = (place) => (place ? data.marks[place - 1] : "");

function number(signs) {
  let found = 0;
  for (let place = signs.length - 1; place >= 0; place -= 1) found = found * data.alphabet.length + data.alphabet.indexOf(signs[place]);
  return found;
}

// Texts. Offsets count code points.
const characters = new Map();

function codePoints(value) {
  if (!characters.has(value)) characters.set(value, Array.from(value));
  return characters.get(value);
}

// The pieces that are held of a text, as [start, characters].
function pieces(number) {
  const held = texts[number - 1].slice(4);
  return held.map((value, place) => place % 2 === 0 && [value, codePoints(held[place + 1])]).filter(Boolean);
}

// [start, end) of a text and `around` more on either side, as [before, middle, after].
function excerpt([number, start, end], around) {
  for (const [first, all] of pieces(number)) {
    if (start >= first && end <= first + all.length) {
      const join = (a, b) => all.slice(Math.max(0, a - first), b - first).join("");
      return [join(Math.max(first, start - around), start), join(start, end), join(end, end + around)];
    }
  }
  return ["", "", ""];
}

// Cut characters that stand at `first` at the borders of spans; draw(piece, spans over it, spans that end with it).
function cut(all, first, spans, draw) {
  const inside = spans.filter((span) => span.end > first && span.start < first + all.length);
  const borders = new Set([0, all.length]);
  for (const { start, end } of inside) {
    borders.add(Math.max(0, start - first));
    borders.add(Math.min(all.length, end - first));
  }
  const cuts = [...borders].sort((a, b) => a - b);
  return cuts.slice(1).map((to, place) => {
    const from = cuts[place];
    const over = inside.filter(({ start, end }) => start - first <= from && end - first >= to);
    return draw(all.slice(from, to).join(""), over, over.filter(({ end }) => end - first === to));
  });
}
