// One case from its question to its diagnosis. `at(changes)` gives the address of the page with other choices.
const REFERENCE = "r"; // claims of the reference answer are r1, r2 ...

// The claims of a case, the guilty first: said although forbidden, contradicted, not in the context; then what the
// reference says and the answer does not; then what is supported.
function claimsOf(one) {
  const judge = one.parts && partsOf(one).judge;
  if (!judge) return [];
  const [, , , answer, reference] = judge;
  const order = (label, guilty) =>
    guilty && guilty.length ? 0 : { contradicted: 1, not_in_context: 2, supported: 5 }[label] || 6;
  return [
    ...(answer || []).map(([number_, place, , , , , words_, guilty]) => [number_, labelOf(place), words_, guilty || []])
      .map(([number_, label, words_, guilty]) => ({
        key: String(number_), label, guilty, said: LABELS[label] || "not judged", rank: order(label, guilty), words: words_,
      })),
    ...(reference || []).map(([number_, place, words_]) => [number_, labelOf(place), words_])
      .filter(([, label]) => label && label !== "supported")
      .map(([number_, label, words_]) => ({
        key: REFERENCE + number_, label, guilty: [], said: STATED[label], rank: label === "contradicted" ? 3 : 4, words: words_,
      })),
  ].sort((a, b) => a.rank - b.rank);
}

function parts(list, of, claims, at) {
  const stated = of === REFERENCE;
  return text("p.answer", list.map((part) => {
    if (typeof part === "string") return part;
    const [said, number, labelled_, ends, cited] = part;
    const label = labelOf(labelled_);
    const ids = (cited || []).map((id) => el("cite", bdi(id)));
    if (!number || !label) return [said, ...ids];
    const key = of + number;
    const claim = claims.find((one) => one.key === key);
    const guilty = claim && claim.guilty.length;
    const words_ = `${number} ${(stated ? STATED : LABELS)[label]}${guilty ? ", forbidden" : ""}`;
    const node = link(`.claim.${guilty ? "contradicted" : label}`, at({ claim: key }), said, ends && el("sup.v", words_));
    node.dataset.claims = key;
    return [node, ...ids];
  }));
}

function answers(p, claims, at) {
  const judged = p.judge && p.judge[2];
  const held = { 1: "good", 2: "bad" };
  const rules = (p.expected || []).map(([what, said, met, holds]) => [
    words[what], text("span", said), met ? [" ", el(`span.tag.${held[holds] || "plain"}`, words[met])] : null,
  ]);
  return el("div.pair",
    el("div", el("h3", "Answer", proxy(judged)), p.answer && parts(p.answer, "", claims, at),
      p.told && el("p.note", words[p.told])),
    el("div", el("h3", "Expected"), p.reference && parts(p.reference, REFERENCE, claims, at),
      rules.length ? facts(rules) : !p.reference && el("p.note", "Nothing is expected of the answer.")));
}

function why(one) {
  if (!one.leaf && !one.failure && !one.broken.length) return null;
  const box = el("section.cause",
    one.leaf && [el("h3", `Broke at ${one.leaf}: `, bdi(one.cause)), el("p", one.advice)],
    one.failure && el("p", "Failed at ", bdi(one.failure)),
    one.broken.length > 0 && el("p", el("b", "Not met: "), bdi(one.broken.join("; ")), "."),
    one.critical.length > 0 && el("p", el("b", "Critical: "), bdi(one.critical.join("; ")), "."),
    one.told.length > 0 && facts(one.told.map(([name, value]) => [words[name], bdi(value)])));
  box.tabIndex = -1;
  return box;
}

function earlier(one) {
  if (!one.before) return null;
  const [ok, leaf, cause, said] = one.before;
  const state = { 1: "ok", 2: "not ok" }[ok] || "not judged";
  return [el("h3", "In the base run ", el(`span.tag.${{ 1: "good", 2: "bad" }[ok] || "plain"}`, state)),
    leaf && el("p", `Broke at ${leaf}: `, bdi(cause)), said && [el("p.note", "It answered:"), text("p.text", said)]];
}

function moved(one) {
  const list = (place) => metrics.filter((metric) => (metric[place] || []).includes(one.index)).map(([name]) => name);
  const rows = [["Worse", list(7)], ["Better", list(8)]].filter(([, names]) => names.length);
  return rows.length > 0 && [el("h3", "Against the base run"), facts(rows.map(([name, names]) => [name, el("span.mono", names.join(", "))]))];
}

