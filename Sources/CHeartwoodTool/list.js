// MARK: Rows, as far as they are needed

function rowAt(n) {
  const page = pages.get(Math.floor(n / PAGE));
  return page && page.rows.get(n);
}
let loading = 0;
async function load() {
  if (loading >= 2) return;
  const from = Math.floor(Math.max(first, Math.floor(pos) - 20) / PAGE), to = Math.floor(Math.min(end - 1, pos + visible + 20) / PAGE);
  let key = null;
  for (let k = from; k <= to && key === null; k++) {
    if (wanted.has(k)) continue;
    const low = Math.max(first, k * PAGE), high = Math.min(end, (k + 1) * PAGE);
    const page = pages.get(k);
    if (page && (page.whole || page.rows.size >= high - low)) continue;
    key = k;
  }
  if (key === null && edge !== null && !wanted.has(edge)) key = edge;
  if (key === null) return;
  const own = generation;
  wanted.add(key); loading++;
  let isFailed = false;
  try {
    const low = Math.max(first, key * PAGE), high = (key + 1) * PAGE;
    const answer = await ask("rows", { from: low, count: high - low });
    if (own === generation && (!run || answer.run === run)) {
      pages.delete(key);
      const page = { rows: new Map(), whole: answer.rows.length > 0 };
      for (const row of answer.rows) page.rows.set(row[0], row);
      pages.set(key, page);
      if (pages.size > PAGES) for (const old of pages.keys()) {
        if (pages.size <= PAGES) break;
        if (Math.abs(old * PAGE - pos) > 10 * PAGE) pages.delete(old);
      }
    }
  } catch { isFailed = true; } finally {
    loading--;
    if (own === generation) { if (isFailed) setTimeout(() => { wanted.delete(key); draw(); }, 500); else { wanted.delete(key); draw(); } }
  }
}

// MARK: Scrolling: rows are placed by number; a scroll bar of limited length covers all of them

const bottom = () => Math.max(first, end - Math.max(1, Math.floor(height / ROW)));
function size() { return Math.min((end - first) * ROW, LIMIT); }
const isScaled = () => (end - first) * ROW > LIMIT;
function place() {
  const content = Math.max(size(), height);
  const gap = Math.max(0, content - height);
  if (spacer.dataset.h !== String(gap)) { spacer.style.height = gap + "px"; spacer.dataset.h = gap; }
  const most = bottom() - first;
  const top = isScaled() ? (most > 0 ? (pos - first) / most * gap : 0) : (pos - first) * ROW;
  if (Math.abs(scroll.scrollTop - top) > .6) scroll.scrollTop = top;
  lastSet = scroll.scrollTop;
}
function scrolled() {
  if (Math.abs(scroll.scrollTop - lastSet) < 1) return;
  lastSet = scroll.scrollTop;
  const gap = Math.max(1, size() - height);
  const most = bottom() - first;
  pos = isScaled() ? first + scroll.scrollTop / gap * most : first + scroll.scrollTop / ROW;
  clamp(true); draw();
}
function clamp(byUser) {
  pos = Math.min(Math.max(pos, first), Math.max(first, bottom() + (isScaled() ? 0 : .999)));
  if (pos >= bottom() - .01 && pos > bottom()) pos = bottom();
  if (byUser) { setFollow(pos >= bottom() - .2 && end - first > 0); keepSpotSoon(); }
}
function move(delta) { pos += delta; clamp(true); draw(); }
scroll.addEventListener("scroll", scrolled, { passive: true });
scroll.addEventListener("wheel", event => {
  if (!isScaled() || event.ctrlKey) return;
  event.preventDefault();
  move(event.deltaY * (event.deltaMode === 1 ? 1 : event.deltaMode === 2 ? visible : 1 / ROW));
}, { passive: false });
let touch = null;
scroll.addEventListener("touchstart", e => { touch = e.touches[0].clientY; }, { passive: true });
scroll.addEventListener("touchmove", e => {
  if (!isScaled()) return;
  e.preventDefault(); const y = e.touches[0].clientY; move((touch - y) / ROW); touch = y;
}, { passive: false });
narrow.addEventListener("change", () => { ROW = narrow.matches ? 46 : 24; lastSet = -1; chips(); timeline(); draw(); });

