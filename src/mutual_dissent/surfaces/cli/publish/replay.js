// Plays a published debate: shows what had been said at any time, from the times in the page.
// A classic script, since pages opened from a folder load no modules. It moves and cuts text that is on the
// page already, and never makes markup of any.
(() => {
  "use strict";

  /**
   * An answer of the page, and when it came.
   * @typedef {{ source: Element, seat: string, place: string, asked: number, begun: number, there: number }} Turn
   * A column of the stage: whose turns it shows, and what it shows now.
   * @typedef {{ turns: Turn[], state: Element, text: HTMLElement, shown: Turn | null, size: number, cut: number,
   *   pieces: Piece[] }} Pane
   * A text of an answer, or an element that is there once its first character is.
   * @typedef {{ node: Text, whole: string, from: number, holders: HTMLElement[] }} Piece
   */

  const FRAME = 50; // milliseconds: text comes in no finer steps

  /**
   * @template {Element} T
   * @param {string} selector
   * @returns {T}
   */
  const find = (selector) => /** @type {T} */ (document.querySelector(selector));
  const replay = /** @type {HTMLElement} */ (find(".replay"));
  const play = /** @type {HTMLButtonElement} */ (find(".play"));
  const next = /** @type {HTMLButtonElement} */ (find(".next"));
  const speed = /** @type {HTMLSelectElement} */ (find(".speed"));
  const place = /** @type {HTMLInputElement} */ (find(".place"));
  const clock = find(".clock");
  const now = find(".now");
  const stage = find(".stage");

  const moments = [...document.querySelectorAll(".course > li")].map((li) => ({
    at: Number(/** @type {HTMLElement} */ (li).dataset.at),
    text: [...li.childNodes]
      .slice(1)
      .map((n) => n.textContent)
      .join(""),
  }));
  const end = Number(place.max);
  const turns = readTurns();
  const panes = makePanes();
  const stops = [...new Set([...turns.map((t) => t.asked), ...turns.map((t) => t.there), end])].sort(
    (a, b) => a - b,
  );
  let at = 0;
  let playing = false;
  let drawn = 0;

  function readTurns() {
    /** @type {Turn[]} */
    const found = [];
    let heading = "";
    for (const element of document.querySelectorAll("main > h3, main > [data-seat]")) {
      if (element.tagName === "H3") heading = element.textContent ?? "";
      const { seat, asked, begun, there } = /** @type {HTMLElement} */ (element).dataset;
      if (seat === undefined) continue;
      const is_answer = element.classList.contains("answer");
      found.push({
        source: element,
        seat,
        place: is_answer ? "Answer" : heading,
        asked: Number(asked),
        begun: Number(begun),
        there: Number(there),
      });
    }
    return found.sort((a, b) => a.asked - b.asked);
  }

  function makePanes() {
    /** @type {Map<string, Turn[]>} */
    const columns = new Map();
    const written = turns.filter((t) => t.place === "Answer");
    for (const turn of turns) {
      if (turn.place === "Answer") continue;
      columns.set(turn.seat, [...(columns.get(turn.seat) ?? []), turn]);
    }
    /** @type {Pane[]} */
    const made = [];
    for (const [seat, its] of columns) made.push(makePane(nameOf(its[0], seat), its, false));
    stage.classList.toggle("even", made.length === 2 || made.length === 4);
    if (written.length) made.push(makePane("Answer", written, true));
    return made;
  }

  /** @param {Turn} turn @param {string} seat */
  function nameOf(turn, seat) {
    return turn.source.querySelector("summary")?.firstChild?.textContent?.trim() || seat;
  }

  /** @param {string} title @param {Turn[]} its @param {boolean} last @returns {Pane} */
  function makePane(title, its, last) {
    const pane = document.createElement("div");
    pane.className = last ? "pane last" : "pane";
    const head = document.createElement("h3");
    head.textContent = title;
    const state = document.createElement("p");
    const text = document.createElement("div");
    text.className = "said";
    text.tabIndex = 0;
    text.setAttribute("role", "region");
    text.setAttribute("aria-label", last ? "The answer" : `What ${title} says`);
    pane.append(head, state, text);
    stage.append(pane);
    return { turns: its, state, text, shown: null, size: 0, cut: -1, pieces: [] };
  }

  /** Show what an answer consists of, to be cut to its beginning. @param {Pane} pane @param {Turn | null} turn */
  function show(pane, turn) {
    pane.shown = turn;
    pane.cut = -1;
    pane.size = 0;
    pane.pieces = [];
    pane.text.replaceChildren();
    if (!turn) return;
    const said =
      turn.place === "Answer" ? [turn.source] : [...turn.source.querySelectorAll(":scope > :not(summary)")];
    for (const element of said) {
      const copy = /** @type {HTMLElement} */ (element.cloneNode(true));
      for (const name of copy.getAttributeNames()) copy.removeAttribute(name);
      pane.text.append(copy);
    }
    const walk = document.createTreeWalker(pane.text, NodeFilter.SHOW_TEXT);
    /** @type {Set<HTMLElement>} */
    const seen = new Set();
    while (walk.nextNode()) {
      const node = /** @type {Text} */ (walk.currentNode);
      if (!node.data.trim()) continue;
      /** @type {HTMLElement[]} */
      const holders = [];
      for (let e = node.parentElement; e && e !== pane.text && !seen.has(e); e = e.parentElement) {
        seen.add(e);
        holders.push(e);
      }
      pane.pieces.push({ node, whole: node.data, from: pane.size, holders });
      pane.size += node.data.length;
    }
  }

  /** @param {Pane} pane @param {number} count how many characters are there */
  function cut(pane, count) {
    if (count === pane.cut) return;
    const [low, high] = [Math.min(count, pane.cut), Math.max(count, pane.cut)];
    for (const piece of pane.pieces) {
      if (pane.cut >= 0 && (piece.from > high || piece.from + piece.whole.length < low)) continue;
      const part = piece.whole.slice(0, Math.max(0, count - piece.from));
      if (piece.node.data !== part) piece.node.data = part;
      for (const holder of piece.holders) holder.hidden = count <= piece.from;
    }
    const grew = count > pane.cut;
    pane.cut = count;
    // What is written is followed; what is there is read from its beginning.
    if (count === pane.size) pane.text.scrollTop = 0;
    else if (grew && playing) pane.text.scrollTop = pane.text.scrollHeight;
  }

  /** @param {Pane} pane */
  function drawPane(pane) {
    const turn = pane.turns.findLast((t) => t.asked <= at) ?? null;
    if (turn !== pane.shown) show(pane, turn);
    if (!turn) {
      say(pane.state, "waiting");
      return;
    }
    const is_there = at >= turn.there;
    const share = is_there ? 1 : Math.max(0, (at - turn.begun) / (turn.there - turn.begun || 1));
    cut(pane, is_there ? pane.size : Math.floor(pane.size * share));
    const doing = is_there ? "done" : at < turn.begun ? "thinking" : "writing";
    say(pane.state, turn.place === "Answer" ? doing : `${turn.place}: ${doing}`);
  }

  /** @param {Element} element @param {string} words */
  function say(element, words) {
    if (element.textContent !== words) element.textContent = words;
  }

  function draw() {
    panes.forEach(drawPane);
    say(now, moments.findLast((m) => m.at <= at)?.text ?? "");
    say(clock, `${minutes(at)} / ${minutes(end)}`);
    say(play, playing ? "Pause" : at >= end ? "Again" : "Play");
    place.value = String(at);
    place.setAttribute("aria-valuetext", minutes(at));
    next.disabled = at >= end;
  }

  /** @param {number} seconds */
  function minutes(seconds) {
    const whole = Math.floor(seconds);
    return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  }

  /** @param {number} time */
  function frame(time) {
    if (!playing) return;
    const passed = time - drawn;
    if (passed >= FRAME) {
      // A page that was in the background goes on where it was.
      at = Math.min(end, at + (Math.min(passed, 500) / 1000) * Number(speed.value));
      drawn = time;
      playing = at < end;
      draw();
    }
    requestAnimationFrame(frame);
  }

  function start() {
    if (at >= end) at = 0;
    playing = true;
    drawn = performance.now();
    draw();
    requestAnimationFrame(frame);
  }

  play.addEventListener("click", () => {
    if (!playing) return start();
    playing = false;
    return draw();
  });
  next.addEventListener("click", () => {
    at = stops.find((s) => s > at + 0.01) ?? end;
    playing = playing && at < end;
    draw();
  });
  place.addEventListener("input", () => {
    at = Math.min(end, Number(place.value));
    draw();
  });

  replay.hidden = !panes.length;
  // Who wants no motion begins with the whole, and may still play it.
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  at = still ? end : 0;
  draw();
  if (panes.length && !still) {
    // It begins when it is seen, not below the edge of the window.
    const watch = new IntersectionObserver((seen) => {
      if (!seen.some((s) => s.isIntersecting)) return;
      watch.disconnect();
      if (!playing && at === 0) start();
    });
    watch.observe(stage);
  }
})();