// Where the evidence stood, stage by stage, from the first ranking to the context.
function path(ranks, rankings, inside) {
  const steps = (ranks || []).map((rank, place) => [words[rankings[place][0]], rank, rank || "not there"]);
  if (inside) steps.push(["context", inside === 1, inside === 1 ? "there" : "not there"]);
  return el("ol.path", steps.map(([name, found, said]) => el(`li.${found ? "good" : "bad"}`, bdi(name), " ", el("b", String(said)))));
}

function evidence([id, group, grade, eligible, ranks, inside, place, quote], all, rankings) {
  const at = Array.isArray(place) ? place : null;
  const number = at ? at[0] : place;
  const [doc, title] = number ? texts[number - 1] : [words[id], ""];
  const head = el("p.head", el("b", bdi(title || doc)), " ", title && el("small.mono", bdi(doc), " "),
    el("small", `${group ? `group ${words[group]}, ` : ""}grade ${grade || 0}`));
  const where = eligible ? path(ranks, rankings || [], inside)
    : el("p.note", "This principal may not see it at the case\u2019s date, so it need not be found.");
  const [before, middle, after] = at ? excerpt(at, 160) : [];
  return el("li", head, where, at && text("p.text", at[1] > 160 && "\u2026", before, el("mark.gold", middle), after),
    !at && quote && text("p.text", quote), number && whole(number, all));
}

// The whole of what is held of a document, with the gold in it; drawn when it is opened.
function whole(number, all) {
  const [, , told, length] = texts[number - 1];
  const box = el("details.more", el("summary", "In its document"));
  box.addEventListener("toggle", () => {
    if (box.childElementCount > 1) return;
    const gold = all.map(([, , , , , , place]) => place).filter((place) => Array.isArray(place) && place[0] === number)
      .map(([, start, end]) => ({ start, end }));
    const held = pieces(number);
    const shown = held.map(([first, run], place) => [
      (first > 0 || place > 0) && el("p.note", `\u2026 from character ${first} of ${length}`),
      text("p.text", cut(run, first, gold, (piece, over) => (over.length ? el("mark.gold", piece) : piece))),
    ]);
    const scroll = el("div.document", shown);
    scroll.tabIndex = 0;
    box.append(el("p.note", (told || []).map(([name, value], place) => [place ? ", " : "", `${name} `, bdi(value)])), scroll);
    const mark = scroll.querySelector("mark");
    if (mark) scroll.scrollTop = mark.offsetTop - scroll.offsetTop - 60;
  });
  return box;
}

const glyph = (mark) => mark && [el(`span.${mark}`, GLYPHS[mark]), " "];

function result(hit, mark, step) {
  const [id, ...place] = data.hits[hit];
  const name = place.length ? el("button", id) : bdi(id);
  if (place.length) name.dataset.hit = hit;
  const said = step === "new" ? "new" : step && `${step > 0 ? "\u25b2" : "\u25bc"}${Math.abs(step)}`;
  return el(mark ? `td.${mark}` : "td", glyph(mark), name, said && [" ", el("i", said)]);
}

// The cells of one ranking, first to last.
function cells([, , hits, steps, marks]) {
  const found = [];
  for (let from = 0; from < hits.length; from += data.hit_width) {
    const place = found.length;
    found.push(result(number(hits.slice(from, from + data.hit_width)), markOf((marks || [])[place]), (steps || [])[place]));
  }
  return found;
}

function rankings(list) {
  const columns = list.map(cells);
  const depth = Math.max(...columns.map((column) => column.length));
  const given = data.context_size;
  const rows = Array.from({ length: depth }, (_, rank) =>
    el(rank + 1 === given && rank + 1 < depth ? "tr.cut" : "tr", el("th", String(rank + 1)), columns.map((column) => column[rank] || el("td"))));
  if (list.some(([, , , , , deeper]) => deeper)) {
    const far = ([hit, rank]) => el("div", glyph("gold"), bdi(data.hits[hit][0]), " ", el("small", `at ${rank}`));
    rows.push(el("tr", el("th", "\u2026"), list.map(([, , , , , deeper]) => el("td", (deeper || []).map(far)))));
  }
  const used = [...new Set(list.flatMap(([, , , , marks, deeper]) => [...(marks || []), deeper ? 1 : 0]))].filter(Boolean).map(markOf);
  const heads = [el("th", el("span.hidden", "Rank")), ...list.map(([stage, length]) => el("th", bdi(words[stage]), " ", el("small", String(length))))];
  const key = [used.map((mark) => [el(`span.${mark}`, GLYPHS[mark]), ` ${MARKS[mark]}. `]),
    "\u25b2\u25bc places gained and lost in the step. ", given > 0 && `The line is drawn under the first ${given}, which the generator receives.`];
  const peek = text("div.peek");
  peek.hidden = true;
  return [el("h3", "Rankings"), table(heads, rows, ".ranks"), peek, el("p.note", key)];
}