let frame = 0;
function draw() { if (!frame) frame = requestAnimationFrame(() => { frame = 0; paint(); }); }
function paint() {
  height = scroll.clientHeight; visible = Math.ceil(height / ROW) + 1;
  view.style.height = height + "px";
  if (follow) pos = bottom();
  clamp(false);
  place();
  const start = Math.floor(pos);
  rows.style.transform = "translateY(" + -(pos - start) * ROW + "px)";
  while (pool.length < visible) {
    const row = el("div", "row"); row.setAttribute("role", "option"); row.id = "row" + pool.length; rows.append(row); pool.push(row);
  }
  const light = highlighter();
  widen(start);
  edge = null;
  let active = "";
  const [low, high] = range() || [1, 0];
  for (let i = 0; i < pool.length; i++) {
    const n = start + i, node = pool[i];
    if (i >= visible || n >= end || n < first) { if (!node.hidden) { node.hidden = true; node.key = ""; } continue; }
    const row = rowAt(n);
    const isSelected = n === selected, isInRange = n >= low && n <= high, removed = row && row[7] === 2 ? removal(n, start) : null;
    const key = n + "|" + generation + "|" + isSelected + "|" + isInRange + "|" + utc + "|" + (row ? isMarked(row) : "-") + "|" + removed;
    if (node.key !== key || node.row !== row || !row) fill(node, n, row, light, isInRange, removed);
    node.style.top = i * ROW + "px";
    node.key = key; node.row = row; node.hidden = false;
    node.setAttribute("aria-selected", isSelected || isInRange ? "true" : "false");
    node.setAttribute("aria-posinset", n - first + 1); node.setAttribute("aria-setsize", end - first);
    if (isSelected) active = node.id;
  }
  if (active) scroll.setAttribute("aria-activedescendant", active); else scroll.removeAttribute("aria-activedescendant");
  empty(); status(); seen(); load();
  $("newer").hidden = follow || !pending;
  if (pending) $("newer").textContent = "↓ " + number(pending) + (pending === 1 ? " new line" : " new lines");
}
// The text of a removed row. The first one on the screen says how many rows of its file were removed in a run; others are empty.
function removal(n, start) {
  const file = rowAt(n)[6], isSame = row => row && row[7] === 2 && row[6] === file;
  if (n > start && isSame(rowAt(n - 1))) return "";
  let from = n, to = n + 1;
  while (n - from < RUN && isSame(rowAt(from - 1))) from--;
  while (to - n < RUN && isSame(rowAt(to))) to++;
  // The run may continue in rows that are not loaded; they are loaded next.
  const isLong = n - from >= RUN || to - n >= RUN;
  if (n - from < RUN && from > first && !rowAt(from - 1)) edge = Math.floor((from - 1) / PAGE);
  else if (to - n < RUN && to < end && !rowAt(to)) edge = Math.floor(to / PAGE);
  const isWhole = !isLong && edge === null;
  const unit = filter.fold ? "record" : "line", count = to - from;
  return number(count) + (isWhole ? "" : " or more") + " " + unit + (count === 1 && isWhole ? "" : "s") + " of " + file + (count === 1 && isWhole ? " was" : " were") + " removed";
}
// How many rows of a run are counted in each direction, and the page of rows that is missing.
const RUN = 1000;
let edge = null;
// Columns are as wide as what is in them, so that messages begin at the same place.
let widths = [0, 0];
function widen(start) {
  const now = [0, 0];
  for (let n = start; n < start + visible; n++) { const row = rowAt(n); if (row) { now[0] = Math.max(now[0], (row[3] || "").length); now[1] = Math.max(now[1], row[6].length); } }
  widths = [Math.max(widths[0], Math.min(now[0], 18)), Math.max(widths[1], Math.min(now[1], 22))];
  const style = document.documentElement.style;
  style.setProperty("--category", widths[0] + "ch"); style.setProperty("--file", widths[1] + "ch");
}
const hasFiles = () => (state.files || 0) > 1 && filter.file.length !== 1;
const hue = name => { let h = 0; for (const c of name) h = (h * 31 + c.charCodeAt(0)) >>> 0; return h % 6; };
function fill(node, n, row, light, isInRange, removed) {
  node.replaceChildren(); node.n = n; node.title = "";
  if (!row) { node.className = "row wait p7"; node.append(el("span", "t", "            "), el("span", "m", " ")); return; }
  const [, time, level, category, message, fields, file, kind, , folded, styles] = row;
  node.className = "row p" + level + (kind === 0 ? " tail" : kind === 2 ? removed ? " gone" : " gone more" : "") + (n === selected ? " sel" : isInRange ? " range" : "") + (isMarked(row) ? " marked" : "");
  const t = el("span", "t");
  if (time !== null && kind === 1) { const [day, clock] = moment(time); t.append(el("b", "", day + " "), clock); }
  else if (!narrow.matches) t.textContent = " ".repeat(19);
  const m = el("span", "m"), r = el("span", "r");
  if (kind !== 2) light(m, message, styles);
  else if (removed) m.textContent = shown(removed);
  else m.append(el("span", "unseen", "removed"));
  node.append(t, el("span", "l", level < 7 && kind === 1 ? LEVELS[level] : ""));
  if (widths[0] && !narrow.matches || category) { const c = el("span", "c"); if (category) c.append(el("span", "", shown(category))); node.append(c); }
  if (hasFiles() && kind !== 2) { const w = el("span", "w g" + hue(file), shown(file)); w.title = file; node.append(w); }
  for (const name of filter.col) { const field = fields.find(f => f[0] === name), k = el("span", "k", field ? shown(field[1]) : ""); k.title = name; node.append(k); }
  r.append(m);
  const others = fields.filter(f => !filter.col.includes(f[0]));
  if (others.length) {
    const f = el("span", "f");
    for (const [k, v] of others) { const one = el("span", "", shown(k) + "="); one.append(el("i", "", shown(v))); f.append(one); }
    r.append(f);
  }
  node.append(r);
  if (folded) node.append(el("span", "n", "+" + number(folded) + (folded === 1 ? " line" : " lines")));
}

