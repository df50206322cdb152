"use strict";
// Copies excerpts from the texts at the end of the page to where they are read, filters the cases, and opens what a
// link points to. Everything is written as text.
(() => {
  const characters = new Map();

  // The code points of [start, end) of a source and of `around` more on either side, as [before, middle, after].
  function excerpt(place, around) {
    const [key, start, end] = place.split(":").map((part, index) => (index ? Number(part) : part));
    for (const piece of document.getElementById(key).querySelectorAll("[data-start]")) {
      if (!characters.has(piece)) characters.set(piece, Array.from(piece.textContent));
      const text = characters.get(piece);
      const from = start - Number(piece.dataset.start);
      const to = end - Number(piece.dataset.start);
      if (from >= 0 && to <= text.length) {
        return [text.slice(Math.max(0, from - around), from), text.slice(from, to), text.slice(to, to + around)];
      }
    }
    return [[], [], []];
  }

  const words = { supported: "supports", contradicted: "contradicts", not_in_context: "is near" };

  function mark(kind, text) {
    const node = document.createElement("mark");
    node.className = kind;
    node.textContent = text;
    return node;
  }

  function fill(node) {
    const around = Number(node.dataset.around || 0);
    const [before, middle, after] = excerpt(node.dataset.x, around);
    if (around) {
      node.append(before.join(""), mark("gold", middle.join("")), after.join(""));
      return;
    }
    let at = 0;
    for (const part of (node.dataset.marks || "").split(" ").filter(Boolean)) {
      const [start, end, label, claim] = part.split(":");
      const from = Math.max(at, Number(start));
      if (Number(end) <= from) continue;
      node.append(middle.slice(at, from).join(""), mark(label, middle.slice(from, Number(end)).join("")));
      const note = document.createElement("sup");
      note.className = `v ${label}`;
      note.textContent = `${words[label]} ${claim}`;
      node.append(note);
      at = Number(end);
    }
    node.append(middle.slice(at).join(""));
  }

  function opened(details) {
    if (!details.open || details.dataset.filled) return;
    details.dataset.filled = "yes";
    details.querySelectorAll(".x").forEach(fill);
  }

  const list = document.querySelector(".list");
  const cases = Array.from(list.children);
  list.addEventListener("toggle", (event) => opened(event.target), true);
  list.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-x]");
    if (!button) return;
    const peek = button.closest(".scroll").nextElementSibling;
    const again = peek.dataset.from === button.dataset.x && !peek.hidden;
    peek.dataset.from = button.dataset.x;
    peek.hidden = again;
    peek.textContent = excerpt(button.dataset.x, 0)[1].join("");
  });

  const form = document.querySelector(".filters");
  const none = document.querySelector(".none");
  const texts = new Map();

  function textOf(one) {
    if (!texts.has(one)) texts.set(one, one.textContent.toLowerCase());
    return texts.get(one);
  }

  function filter() {
    const wanted = new FormData(form);
    const sought = wanted.get("text").trim().toLowerCase();
    let shown = 0;
    for (const one of cases) {
      const fits = ["state", "leaf", "kind", "language"].every(
        (name) => !wanted.get(name) || one.dataset[name] === wanted.get(name),
      );
      one.hidden = !(fits && (!sought || textOf(one).includes(sought)));
      shown += one.hidden ? 0 : 1;
    }
    form.querySelector("output").textContent = `${shown} of ${cases.length}`;
    none.hidden = shown > 0;
  }

  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("reset", () => setTimeout(filter));
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();

  document.querySelectorAll("a[data-leaf]").forEach((link) =>
    link.addEventListener("click", (event) => {
      const choice = form.elements.namedItem("leaf");
      form.reset();
      if (choice) choice.value = link.dataset.leaf;
      filter();
      event.preventDefault();
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
