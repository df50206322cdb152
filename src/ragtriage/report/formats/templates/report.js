"use strict";
// Draws a case when it is opened, from the JSON in #data (see formats/_case_data.py) and the texts at the end of the
// page; filters the list; opens what a link points to. Everything is written as text.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const GLYPHS = { gold: "\u25cf", near: "\u25cb", forbidden: "\u2298", stale: "\u25f7" };
  const MARKS = {
    gold: "gold evidence",
    near: "gold document, other passage",
    forbidden: "may not be seen by this principal",
    stale: "not in force at the case\u2019s date",
  };
  const LABELS = { supported: "supported", contradicted: "contradicted", not_in_context: "not in context" };
  const USES = { supported: "supports", contradicted: "contradicts", not_in_context: "is near" };
  const STATES = { failed: "failed", not_ok: "not ok", ok: "ok", no_expectation: "no expectation" };
  const SVG = document.querySelector("h1 svg").namespaceURI;

  // An element: el("p.note", "text", otherElement). Strings become text nodes; null is left out.
  function el(kind, ...children) {
    const [tag, ...classes] = kind.split(".");
    const node = document.createElement(tag);
    if (classes.length) node.className = classes.join(" ");
    node.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== ""));
    return node;
  }

  function text(kind, value) {
    const node = el(kind, value);
    node.dir = "auto";
    return node;
  }

  const proxy = (yes) => (yes ? el("span.tag.proxy", "uncalibrated proxy") : null);

  function table(heads, rows, kind = "") {
    const body = rows.map((cells) => el("tr", cells.map((cell) => (cell instanceof HTMLTableCellElement ? cell : el("td", cell)))));
    const head = el("tr", heads.map((one) => (one instanceof HTMLTableCellElement ? one : el("th", one))));
    return el("div.scroll", el(`table${kind}`, el("thead", head), el("tbody", body)));
  }

  // The code points of [start, end) of a source and of `around` more on either side, as [before, middle, after].
  const characters = new Map();

  function excerpt(place, around) {
    const [key, start, end] = place.split(":").map((part, index) => (index ? Number(part) : part));
    for (const piece of document.getElementById(key).querySelectorAll("[data-start]")) {
      if (!characters.has(piece)) characters.set(piece, Array.from(piece.textContent));
      const all = characters.get(piece);
      const from = start - Number(piece.dataset.start);
      const to = end - Number(piece.dataset.start);
      if (from >= 0 && to <= all.length) {
        const join = (a, b) => all.slice(Math.max(0, a), b).join("");
        return [join(from - around, from), join(from, to), join(to, to + around)];
      }
    }
    return ["", "", ""];
  }

  function source(place, words) {
    const link = el("a", words);
    link.href = `#${place.split(":")[0]}`;
    return link;
  }

  const verdict = (label, words) => el(`sup.v.${label}`, words);

  function parts(list) {
    return text(
      "p.answer",
      list.map((part) => {
        if (typeof part === "string") return part;
        const [words, label, said, cited] = part;
        const drawn = label ? el(`mark.${label}`, words) : words;
        return [drawn, said ? verdict(label, said) : null, ...(cited || []).map((id) => el("cite", el("bdi", id)))];
      }).flat(),
    );
  }

  function facts(rows) {
    return el("dl.facts", rows.map(([name, ...value]) => el("div", el("dt", name), el("dd", value))));
  }

  function answers(one) {
    const judged = one.judge && one.judge[2];
    const rules = (one.expected || []).map(([what, words, met]) => [
      what, text("span", words), met ? " " : null, met ? el("span.tag", met) : null,
    ]);
    return el(
      "div.pair",
      el("div", el("h3", "Answer ", proxy(judged)), one.answer ? parts(one.answer) : null,
        one.told ? el("p.note", one.told) : null),
      el("div", el("h3", "Expected"), one.reference ? parts(one.reference) : null,
        rules.length ? facts(rules) : one.reference ? null : el("p.note", "Nothing is expected of the answer.")),
    );
  }

  function evidence([place, id, group, grade, ranks, inside, quote], lists) {
    const barred = typeof ranks === "string";
    const where = (barred ? [] : ranks || []).map((rank, n) => el(`span.${rank ? "good" : "bad"}`, `${lists[n][0]} ${rank || "\u2013"}`));
    if (barred) where.push(ranks);
    else if (inside !== null && inside !== undefined) where.push(el(`span.${inside ? "good" : "bad"}`, inside ? "in the context" : "not in the context"));
    const title = place ? document.getElementById(place.split(":")[0]).querySelector("bdi").textContent : id;
    const name = el("bdi", title);
    const head = el("p.head", place ? source(place, name) : name, " ", title === id ? null : el("small.mono", el("bdi", id), " "),
      el("small", `${group ? `group ${group}, ` : ""}grade ${grade}`), " ",
      el("small", where.map((one, index) => [index ? " \u00b7 " : null, one])));
    if (!place) return el("li", head, quote ? text("p.text", quote) : null);
    const [before, middle, after] = excerpt(place, 160);
    return el("li", head, text("p.text", [before, el("mark.gold", middle), after]));
  }

  const glyph = (mark) => (mark ? [el(`span.${mark}`, GLYPHS[mark]), " "] : null);

  function result(cell) {
    if (cell === undefined) return "";
    const [hit, mark, moved] = Array.isArray(cell) ? cell : [cell];
    const [id, place] = data.hits[hit];
    const name = place ? el("button", id) : el("bdi", id);
    if (place) name.dataset.place = place;
    const step = moved === "new" ? "new" : moved ? `${moved > 0 ? "\u25b2" : "\u25bc"}${Math.abs(moved)}` : null;
    return el(mark ? `td.${mark}` : "td", glyph(mark), name, step ? [" ", el("i", step)] : null);
  }

  function rankings(list) {
    const depth = Math.max(...list.map(([, , cells]) => cells.length));
    const rows = Array.from({ length: depth }, (_, rank) => [
      el("th", String(rank + 1)), ...list.map(([, , cells]) => result(cells[rank])),
    ]);
    if (list.some(([, , , deeper]) => deeper.length)) {
      const far = ([hit, rank]) => el("div", glyph("gold"), el("bdi", data.hits[hit][0]), " ", el("small", `at ${rank}`));
      rows.push([el("th", "\u2026"), ...list.map(([, , , deeper]) => el("td", deeper.map(far)))]);
    }
    const peek = text("p.text.peek", "");
    peek.hidden = true;
    const heads = ["", ...list.map(([stage, length]) => el("th", stage, " ", el("small", String(length))))];
    return [el("h3", "Rankings"), table(heads, rows, ".ranks"), peek];
  }

  function predicates(list, missing) {
    const known = { true: "has it too", false: "does not have it", null: "not labelled" };
    const rows = list.map(([predicate, expected, removes]) => {
      const [words, mode, origin] = data.predicates[predicate];
      return [el("td.mono", el("bdi", words)), mode, el("bdi", origin || "\u2013"), known[expected],
        el(removes.length ? "td.bad" : "td", el("bdi", removes.join(", ") || "nothing"))];
    });
    rows.push(...missing.map((words) => [el("td.mono.dim", el("bdi", words)), "not applied", "", "has it", ""]));
    return [el("h3", "Predicates"), table(["Applied", "Mode", "Origin", "Golden set", "Removes of the gold"], rows)];
  }

  function passage([hit, mark, cited, used, given]) {
    const [id, place] = data.hits[hit];
    const head = el("p.head", glyph(mark), el("bdi.mono", id), " ", mark ? el(`small.${mark}`, MARKS[mark]) : null,
      cited ? el("small.tag", "cited") : null, " ", place ? el("small", source(place, "source")) : null);
    if (!place) return el("li", head, text("p.text", given));
    const all = Array.from(excerpt(place, 0)[1]);
    const drawn = [];
    let at = 0;
    for (const [start, end, label, claim] of used || []) {
      const from = Math.max(at, start);
      if (end <= from) continue;
      drawn.push(all.slice(at, from).join(""), el(`mark.${label}`, all.slice(from, end).join("")),
        verdict(label, `${USES[label]} ${claim}`));
      at = end;
    }
    return el("li", head, text("p.text", [...drawn, all.slice(at).join("")]));
  }

  function judged([name, rubric, uncalibrated, claims]) {
    const said = (label) => (label ? LABELS[label] : "\u2013");
    const rows = claims.map(([number, context, reference, cited, score, items, words]) => [
      el("td", String(number), words ? [" ", text("span", words)] : null),
      el(context ? `td.${context}` : "td", said(context)), el("td.n", score || "\u2013"), said(reference), said(cited),
      el("td", el("small", (items || []).map(([place, label]) => `${place} ${LABELS[label]}`).join(", "))),
    ]);
    const heads = ["Claim", "Context", el("th.n", "Score"), "Reference", "By its citations", "By passage of the context"];
    const title = el("h3", "Judge ", el("small", el("bdi", name), ", rubric ", el("bdi.mono", rubric.slice(0, 12))), " ",
      proxy(uncalibrated));
    return [title, table(heads, rows)];
  }

  function timings(list, spent) {
    const total = Math.max(...list.map(([, start, duration]) => start + duration));
    const rows = list.map(([stage, start, duration]) => {
      const svg = document.createElementNS(SVG, "svg");
      const bar = document.createElementNS(SVG, "rect");
      for (const [name, value] of [["viewBox", "0 0 100 8"], ["preserveAspectRatio", "none"], ["class", "fill"]]) {
        svg.setAttribute(name, value);
      }
      const width = Math.max(0.8, (100 * duration) / total);
      for (const [name, value] of [["x", Math.min((100 * start) / total, 99.2)], ["width", width], ["height", 8]]) {
        bar.setAttribute(name, value);
      }
      svg.append(bar);
      return el("tr", el("th", el("bdi", stage)), el("td", svg), el("td.n", `${Number(duration.toPrecision(3))} ms`));
    });
    return [el("h3", "Timings ", el("small", spent)), el("table.times", rows)];
  }

  function scores(list) {
    const rows = list.map(([metric, words]) => {
      const [name, level, uncalibrated] = data.metrics[metric];
      const told = data.words[words];
      const kind = /^(undefined|failed):/.exec(told);
      return [[el("span.mono", name), " ", level ? el("small", level) : null, " ", proxy(uncalibrated)],
        el(`span.${kind ? kind[1] : "scored"}`, told)];
    });
    return el("details.more", el("summary", "Scores"), facts(rows));
  }

  const shellWord = (id) => (/^[\p{L}\p{N}._/@:+][\p{L}\p{N}._/@:+-]*$/u.test(id) ? id : `'${id.replaceAll("'", "'\"'\"'")}'`);

  function draw(body, one, id) {
    if (!one.about) {
      body.append(el("p.note", "The details of this case are not held in this page: ", el("code", "ragtriage diagnose"),
        " shows them."));
      return;
    }
    const list = (title, kind, items) => [el("h3", title), el(kind, items)];
    body.append(...[
      el("p.note.about", one.about),
      one.rewrites ? el("p.note", "Rewritten: ", one.rewrites.map((words, n) => [n ? " / " : null, text("span", words)])) : null,
      answers(one),
      one.evidence ? list("Gold evidence", "ul.passages", one.evidence.map((gold) => evidence(gold, one.rankings))) : null,
      one.rankings ? rankings(one.rankings) : null,
      one.predicates || one.missing ? predicates(one.predicates || [], one.missing || []) : null,
      one.context ? list("Context", "ol.passages", one.context.map(passage)) : null,
      one.judge ? judged(one.judge) : null,
      one.timings ? timings(one.timings, one.spent) : null,
      one.scores ? scores(one.scores) : null,
      one.absent ? el("p.note", `The trace does not record: ${one.absent.join(", ")}.`) : null,
      el("p.command", "Show it again: ", el("code", data.command + shellWord(id))),
    ].flat().filter(Boolean));
  }

  const list = document.querySelector(".list");
  const cases = Array.from(list.children);
  const records = new Map(cases.map((node, index) => [node, data.cases[index]]));

  list.addEventListener("toggle", ({ target }) => {
    if (!target.open || !records.has(target) || target.dataset.drawn) return;
    target.dataset.drawn = "yes";
    draw(target.querySelector(".body"), records.get(target), target.querySelector(".id bdi").textContent);
  }, true);
  list.addEventListener("click", ({ target }) => {
    if (!target.dataset.place) return;
    const peek = target.closest(".scroll").nextElementSibling;
    peek.hidden = peek.dataset.place === target.dataset.place && !peek.hidden;
    peek.dataset.place = target.dataset.place;
    peek.textContent = excerpt(target.dataset.place, 0)[1];
  });

  const form = document.querySelector(".filters");
  const choices = ["0", "1", "2", "3"].map((name) => form.elements.namedItem(name));
  const wording = new Map();

  function sought(node) {
    if (!wording.has(node)) {
      const { answer, expected, reference, rewrites } = records.get(node);
      const more = JSON.stringify([answer, expected, reference, rewrites]);
      wording.set(node, `${node.querySelector("summary").textContent} ${node.textContent} ${more}`.toLowerCase());
    }
    return wording.get(node);
  }

  function filter() {
    const words = form.elements.namedItem("text").value.trim().toLowerCase();
    let shown = 0;
    for (const node of cases) {
      const mine = records.get(node).facts;
      const fits = choices.every((choice, index) => !choice.value || (mine[index] || "") === choice.value);
      node.hidden = !(fits && (!words || sought(node).includes(words)));
      shown += node.hidden ? 0 : 1;
    }
    form.querySelector("output").textContent = `${shown} of ${cases.length}`;
    document.querySelector(".none").hidden = shown > 0;
  }

  choices.forEach((choice, index) => {
    const values = [...new Set(data.cases.map((one) => one.facts[index] || ""))].filter(Boolean);
    if (index > 1) values.sort();
    choice.parentElement.hidden = values.length < 2;
    choice.append(...values.map((value) => new Option(index ? value : STATES[value], value)));
  });
  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("reset", () => setTimeout(filter));
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();

  document.querySelectorAll("a[data-leaf]").forEach((link) =>
    link.addEventListener("click", (event) => {
      event.preventDefault();
      form.reset();
      choices[1].value = link.dataset.leaf;
      filter();
      document.getElementById("cases").scrollIntoView();
    }),
  );

  function follow() {
    const id = location.hash.slice(1);
    const target = id && document.getElementById(id);
    if (!target) return;
    if (target.hidden) {
      form.reset();
      filter();
    }
    for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
    target.scrollIntoView();
  }
  addEventListener("hashchange", follow);
  follow();
})();