// MARK: Colors of a text: those of a terminal, those of the search, those of the highlights

const pattern = (text, isRegex, isSensitive) => { try { return new RegExp(isRegex ? text : text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), isSensitive ? "g" : "gi"); } catch { return null; } };
function highlighter() {
  const finds = filter.hl.map((text, i) => [pattern(text, false, false), "h" + (i % 5 + 1)]);
  if (filter.q) finds.push([pattern(filter.q, filter.re, filter.cs), ""]);
  return (node, text, styles) => {
    const marks = [];
    for (const [find, cls] of finds) {
      if (!find) continue;
      let count = 0; find.lastIndex = 0;
      for (let hit; count < 50 && (hit = find.exec(text)); count++) {
        if (!hit[0]) { find.lastIndex++; continue; }
        const from = hit.index, to = from + hit[0].length;
        if (!marks.some(m => from < m[1] && m[0] < to)) marks.push([from, to, cls]);
      }
    }
    if (!marks.length && !(styles && styles.length)) { node.textContent = shownLines(text); return; }
    const cuts = new Set([0, text.length]);
    for (const [from, to] of marks) cuts.add(from).add(to);
    for (const [from, count] of styles || []) cuts.add(from).add(Math.min(text.length, from + count));
    const places = [...cuts].filter(c => c <= text.length).sort((a, b) => a - b);
    for (let i = 0; i + 1 < places.length; i++) {
      const from = places[i], piece = shownLines(text.slice(from, places[i + 1]));
      const mark = marks.find(m => m[0] <= from && from < m[1]);
      const style = (styles || []).find(s => s[0] <= from && from < s[0] + s[1]);
      let part = style ? el("span", style[2], piece) : piece;
      if (mark) { const outer = el("mark", mark[2]); outer.append(mark && style ? piece : part); part = outer; }
      node.append(part);
    }
  };
}
const pad = (n, w = 2) => String(n).padStart(w, "0");
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
function parts(ms) {
  const d = new Date(ms);
  return utc ? [d.getUTCFullYear(), d.getUTCMonth(), d.getUTCDate(), d.getUTCHours(), d.getUTCMinutes(), d.getUTCSeconds(), d.getUTCMilliseconds()]
    : [d.getFullYear(), d.getMonth(), d.getDate(), d.getHours(), d.getMinutes(), d.getSeconds(), d.getMilliseconds()];
}
const THIS_YEAR = new Date().getFullYear();
function moment(ms) { const [y, mo, d, h, mi, s, f] = parts(Math.floor(ms)); return [(y === THIS_YEAR ? "" : y + " ") + MONTHS[mo] + " " + pad(d), pad(h) + ":" + pad(mi) + ":" + pad(s) + "." + pad(f, 3)]; }
function full(ms) { const [y, mo, d] = parts(Math.floor(ms)); return y + "-" + pad(mo + 1) + "-" + pad(d) + " " + moment(ms)[1]; }
const iso = ms => new Date(ms).toISOString();

