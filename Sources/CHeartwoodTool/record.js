// MARK: Selecting rows

// The rows from the one that was selected first to the last one; null where it is only one.
function range() { return selected === null || anchor === null || anchor === selected ? null : [Math.min(anchor, selected), Math.max(anchor, selected)]; }
rows.addEventListener("click", event => {
  const node = event.target.closest(".row");
  if (!node || node.n === undefined) return;
  if (event.shiftKey && selected !== null) { if (anchor === null) anchor = selected; selected = node.n; getSelection().removeAllRanges(); draw(); tellRange(); return; }
  if (String(getSelection())) return;
  select(node.n); open(node.n);
});
rows.addEventListener("mousedown", event => { if (event.shiftKey) event.preventDefault(); });
function select(n) { selected = n; anchor = null; draw(); }
function tellRange() { const r = range(); if (r) say(number(r[1] - r[0] + 1) + " rows selected; Ctrl-C copies them"); }
function show(n, isSelected) {
  pos = Math.max(first, n - Math.floor(height / ROW / 3));
  setFollow(false); clamp(false); keepSpotSoon();
  if (isSelected) { selected = n; anchor = null; }
  draw();
}
function step(delta, extends_) {
  if (end === first) return;
  const n = selected === null ? (delta > 0 ? Math.ceil(pos) : Math.min(end - 1, Math.floor(pos) + visible - 3)) : selected + delta;
  if (extends_ && anchor === null) anchor = selected; else if (!extends_) anchor = null;
  reach(Math.min(end - 1, Math.max(first, n)));
  if (extends_) tellRange();
}
function reach(n) {
  selected = n;
  setFollow(false);
  const whole = Math.max(1, Math.floor(height / ROW));
  if (n < pos) pos = n; else if (n > pos + whole - 1) pos = n - whole + 1;
  draw(); keepSpotSoon();
  if (opened !== null) open(n);
}
function goTo(n) { anchor = null; if (n < pos || n > pos + visible - 3) show(n, true); reach(n); }

// MARK: Copying rows gives rows

const line = row => {
  const [, time, level, category, message, fields, file, kind] = row;
  if (kind !== 1) return message;
  return [time === null ? "" : full(time), LEVELS[level] || "", category || "", hasFiles() ? file : "", message, ...fields.map(([k, v]) => k + "=" + v)].filter(Boolean).join(" ");
};
document.addEventListener("copy", event => {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed || !rows.contains(selection.anchorNode) && !rows.contains(selection.focusNode)) return;
  const within = pool.filter(node => !node.hidden && node.row && selection.containsNode(node, true)).sort((a, b) => a.n - b.n);
  // A part of one row is copied as it is.
  if (within.length < 2) {
    // The fields of a row are not lines of their own.
    const text = String(selection);
    if (!text.includes("\n")) return;
    event.clipboardData.setData("text/plain", text.replace(/\n+/g, " "));
    event.preventDefault();
    return;
  }
  event.clipboardData.setData("text/plain", within.map(node => line(node.row)).join("\n") + "\n");
  event.preventDefault();
});
async function copyRows() {
  const r = range() || [selected, selected];
  if (r[1] - r[0] >= 100000) { toast("Copying takes 100,000 lines at most; save them instead"); return; }
  const answer = await fetch(api("lines", { from: r[0], to: r[1] }), { cache: "no-store" });
  if (answer.ok) copy(await answer.text(), r[1] === r[0] ? "Copied the line" : "Copied " + number(r[1] - r[0] + 1) + " lines");
}
async function copy(text, said) {
  try { await navigator.clipboard.writeText(text); } catch {
    const area = el("textarea"); area.value = text; document.body.append(area); area.select(); document.execCommand("copy"); area.remove();
  }
  toast(said);
}
let toastTimer = 0;
function toast(text) { $("toast").textContent = text; $("toast").hidden = false; clearTimeout(toastTimer); toastTimer = setTimeout(() => { $("toast").hidden = true; }, 2000); }
function say(text) { $("said").textContent = text; }

// MARK: One record

