const $ = id => document.getElementById(id);
const LEVELS = ["fatal", "error", "warning", "notice", "info", "debug", "verbose"];
const PAGE = 100, PAGES = 60, LIMIT = 8e6;
const base = location.pathname.replace(/\/*$/, "/");
const number = n => n.toLocaleString("en-US");
const el = (tag, cls, text) => { const e = document.createElement(tag); if (tag === "button") e.type = "button"; if (cls) e.className = cls; if (text !== undefined) e.textContent = text; return e; };
const named = (button, name) => { button.title = name; button.setAttribute("aria-label", name); return button; };
const narrow = matchMedia("(max-width: 600px)");
// The height of a row; on a phone a row has two lines.
let ROW = narrow.matches ? 46 : 24;

// What a terminal or a browser would obey is shown instead: controls, and marks that turn the direction of writing around.
const HARM = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const escape = c => "\\u{" + c.charCodeAt(0).toString(16) + "}";
const shown = text => text.replace(HARM, escape);
const shownLines = text => text.replace(HARM, c => c === "\n" ? c : escape(c));

// MARK: Filter and address

const ONE = ["q", "level", "category", "since", "until"], MANY = ["file", "notfile", "not", "where", "col", "hl"];
const EMPTY = { q: "", re: false, cs: false, level: "", category: "", since: "", until: "", file: [], notfile: [], not: [], where: [], fold: false, col: [], hl: [] };
let filter = read();
function read() {
  const p = new URLSearchParams(location.search), f = { ...EMPTY };
  for (const key of ONE) f[key] = p.get(key) || "";
  for (const key of MANY) f[key] = p.getAll(key).filter(Boolean);
  for (const key of ["re", "cs", "fold"]) f[key] = p.get(key) === "1";
  return f;
}
function query(f) {
  const p = new URLSearchParams();
  for (const key of ONE) if (f[key]) p.set(key, f[key]);
  for (const key of ["re", "cs", "fold"]) if (f[key]) p.set(key, "1");
  for (const key of MANY) for (const value of f[key]) p.append(key, value);
  return p.toString();
}
// What decides which lines there are, and not how they look.
const selecting = f => query({ ...f, col: [], hl: [] });
const isFiltered = () => query({ ...filter, re: false, cs: false, fold: false, col: [], hl: [] }) !== "";
// Filters that stay when a search or a level is cleared.
const cleared = () => ({ ...EMPTY, re: filter.re, cs: filter.cs, fold: filter.fold, col: filter.col, hl: filter.hl });

let isTyping = false;
// One entry of the history for each filter; what is typed letter by letter is one filter.
function change(part, at, typing = false) {
  const before = selecting(filter);
  keepSpot();
  const spot = at === undefined ? undefined : { n: at };
  filter = { ...filter, ...part };
  const text = query(filter), address = base + (text ? "?" + text : "");
  if (typing && isTyping) history.replaceState(null, "", address); else history.pushState(null, "", address);
  isTyping = typing;
  if (before === selecting(filter) && spot === undefined) redo(); else apply(spot);
}
window.addEventListener("popstate", event => {
  const before = selecting(filter);
  filter = read(); isTyping = false;
  const spot = lineOfAddress() || event.state && event.state.spot;
  if (before === selecting(filter) && !spot) redo(); else apply(spot || undefined);
});

// MARK: Places that last: a file and a byte of it, with the time and what tells the text from others in case the file has another name

function lineOfAddress() {
  const p = new URLSearchParams(location.hash.slice(1));
  if (!p.has("line")) return null;
  return { file: p.get("line"), offset: Number(p.get("byte")) || 0, ms: p.has("time") ? Number(p.get("time")) : null, text: p.get("text"), opens: true };
}
const spotOf = row => ({ file: row[6], offset: row[8], ms: row[1] === null ? null : Math.floor(row[1]), text: row[11] });
function addressOf(spot) {
  const p = new URLSearchParams({ line: spot.file, byte: spot.offset });
  if (spot.ms !== null) p.set("time", spot.ms);
  if (spot.text) p.set("text", spot.text);
  return location.pathname + location.search + "#" + p;
}
let spotTimer = 0;
function keepSpotSoon() { clearTimeout(spotTimer); spotTimer = setTimeout(keepSpot, 250); }
function keepSpot() {
  clearTimeout(spotTimer);
  const row = follow ? null : rowAt(Math.floor(pos));
  history.replaceState(row ? { spot: spotOf(row) } : null, "", location.href);
}
async function locate(spot) {
  if (spot.n !== undefined) return spot.n;
  const place = { in: spot.file, offset: spot.offset };
  if (spot.ms !== null) place.t = spot.ms;
  // A link or a mark means one line, and no other one that is there now.
  if (spot.opens) { place.exact = 1; if (spot.text) place.text = spot.text; }
  return (await ask("locate", place)).n;
}

class Refused extends Error {}
class Invalid extends Error {}
function api(name, extra, f = filter) {
  const more = new URLSearchParams(extra || {}).toString();
  return base + "api/" + name + "?" + [query(f), more].filter(Boolean).join("&");
}
async function ask(name, extra, f = filter) {
  const answer = await fetch(api(name, extra, f), { cache: "no-store" });
  const type = answer.headers.get("Content-Type") || "";
  if (answer.status === 403) throw new Refused("The address is no longer valid. The server was started again: open the address that it printed.");
  if (!type.startsWith("application/json")) throw new Error((await answer.text()).trim() || "The server answered " + answer.status);
  const content = await answer.json();
  if (answer.status === 400) throw new Invalid(content.problem || "The filter is not valid");
  if (!answer.ok) throw new Error("The server answered " + answer.status);
  return content;
}

// MARK: State

let first = 0, end = 0, done = 0, indexed = 0, levels = new Array(8).fill(0), span = [];
let pos = 0, follow = true, selected = null, anchor = null, opened = null, generation = 0, lost = "", run = "";
let pages = new Map(), wanted = new Set(), source = null, state = {}, jump = null, isReady = false;
let rates = [], pending = 0, caughtUp = 0;
const scroll = $("scroll"), view = $("view"), rows = $("rows"), spacer = $("spacer");
const focusList = () => scroll.focus({ preventScroll: true });
let height = 0, visible = 1, lastSet = -1;
const pool = [];
let utc = true;
try { utc = localStorage.getItem("zone") !== "local"; } catch { /* none kept */ }