function empty() {
  const isEmpty = isReady && end - first === 0 && (done >= 1 || !isFiltered());
  $("empty").hidden = !isEmpty;
  if (!isEmpty) return;
  const [b, s] = $("empty").children;
  if (!$("problem").hidden) { b.textContent = "The filter is not valid"; s.textContent = $("problem").textContent; }
  else if (isFiltered()) { b.textContent = "No line matches"; s.textContent = "Esc clears the filter"; }
  else { b.textContent = "No lines yet"; s.textContent = "New lines appear here"; }
}

// MARK: Status

const size_ = n => n >= 1073741824 ? (n / 1073741824).toFixed(2) + " GiB" : n >= 1048576 ? (n / 1048576).toFixed(1) + " MiB" : n >= 1024 ? (n / 1024).toFixed(n < 10240 ? 1 : 0) + " KiB" : n + (n === 1 ? " byte" : " bytes");
function status() {
  const count = $("count"), total = end - first, unit = filter.fold ? "record" : "line";
  count.replaceChildren();
  if (isFiltered()) count.append(el("b", "", number(total)), filter.fold ? (total === 1 ? " record" : " records") : " of " + number(state.lines || 0) + " lines");
  else count.append(el("b", "", number(total)), " " + unit + (total === 1 ? "" : "s"));
  $("files").textContent = state.files === undefined ? "" : number(state.files) + (state.files === 1 ? " file" : " files") + ", " + size_(state.bytes || 0);
  const part = indexed < 1 ? indexed : isFiltered() ? done : 1;
  $("progress").hidden = part >= 1 || !isReady;
  $("progress").querySelector("i").style.width = part * 100 + "%";
  $("progress").lastElementChild.textContent = (indexed < 1 ? "indexing " : "searching ") + Math.floor(part * 100) + " %";
  const now = performance.now();
  rates = rates.filter(r => now - r[0] < 2000);
  const came = rates.reduce((s, r) => s + r[1], 0) / 2, hid = rates.reduce((s, r) => s + r[2], 0) / 2;
  $("rate").hidden = came < 1;
  $("rate").textContent = number(Math.round(came)) + " " + unit + "s/s" + (hid >= 1 ? ", " + number(Math.round(hid)) + " of them skipped on the screen" : "");
  const damages = state.damages || [];
  $("damage").hidden = !damages.length;
  $("damage").textContent = "⚠ " + (damages.length === 1 ? shown(damages[0]) : damages.length + " files have problems");
  $("damage").title = damages.map(shown).join("\n");
  $("lost").hidden = !lost && !state.ended;
  $("lost").textContent = lost || "The program has ended";
}
setInterval(() => { if (rates.length) status(); }, 700);