async function open(n) {
  opened = n;
  const own = generation;
  let r;
  try { r = await ask("record", { n }); } catch { return; }
  if (own !== generation || opened !== n) return;
  const spot = { file: r.file, offset: r.offset, ms: r.ms === null ? null : Math.floor(r.ms), text: r.text };
  history.replaceState(history.state, "", addressOf(spot));
  const box = $("record"), top = el("div", "top"), body = el("div", "body"), light = highlighter();
  const level = r.level || LEVELS[r.place] || "no level";
  const badge = el("span", "badge p" + r.place, level), time = el("time");
  time.textContent = r.ms === null ? "" : full(r.ms) + (r.ns && !r.ns.endsWith("000000") ? r.ns.slice(-6) : "") + (utc ? " UTC" : "");
  const x = named(el("button", "", "✕"), "Close (Esc)"); x.onclick = close;
  top.append(badge, time, x);
  const message = el("p", "message");
  light(message, r.gone ? "This part of the log was removed." : r.message, r.styles);
  const actions = el("div", "actions");
  const act = (text, run) => { const b = el("button", "framed", text); b.onclick = run; actions.append(b); };
  const asked = filter;
  act("Copy as JSON", () => copyJSON(n, asked));
  act("Copy line", () => copy(r.raw, "Copied the line"));
  act("Copy link", () => copy(new URL(addressOf(spot), location.href).href, "Copied the link to this line"));
  act("Copy grep command", async () => {
    // grep looks at the line as it is, where a message may be written with escapes.
    const part = text => text.split("\n")[0].slice(0, 200), message = part(r.message || "");
    const f = { ...EMPTY, q: message && r.raw.includes(message) ? message : part(r.raw), cs: true };
    if (r.ms !== null) { f.since = iso(Math.floor(r.ms)); f.until = iso(Math.floor(r.ms) + 1); }
    copy((await ask("command", {}, f)).command, "Copied the command");
  });
  if (isFiltered() && r.all !== null) act("Show in context", () => { const n = r.all; change({ ...EMPTY, col: filter.col, hl: filter.hl }, n); });
  body.append(message, actions);
  if (r.trace.length) {
    const pre = el("pre", "raw");
    r.trace.forEach((text, i) => { const part = el(i + 1 === r.index ? "b" : "span"); light(part, text, []); pre.append(part, "\n"); });
    body.append(el("h2", "", number(r.trace.length) + (r.trace.length === 1 ? " more line" : " more lines")), pre);
  }
  const known = [], row = (k, v, kind, yes, no) => {
    const tr = el("tr"), a = el("td", "a"), value = el("td", "v " + kind, shownLines(v)), name = el("th", "k", shown(k));
    name.scope = "row";
    const about = k + " " + v.slice(0, 60);
    if (yes) { const b = named(el("button", "", "="), "Only lines with " + about); b.onclick = yes; a.append(b); }
    if (no) { const b = named(el("button", "", "≠"), "Only lines without " + about); b.onclick = no; a.append(b); }
    tr.append(name, value, a);
    known.push(tr);
  };
  const not = (name, value) => () => change({ where: [...filter.where, condition(name, "!=", value)] });
  for (const [k, v, literal] of r.fields) {
    const kind = !literal ? "s" : /^(true|false|null)$/.test(v) ? "b" : /^[[{]/.test(v) ? "" : "n";
    row(k, v, kind, () => addValue(k, v), not(k, v));
  }
  if (known.length) { const table = el("table"); table.append(...known); body.append(el("h2", "", "Fields"), table); known.length = 0; }
  if (r.category) row("category", r.category, "", () => change({ category: r.category }), not("category", r.category));
  row("file", r.file, "", () => change({ file: [...new Set([...filter.file, r.file])] }), () => change({ notfile: [...new Set([...filter.notfile, r.file])] }));
  row("place", "byte " + number(r.offset) + ", " + number(r.bytes) + " bytes", "");
  const about = el("table"); about.append(...known);
  body.append(el("h2", "", "Where"), about);
  body.append(el("h2", "", "Line"), el("pre", "raw", shownLines(r.raw)));
  if (r.bytes > r.raw.length * 4 || r.bytes > 1048576) body.append(el("p", "", "The line is longer than what is shown."));
  body.tabIndex = 0; body.setAttribute("role", "region"); body.setAttribute("aria-label", "Details of the record");
  box.replaceChildren(top, body);
  say(level + ", " + time.textContent + ", " + r.message.slice(0, 300));
  if (box.hidden) { box.hidden = $("divider").hidden = false; widenRecord(); draw(); setTimeout(() => bars(), 0); }
}
async function copyJSON(n, f) {
  try {
    const answer = await fetch(api("json", { n }, f), { cache: "no-store" });
    if (answer.ok) copy(await answer.text(), "Copied as JSON");
    else toast(answer.status === 404 ? "This part of the log was removed" : "The server answered " + answer.status);
  } catch { toast("The server does not answer"); }
}
function close() {
  opened = null; $("record").hidden = $("divider").hidden = true;
  if (location.hash) history.replaceState(history.state, "", location.pathname + location.search);
  draw(); setTimeout(() => bars(), 0); focusList();
}
async function next(than, direction) {
  const start = selected !== null ? selected : direction > 0 ? Math.floor(pos) - 1 : Math.floor(pos) + visible;
  const answer = await ask("next", { from: start, step: direction, than }, { ...filter, hl: [] });
  if (answer.n === null) toast("No " + (direction > 0 ? "later" : "earlier") + " line of level " + than + " or worse");
  else goTo(answer.n);
}

// MARK: The border between list and record

const divider = $("divider"), LEAST = 300;
let recordWidth = null;
try { recordWidth = Number(localStorage.getItem("record")) || null; } catch { /* none kept */ }
// The list and the record both keep the least width; null is the width of the style.
const widest = () => Math.max(LEAST, document.querySelector("main").clientWidth - LEAST - ($("facets").hidden ? 0 : $("facets").offsetWidth));
function widenRecord(width = recordWidth, isKept = false) {
  recordWidth = width;
  const style = document.documentElement.style;
  if (width === null) style.removeProperty("--record"); else style.setProperty("--record", Math.round(Math.min(widest(), Math.max(LEAST, width))) + "px");
  if (isKept) {
    recordWidth = width === null ? null : $("record").offsetWidth;
    try { if (width === null) localStorage.removeItem("record"); else localStorage.setItem("record", recordWidth); } catch { /* not kept */ }
  }
  for (const [name, value] of [["valuemin", LEAST], ["valuemax", widest()], ["valuenow", $("record").offsetWidth]]) divider.setAttribute("aria-" + name, Math.round(value));
}
let isDragged = false;
divider.addEventListener("pointerdown", event => { if (!event.button) { isDragged = true; event.preventDefault(); divider.focus(); } });
window.addEventListener("pointermove", event => { if (isDragged) widenRecord($("record").getBoundingClientRect().right - event.clientX, true); });
for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => { isDragged = false; });
divider.addEventListener("dblclick", () => widenRecord(null, true));
divider.addEventListener("keydown", event => {
  const width = $("record").offsetWidth, to = { ArrowLeft: width + 20, ArrowRight: width - 20, Home: widest(), End: LEAST }[event.key];
  if (to === undefined) return;
  event.preventDefault(); event.stopPropagation(); widenRecord(to, true);
});
window.addEventListener("resize", () => { if (opened !== null) widenRecord(); });

// MARK: Keys

const KEYS = [["/", "search: shows only lines that contain a text"], ["h", "find: highlights a text and hides nothing"], ["n  N", "next and previous hit"], ["j  k", "next and previous line (also ↓ ↑; with Shift several)"], ["Enter", "open the line"], ["Esc", "close; then clear the filter"], ["f", "follow new lines"], ["e  E", "next and previous error"], ["w  W", "next and previous warning"], ["m", "mark the line"], ["'  \"", "next and previous mark"], ["g  G", "first and last line"], ["Space  b", "a page down and up"], ["1 … 7", "show or hide a level"], ["a", "add a filter"], ["x", "fields and their values"], ["r", "one row for each record"], ["c", "copy the line as JSON"], ["Ctrl-C", "copy the selected lines"], ["z", "times in UTC or local"], ["t", "light or dark"], ["?", "these keys"]];
for (const [key, text] of KEYS) { const dt = el("dt"); key.split("  ").forEach((k, i) => { if (i) dt.append(" "); dt.append(el("kbd", "", k)); }); $("keys").querySelector("dl").append(dt, el("dd", "", text)); }
$("help").onclick = () => $("keys").showModal();
for (const id of ["keys", "saver"]) $(id).onclick = event => { if (event.target === $(id)) $(id).close(); };
window.addEventListener("keydown", event => {
  document.body.classList.add("keys");
  if (document.querySelector("dialog[open]") || event.altKey) return;
  const inField = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "checkbox";
  if (event.ctrlKey || event.metaKey) {
    if (event.key.toLowerCase() === "c" && !inField && selected !== null && !String(getSelection())) { event.preventDefault(); copyRows(); }
    return;
  }
  if (inField) {
    if (event.key === "Escape") { if (event.target === $("find")) showFind(filter.hl.length > 0); event.target.blur(); focusList(); event.preventDefault(); }
    else if (event.key === "ArrowDown" && event.target === $("q")) { focusList(); event.preventDefault(); }
    return;
  }
  // What has the focus is operated by its own keys.
  const isControl = /^(BUTTON|SUMMARY|INPUT)$/.test(event.target.tagName);
  const page = Math.max(1, visible - 3);
  const keys = {
    "/": () => { $("q").focus(); $("q").select(); }, j: () => step(1), k: () => step(-1), J: () => step(1, true), K: () => step(-1, true), ArrowDown: () => step(1, event.shiftKey), ArrowUp: () => step(-1, event.shiftKey),
    f: () => { setFollow(!follow); draw(); }, e: () => next("error", 1), E: () => next("error", -1), w: () => next("warning", 1), W: () => next("warning", -1),
    h: () => showFind(true), n: () => hit(1), N: () => hit(-1), m: toggleMark, "'": () => nextMark(1), "\"": () => nextMark(-1), x: () => showFacets($("facets").hidden), r: fold,
    g: () => { setFollow(false); anchor = null; reach(first); }, G: () => { selected = anchor = null; setFollow(true); draw(); }, Home: () => { setFollow(false); anchor = null; reach(first); }, End: () => { selected = anchor = null; setFollow(true); draw(); },
    b: () => move(-page), PageDown: () => move(page), PageUp: () => move(-page), a: () => $("add").click(), t: theme, z: () => $("zone").click(), "?": () => $("keys").showModal(),
    o: () => selected !== null && open(selected), c: () => selected !== null && copyJSON(selected),
    Escape: () => { if (opened !== null) close(); else if (!$("facets").hidden && innerWidth <= 900) showFacets(false); else if (isFiltered()) change(cleared()); else if (filter.hl.length) { change({ hl: [] }); $("findbar").hidden = true; highlights(); } else select(null); },
  };
  LEVELS.forEach((_, i) => { keys[String(i + 1)] = () => toggleLevel(i); });
  if (!isControl) { keys[" "] = () => move(page); keys.Enter = () => { if (selected !== null) (opened === selected ? close() : open(selected)); }; }
  const run = Object.hasOwn(keys, event.key) && keys[event.key];
  if (run) { event.preventDefault(); run(); }
});

// MARK: Start

new ResizeObserver(() => { draw(); bars(); }).observe($("list"));
ask("about", {}, EMPTY).then(about => { $("title").textContent = about.title || "heartwood"; $("title").title = about.paths.join("\n"); document.title = (about.title || "logs") + " – heartwood view"; loadMarks(about.paths.join("\n")); }).catch(() => {});
zoneText();
apply(lineOfAddress() || history.state && history.state.spot || undefined);
focusList();
window.heartwood = { state: () => ({ first, end, pos, follow, selected, done, indexed, lost: !!lost, visible, generation, rows: pool.filter(r => !r.hidden && !r.classList.contains("wait")).length }) };