// Begins again with the filter, at a place or at the end.
function apply(spot) {
  reset();
  jump = spot === undefined || spot === null ? null : spot; follow = jump === null;
  $("problem").hidden = true; $("search").classList.remove("wrong");
  if (opened !== null && jump === null) close();
  listen(); redo(); timeline();
}
// Shows the same rows in another way.
function redo() {
  if ($("q").value !== filter.q && document.activeElement !== $("q") || !isTyping) $("q").value = filter.q;
  $("clear").hidden = !filter.q;
  // The line begins with its time or a brace, which the row shows elsewhere or not at all.
  $("hint").hidden = !(filter.re && (/^\(*\^/.test(filter.q) || /(^|[^\\])(\\\\)*\$\)*$/.test(filter.q)));
  press($("re"), filter.re); press($("cs"), filter.cs); press($("fold"), filter.fold); press($("follow"), follow);
  for (const node of pool) node.row = null;
  for (const page of pages.values()) page.whole = page.whole && filter.col.every(c => columnsLoaded.has(c));
  for (const c of filter.col) if (!columnsLoaded.has(c)) { columnsLoaded.add(c); pages = new Map(); }
  chips(); highlights(); draw();
}
const columnsLoaded = new Set();
function reset() {
  generation++;
  pages = new Map(); wanted = new Set(); columnsLoaded.clear(); for (const c of filter.col) columnsLoaded.add(c);
  first = end = 0; isReady = false; selected = anchor = null;
  pos = 0; pending = 0; rates = [];
}
// A hidden page closes its connection, since a browser opens only six to one server. It catches up when it is visible again.
function listen() {
  if (source) source.close();
  source = null; caughtUp = isReady ? performance.now() + 1000 : 0;
  if (document.hidden) return;
  const own = generation, text = query(filter), stream = new EventSource(base + "api/events?tail=60" + (text ? "&" + text : ""));
  let isAnswered = false;
  source = stream;
  stream.onopen = () => { isAnswered = true; if (lost) { lost = ""; status(); } };
  stream.onmessage = event => { if (own === generation && stream === source) take(JSON.parse(event.data)); };
  stream.onerror = async () => {
    if (own !== generation || stream !== source) return;
    // The server ends answers where it holds those of other pages: only an attempt without an answer says that it is gone.
    if (isAnswered && stream.readyState !== EventSource.CLOSED) { isAnswered = false; return; }
    try { await ask("command"); if (lost) { lost = ""; status(); } } catch (error) {
      if (own !== generation || stream !== source) return;
      if (error instanceof Invalid) { stream.close(); problem(error.message); return; }
      // Of a server that ends or begins, an answer may be cut: that says nothing of the filter.
      lost = error instanceof Refused ? error.message : "No connection to the server"; status();
      if (error instanceof Refused) { stream.close(); return; }
    }
    // Where the browser has given up, as after an error of the server, the page asks again.
    if (stream.readyState === EventSource.CLOSED) setTimeout(() => { if (stream === source) listen(); }, 1000);
  };
}
document.addEventListener("visibilitychange", listen);
function problem(text) {
  $("problem").textContent = text; $("problem").hidden = false; $("search").classList.add("wrong");
  first = end = 0; isReady = true; done = 1; levels.fill(0); draw(); chips(); timeline();
}
function take(s) {
  if (run && s.run !== run) {
    // The server was started again: rows have other numbers now.
    const row = follow ? null : rowAt(Math.floor(pos)), sel = selected === null ? null : rowAt(selected);
    run = s.run;
    if (opened !== null) close();
    apply(sel ? spotOf(sel) : row ? spotOf(row) : undefined);
    return;
  }
  run = s.run;
  const grown = isReady ? s.end - end : 0, before = end;
  lost = ""; state = s;
  first = s.first; end = s.end; done = s.done; indexed = s.indexed; levels = s.levels; span = s.span;
  if (s.rows) for (const row of s.rows) keep(row);
  if (grown) for (const [key, page] of pages) if (key === Math.floor((before - 1) / PAGE)) page.whole = false;
  if (grown > 0) {
    // What came while the page was hidden did not come now.
    if (performance.now() > caughtUp) rates.push([performance.now(), grown, follow ? Math.max(0, grown - visible) : 0]);
    if (!follow) pending += grown;
  }
  if (follow) { pos = bottom(); pending = 0; }
  else if (!isReady && jump === null) pos = bottom();
  isReady = true;
  if (jump !== null) land();
  chips(); draw(); timelineSoon();
}
let isLanding = false;
// Goes to the place that was asked for, as soon as it is known.
async function land() {
  if (isLanding) return;
  isLanding = true;
  const own = generation, spot = jump;
  try {
    const n = await locate(spot);
    if (own !== generation || jump !== spot) return;
    if (n !== null && n >= first && n < end) {
      jump = null;
      if (spot.n === undefined && !spot.opens) { pos = n; setFollow(false); draw(); } else show(n, true);
      if (spot.opens) open(n);
    }
    else if (indexed >= 1 && done >= 1) { jump = null; setFollow(true); if (spot.opens) toast("The line of the address is no longer there"); draw(); }
  } catch { /* it is asked for again */ } finally { isLanding = false; }
}
function keep(row) {
  const key = Math.floor(row[0] / PAGE);
  let page = pages.get(key);
  if (!page) pages.set(key, page = { rows: new Map(), whole: false });
  const old = page.rows.get(row[0]);
  if (!old || old[4] !== row[4] || old[9] !== row[9]) page.rows.set(row[0], row);
}