function predicates(list, missing) {
  const known = { 1: "has it too", 2: "does not have it" };
  const rows = list.map(([predicate, expected, removes]) => {
    const [said, mode, origin] = data.predicates[predicate];
    const gone = (removes || []).map((word) => words[word]);
    return [el("td.mono", bdi(said)), mode, bdi(origin || "\u2013"), known[expected] || "not labelled",
      el(gone.length ? "td.bad" : "td", bdi(gone.join(", ") || "nothing"))];
  });
  rows.push(...missing.map((word) => [el("td.mono.dim", bdi(words[word])), "not applied", "", "has it", ""]));
  return [el("h3", "Predicates"), table(["Applied", "Mode", "Origin", "Golden set", "Removes of the gold"], rows)];
}

function passage([hit, marked, cited, used, given], place, gold, at) {
  const mark = markOf(marked);
  const [id, ...where] = data.hits[hit];
  const title = where.length && texts[where[0] - 1][1];
  const head = el("p.head", el("small", `${place + 1} `), glyph(mark), el("bdi.mono", id), " ", title && el("small", bdi(title), " "),
    mark && el(`small.${mark}`, MARKS[mark], " "), cited > 0 && el("span.tag", "cited"));
  const all = where.length ? codePoints(excerpt(where, 0)[1]) : codePoints(given || "");
  const spans = (used || []).map(([start, end, claim, label]) => ({ start, end, label: labelOf(label), key: claim > 0 ? String(claim) : REFERENCE + -claim }));
  const near = gold.filter(([number]) => number === where[0]).map(([, start, end]) => ({ start: start - where[1], end: end - where[1], gold: true }));
  const drawn = cut(all, 0, [...spans, ...near], (piece, over, ends) => {
    const claims = over.filter((span) => span.key);
    const own = claims.find((span) => !span.key.startsWith(REFERENCE));
    const kind = [own ? own.label : claims.length ? "wanted" : "", over.some((span) => span.gold) ? "gold" : ""].filter(Boolean);
    const node = kind.length ? el(`mark.${kind.join(".")}`, piece) : piece;
    if (claims.length) node.dataset.claims = claims.map((span) => span.key).join(" ");
    const notes = ends.filter((span) => span.key && !span.key.startsWith(REFERENCE))
      .map((span) => link(`.v.${span.label}`, at({ claim: span.key }), `${USES[span.label]} ${span.key}`));
    return [node, notes];
  });
  return el("li", head, text("p.text", drawn));
}

function citations(list) {
  const rows = list.map(([id, inside, claims, marked, untrusted]) => [markOf(marked), id, inside, claims, untrusted]).map(([mark, id, inside, claims, untrusted]) => [
    el("td.mono", bdi(words[id])),
    el(inside === 2 ? "td.bad" : "td", { 1: "in the context", 2: "not in the context" }[inside] || "not recorded"),
    (claims || []).map(([number, label], place) => [place ? ", " : "", `claim ${number} `, label && labelled(label)]),
    [mark && [glyph(mark), MARKS[mark]], untrusted > 0 && el("span.bad", mark ? ", untrusted" : "untrusted")],
  ]);
  return [el("h3", "Citations"), table(["Cited", "Given to the generator", "By this passage alone", "What it is"], rows)];
}

const labelled = (place) => (place ? el(`span.${labelOf(place)}`, LABELS[labelOf(place)]) : "\u2013");

function judged([name, rubric, uncalibrated, claims, , more], at) {
  const rows = (claims || []).map(([number, context, reference, cited, score, items, unplaced, guilty, disputed]) => [
    el("td", link("", at({ claim: String(number) }), `claim ${number}`), unplaced && [" ", text("span", unplaced)],
      (guilty || []).length > 0 && el("div.bad", "says what is forbidden: ", bdi(guilty.join("; "))),
      disputed > 0 && el("div.not_in_context", "a second judge disagrees")),
    el("td", labelled(context)), el("td.n", score || "\u2013"), labelled(reference), labelled(cited),
    el("td", el("small", (items || []).map(([place, label]) => `${place} ${LABELS[labelOf(label)]}`).join(", "))),
  ]);
  const heads = ["Claim", "By the context", el("th.n", "Score"), "By the reference", "By its citations", "By passage of the context"];
  return [el("h3", "Judge ", el("small", bdi(words[name]), ", rubric ", el("bdi.mono", words[rubric].slice(0, 12))), proxy(uncalibrated)),
    (more || []).length > 0 && facts(more.map(([what, said]) => [words[what], text("span", said)])),
    rows.length ? table(heads, rows) : el("p.note", "It found no claim to check in the answer.")];
}

function timings([stages, ...times], one, firstToken) {
  const list = data.stages[stages].map((word, place) => [words[word], times[2 * place], times[2 * place + 1]]);
  const total = Math.max(...list.map(([, start, duration]) => start + duration)) || 1;
  const rows = list.map(([stage, start, duration]) => {
    const width = Math.max(0.8, (100 * duration) / total);
    const bar = svg("rect", { x: Math.min((100 * start) / total, 100 - width), width, height: 8 });
    return el("tr", el("th", bdi(stage)), el("td", svg("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", class: "fill", "aria-hidden": "true" }, bar)),
      el("td.n", `${duration} ms`));
  });
  const spent = [one.ms && `${one.ms} ms`, firstToken && `first token at ${firstToken} ms`, one.cost && `${one.cost} USD`];
  return [el("h3", "Timings ", el("small", spent.filter(Boolean).join(", "))), el("table.times", el("tbody", rows))];
}

function scores(one) {
  const groups = new Map();
  for (const metric of metrics) {
    const found = outcome(metric, one.index);
    if (found === null) continue;
    const [name, level, uncalibrated, , unit] = metric;
    const stage = name.split(".")[0];
    const row = [[el("span.mono", name), " ", level && el("small", level), proxy(uncalibrated)], el(`span.${kindOf(found)}`, worded(found, unit))];
    groups.set(stage, [...(groups.get(stage) || []), row]);
  }
  if (!groups.size) return null;
  return el("details.more", el("summary", "Scores"), [...groups].map(([stage, rows]) => [el("h4", stage), facts(rows)]));
}

const plainWord = /^(?!-)[\p{L}\p{N}._/@:+-]+$/u;
const shellWord = (value) => (plainWord.test(value) ? value : `'${value.replaceAll("'", "'\"'\"'")}'`);

function again(id) {
  const condition = `case_id = '${id.replaceAll("'", "''")}'`;
  const word = /["\\$`!]/.test(condition) ? shellWord(condition) : `"${condition}"`;
  return `ragtriage eval -c ${data.config} --where ${word} --no-gate -o runs/again`;
}

function commands(id) {
  const lines = [["Ask it again", data.config && again(id)], ["Show it in a terminal", data.diagnose + shellWord(id)]];
  return [el("h3", "Commands"), ...lines.filter(([, line]) => line).map(([name, line]) => el("p.command", `${name} `, el("code", line)))];
}

function drawCase(one, at) {
  if (!one.parts) {
    return [why(one) || "", el("p.note", "The details of this case are not held in this page; the command below shows them."), ...commands(one.id)];
  }
  const p = partsOf(one);
  const claims = claimsOf(one);
  const gold = (p.evidence || []).map(([, , , , , , place]) => place).filter(Array.isArray);
  const list = (title, kind, items) => [el("h3", title), el(kind, items)];
  return [
    el("p.note.about", p.about && words[p.about]),
    p.rewrites && el("p.note", "Rewritten: ", p.rewrites.map((said, place) => [place ? " / " : "", text("span", said)])),
    why(one), earlier(one), answers(p, claims, at),
    p.evidence && list("Gold evidence", "ul.passages", p.evidence.map((item) => evidence(item, p.evidence, p.rankings))),
    p.rankings && rankings(p.rankings),
    (p.predicates || p.missing) && predicates(p.predicates || [], p.missing || []),
    p.context && list("Context", "ol.passages", p.context.map((item, place) => passage(item, place, gold, at))),
    p.citations && citations(p.citations),
    p.judge && judged(p.judge, at),
    p.timings && timings(p.timings, one, p.first_token),
    moved(one), scores(one),
    p.absent && el("p.note", `The trace does not record: ${p.absent.map((word) => words[word]).join(", ")}.`),
    ...commands(one.id),
  ].flat(3).filter(Boolean);
}
