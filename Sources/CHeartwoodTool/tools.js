// MARK: Filters

function press(button, on) { button.setAttribute("aria-pressed", on ? "true" : "false"); }
// The levels that pass, as numbers; a name alone is that level and all that are worse.
function passing() {
  if (!filter.level) return null;
  const isExact = filter.level.startsWith("="), names = filter.level.replace(/^=/, "").split(",").map(n => LEVELS.indexOf(n));
  if (names.length === 1 && !isExact) return new Set(LEVELS.keys().filter(i => i <= names[0]));
  return new Set(names);
}
function levelText(set) { return set.size === 0 || set.size === LEVELS.length ? "" : (set.size === 1 ? "=" : "") + [...set].sort((a, b) => a - b).map(i => LEVELS[i]).join(","); }
function toggleLevel(i) {
  const set = new Set(passing() || []);
  if (set.has(i)) set.delete(i); else set.add(i);
  change({ level: levelText(set) });
}
const quoted = text => /["<>=!~\\]|^\s|\s$|^$| or /.test(text) ? '"' + text.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n").replace(/\t/g, "\\t") + '"' : text;
const condition = (name, sign, value) => quoted(name) + sign + quoted(value);
// A second value of the same field is taken besides the first one.
function addValue(name, value) {
  const own = condition(name, "=", value), start = quoted(name) + "=";
  const old = filter.where.findIndex(w => w.split(" or ").every(c => c.startsWith(start)));
  if (old < 0) change({ where: [...filter.where, own] });
  else if (!filter.where[old].split(" or ").includes(own)) change({ where: filter.where.map((w, i) => i === old ? w + " or " + own : w) });
}
const without = (key, value) => change({ [key]: filter[key].filter(v => v !== value) });
const brief = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
let chipKey = "";
function chips() {
  const key = JSON.stringify([filter, levels, isFiltered(), utc, narrow.matches]);
  if (key === chipKey) return;
  chipKey = key;
  const box = $("filters"), held = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.level : null;
  box.replaceChildren();
  const pass = passing(), isThreshold = filter.level && !/[=,]/.test(filter.level), edge = isThreshold ? LEVELS.indexOf(filter.level) : -1;
  LEVELS.forEach((name, i) => {
    const b = el("button", "level p" + i + (pass && !pass.has(i) ? " off" : "") + (i === edge ? " edge" : pass && !isThreshold && pass.has(i) ? " only" : ""));
    const count = levels[i] || 0;
    b.title = number(count) + " " + name + ". " + (i === edge ? "Show all levels" : "Show " + name + (i ? " and more severe" : "")) + "; with Shift: show or hide " + name + " alone";
    b.dataset.level = name;
    press(b, !pass || pass.has(i));
    b.append(el("i"), name, el("span", "", narrow.matches ? brief.format(count) : number(count)));
    b.onclick = event => event.shiftKey || event.ctrlKey || event.metaKey ? toggleLevel(i) : change({ level: filter.level === name ? "" : name });
    box.append(b);
    if (held === name) b.focus();
  });
  const all = [];
  if (filter.category) all.push(["category", filter.category, () => change({ category: "" })]);
  for (const f of filter.file) all.push(["file", f, () => without("file", f)]);
  for (const f of filter.notfile) all.push(["not file", f, () => without("notfile", f)]);
  if (filter.since || filter.until) all.push(["time", (filter.since ? label(filter.since) : "…") + " – " + (filter.until ? label(filter.until) : "…"), () => change({ since: "", until: "" })]);
  for (const w of filter.where) all.push(["field", w, () => without("where", w)]);
  for (const t of filter.not) all.push(["without", t, () => without("not", t)]);
  for (const c of filter.col) all.push(["column", c, () => without("col", c)]);
  if (all.length) box.append(el("span", "rule"));
  for (const [kind, value, remove] of all) {
    const chip = el("span", "chip"), x = named(el("button", "", "✕"), "Remove " + kind + " " + value);
    x.onclick = remove;
    const code = el("code", "", shown(value)); code.title = value;
    chip.append(el("em", "", kind), code, x);
    box.append(chip);
  }
}
const label = text => { const ms = Date.parse(text); return isNaN(ms) ? text : full(ms).slice(5); };
let timer = 0;
$("q").addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => { if ($("q").value !== filter.q) change({ q: $("q").value }, undefined, true); }, 220); });
$("q").addEventListener("blur", () => { isTyping = false; });
$("search").addEventListener("submit", event => { event.preventDefault(); clearTimeout(timer); if ($("q").value !== filter.q) change({ q: $("q").value }, undefined, true); isTyping = false; focusList(); });
$("clear").onclick = () => { change({ q: "" }); $("q").focus(); };
$("re").onclick = () => change({ re: !filter.re });
$("cs").onclick = () => change({ cs: !filter.cs });
$("fold").onclick = fold;
// The first row on the screen stays there.
function fold() {
  const row = follow ? null : rowAt(selected !== null ? selected : Math.floor(pos));
  change({ fold: !filter.fold });
  if (row) { jump = spotOf(row); setFollow(false); }
}
const HELP = {
  not: "Hides lines that contain the text.", where: "As for grep --where: ms>100, user=ann or user=bob, path~/login. A name or value in double quotes may contain any character.",
  level: "warning: this level and all more severe ones; =warning: this one only; error,debug: these.", category: "shop includes shop.cart.",
  file: "The name of a file.", thread: "The name or number of a thread.", since: "2026-11-20, 2026-11-20T10:30, or 15m for the last 15 minutes. Times without a zone are UTC.",
};
HELP.until = HELP.since;
$("add").onclick = () => { $("value").value = ""; $("kind").onchange(); $("adder").showModal(); $("value").focus(); };
$("cancel").onclick = () => $("adder").close();
$("kind").onchange = () => { $("kindhelp").textContent = HELP[$("kind").value]; };
$("adder").addEventListener("close", () => {
  const kind = $("kind").value, value = $("value").value;
  if ($("adder").returnValue !== "ok" || !value) return;
  $("adder").returnValue = "";
  if (kind === "not" || kind === "where") change({ [kind]: [...filter[kind], value] });
  else if (kind === "file") change({ file: [...new Set([...filter.file, value])] });
  else if (kind === "thread") addValue("thread", value);
  else change({ [kind]: value });
});
function setFollow(on) { if (follow !== on) { follow = on; if (on) { pending = 0; keepSpotSoon(); } } press($("follow"), on); }
$("follow").onclick = () => { setFollow(!follow); draw(); };
$("newer").onclick = () => { setFollow(true); draw(); };
const zoneText = () => { $("zone").textContent = utc ? "UTC" : "local time"; };
$("zone").onclick = () => { utc = !utc; try { localStorage.setItem("zone", utc ? "utc" : "local"); } catch { /* not kept */ } zoneText(); chips(); timeline(); draw(); if (opened !== null) open(opened); };
$("theme").onclick = theme;
function theme() {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("theme", document.documentElement.dataset.theme); } catch { /* not kept */ }
  bars();
}
try { const kept = localStorage.getItem("theme"); if (kept) document.documentElement.dataset.theme = kept; } catch { /* none kept */ }
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => bars());
$("copycmd").onclick = async () => copy((await ask("command")).command, "Copied the command");
$("save").onclick = () => $("saver").showModal();
for (const b of $("saver").querySelectorAll("button")) b.onclick = () => { $("saver").close(); save(b.dataset.format); };
function save(format) {
  const a = el("a");
  a.href = api("lines", { format });
  a.download = "heartwood." + (format === "lines" ? "log" : format); a.click();
  if (indexed < 1 || done < 1) toast("The file is complete when the index is");
}

// MARK: Find: highlights, and the way from one hit to the next

function highlights() {
  const box = $("highlights");
  box.replaceChildren();
  filter.hl.forEach((text, i) => {
    const chip = el("span", "chip h" + (i % 5 + 1)), x = named(el("button", "", "✕"), "Remove the highlight " + text);
    x.onclick = () => without("hl", text);
    chip.append(el("code", "", shown(text)), x); box.append(chip);
  });
  if (filter.hl.length) $("findbar").hidden = false;
  press($("findopen"), !$("findbar").hidden);
}
function showFind(on) {
  $("findbar").hidden = !on;
  press($("findopen"), on);
  if (on) { $("find").focus(); $("find").select(); } else focusList();
  draw();
}
$("findopen").onclick = () => { if ($("findbar").hidden) showFind(true); else { $("find").value = ""; if (filter.hl.length) change({ hl: [] }); showFind(false); } };
$("findbar").addEventListener("submit", event => {
  event.preventDefault();
  const text = $("find").value;
  if (text && !filter.hl.includes(text)) change({ hl: [...filter.hl, text].slice(-12) });
  $("find").value = "";
  if (filter.hl.length) { hit(-1); focusList(); }
});
$("findnext").onclick = () => hit(1);
$("findprevious").onclick = () => hit(-1);
let hitOwn = 0;
async function hit(direction) {
  if (!filter.hl.length) { showFind(true); return; }
  const own = ++hitOwn, gen = generation;
  let from = selected !== null ? selected : direction > 0 ? Math.floor(pos) - 1 : Math.floor(pos) + visible;
  const p = new URLSearchParams({ from, step: direction });
  while (true) {
    p.set("from", from);
    const answer = await ask("next", Object.fromEntries(p));
    if (own !== hitOwn || gen !== generation) return;
    if (answer.n !== null) { goTo(answer.n); return; }
    if (answer.on === null) { toast("No " + (direction > 0 ? "later" : "earlier") + " hit"); return; }
    from = answer.on;
    toast("Searching…");
  }
}

// MARK: Marks: kept for this log by file and byte

const MARKS = "marks " + base.length + " ";
let marks = new Map(), marksName = "";
const markKey = row => row[6] + "\n" + row[8];
// Another line may be at the place now.
const isMarked = row => { const mark = marks.get(markKey(row)); return mark !== undefined && (!Array.isArray(mark) || mark[1] === row[11]); };
function loadMarks(name) {
  marksName = MARKS + name;
  try { marks = new Map(JSON.parse(localStorage.getItem(marksName) || "[]")); } catch { marks = new Map(); }
  draw();
}
function toggleMark() {
  const row = selected !== null && rowAt(selected);
  if (!row) { toast("Select a line to mark it"); return; }
  if (isMarked(row)) marks.delete(markKey(row)); else marks.set(markKey(row), [spotOf(row).ms, row[11]]);
  while (marks.size > 200) marks.delete(marks.keys().next().value);
  try { localStorage.setItem(marksName, JSON.stringify([...marks])); } catch { /* not kept */ }
  toast(isMarked(row) ? "Marked; ' and \" go to the next and previous mark" : "Removed the mark"); draw();
}
async function nextMark(direction) {
  const found = [];
  let gone = 0;
  for (const [key, mark] of marks) {
    const [file, offset] = key.split("\n"), [ms, text] = Array.isArray(mark) ? mark : [mark === null ? null : Math.floor(mark), 0];
    const n = await locate({ file, offset: Number(offset), ms, text, opens: true });
    if (n === null) gone++; else found.push(n);
  }
  const from = selected !== null ? selected : Math.floor(pos);
  found.sort((a, b) => a - b);
  const n = direction > 0 ? found.find(n => n > from) : found.reverse().find(n => n < from);
  if (n === undefined) toast("No " + (direction > 0 ? "later" : "earlier") + " mark" + (gone ? "; " + number(gone) + " marked " + (gone === 1 ? "line is" : "lines are") + " hidden or gone" : "")); else goTo(n);
}

// MARK: Fields and their values

async function facets() {
  const box = $("facets"), own = generation;
  if (!box.hidden && box.dataset.key === selecting(filter) + "|" + run + "|" + filter.col) return;
  let f;
  try { f = await ask("facets"); } catch (error) { toast(error.message); return; }
  if (own !== generation || box.hidden) return;
  box.dataset.key = selecting(filter) + "|" + run + "|" + filter.col;
  const isOpen = new Set([...box.querySelectorAll("details[open]")].map(d => d.dataset.name));
  const isFirst = !box.querySelector("details");
  box.replaceChildren();
  const top = el("div", "top"), x = named(el("button", "", "✕"), "Close the fields");
  x.onclick = () => showFacets(false);
  top.append(el("h2", "", "Fields"), x);
  box.append(top, el("p", "", (f.whole ? "Of " : "Of the newest ") + number(f.records) + " records" + (f.whole ? "" : " that pass") + "."));
  f.fields.forEach((field, i) => {
    const d = el("details"), s = el("summary", "", shown(field.name)), list = el("ul");
    d.dataset.name = field.field + " " + field.name; d.open = isOpen.has(d.dataset.name) || isFirst && i < 4;
    s.append(el("span", "", number(field.distinct) + (field.more ? "+" : "") + (field.distinct === 1 ? " value" : " values")));
    for (const [value, count] of field.values) {
      const li = el("li"), v = el("button", "v", shown(value) || "(empty)"), no = named(el("button", "", "≠"), "Hide " + field.name + " " + value);
      v.title = "Show only " + field.name + " " + value;
      v.onclick = () => only(field, value, true); no.onclick = () => only(field, value, false);
      li.append(v, el("span", "", number(count)), no); list.append(li);
    }
    d.append(s, list);
    if (field.field) {
      const l = el("label"), c = el("input"); c.type = "checkbox"; c.checked = filter.col.includes(field.name);
      c.onchange = () => c.checked ? change({ col: [...filter.col, field.name] }) : without("col", field.name);
      l.append(c, "Show as a column"); d.append(l);
    }
    box.append(d);
  });
}
function only(field, value, isWanted) {
  if (field.field) { if (isWanted) addValue(field.name, value); else change({ where: [...filter.where, condition(field.name, "!=", value)] }); }
  else if (field.name === "level") change(isWanted ? { level: "=" + value } : { where: [...filter.where, condition("level", "!=", value)] });
  else if (field.name === "category") change(isWanted ? { category: value } : { where: [...filter.where, condition("category", "!=", value)] });
  else change(isWanted ? { file: [...new Set([...filter.file, value])] } : { notfile: [...new Set([...filter.notfile, value])] });
}
function showFacets(on) {
  $("facets").hidden = !on; press($("fields"), on);
  if (on) { $("facets").dataset.key = ""; facets(); } else focusList();
  draw(); setTimeout(() => bars(), 0);
}
$("fields").onclick = () => showFacets($("facets").hidden);

// MARK: Timeline

const canvas = document.querySelector("#timeline canvas");
// How high the lane of errors is, in pixels.
const LANE = 9;
let bins = null, timelineTimer = 0, timelineOwn = 0;
function timelineSoon() { if (!timelineTimer) timelineTimer = setTimeout(() => { timelineTimer = 0; timeline(); if (!$("facets").hidden && indexed >= 1 && done >= 1) facets(); }, indexed < 1 || done < 1 ? 150 : 400); }
async function timeline() {
  const own = ++timelineOwn;
  const width = canvas.clientWidth;
  if (!width) return;
  const range = {};
  const since = Date.parse(filter.since), until = Date.parse(filter.until);
  if (!isNaN(since)) range.from = since;
  if (!isNaN(until)) range.to = until;
  try {
    const got = await ask("histogram", { pieces: Math.max(20, Math.min(400, Math.floor(width / 4))), ...range });
    if (own === timelineOwn) { bins = got; bars(); }
  } catch { if (own === timelineOwn) { bins = null; bars(); } }
}
function bars() {
  const ratio = devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
  canvas.width = w * ratio; canvas.height = h * ratio;
  const c = canvas.getContext("2d");
  c.scale(ratio, ratio); c.clearRect(0, 0, w, h);
  $("ticks").replaceChildren();
  if (!bins || !bins.bins.length) { seen(); return; }
  const style = getComputedStyle(document.documentElement);
  const color = [...LEVELS, "none"].map(name => style.getPropertyValue("--bar-" + name));
  const sums = bins.bins.map(b => b.reduce((s, n) => s + n, 0));
  const most = Math.max(1, ...sums), sum = sums.reduce((s, n) => s + n, 0);
  $("timeline").setAttribute("aria-label", "Timeline: " + number(sum) + " records from " + full(bins.from) + " to " + full(bins.from + bins.width * bins.bins.length));
  const n = bins.bins.length, step = w / n, gap = step > 3 ? 1 : 0, base = h - LANE - 2;
  if (bins.all.length) {
    const high = Math.max(1, ...bins.all);
    c.fillStyle = style.getPropertyValue("--line-soft");
    bins.all.forEach((s, i) => { if (s) { const b = Math.max(1, s / high * (base - 2)); c.fillRect(i * step, base - b, step - gap, b); } });
  }
  // Heights are counts. Few errors beside many lines would not be seen: they have a lane of their own, and their own scale.
  const worst = Math.max(1, ...bins.bins.map(b => b[0] + b[1]));
  bins.bins.forEach((b, i) => {
    if (!sums[i]) return;
    let y = base, part = 0;
    for (const l of [7, 6, 5, 4, 3, 2, 1, 0]) {
      if (!b[l]) continue;
      part = b[l] / most * (base - 2);
      c.fillStyle = color[l]; c.fillRect(i * step, y - part, step - gap, part); y -= part;
    }
    const tall = base - y;
    if (tall < 1) c.fillRect(i * step, base - 1, step - gap, 1);
    let low = h;
    for (const l of [1, 0]) {
      if (!b[l]) continue;
      part = Math.max(1, b[l] / worst * LANE);
      if (low - part < h - LANE) low = h - LANE + part;
      c.fillStyle = color[l]; c.fillRect(i * step, low - part, step - gap, part); low -= part;
    }
  });
  ticks(w); seen();
}
function ticks(w) {
  const long = bins.width * bins.bins.length;
  const units = [1, 5, 10, 50, 100, 500, 1e3, 2e3, 5e3, 1e4, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 108e5, 216e5, 432e5, 864e5, 1728e5, 6048e5, 26298e5, 315576e5];
  const unit = units.find(u => long / u * 105 < w) || units[units.length - 1];
  const shift = utc ? 0 : new Date(bins.from).getTimezoneOffset() * 6e4;
  for (let t = Math.ceil((bins.from - shift) / unit) * unit + shift, i = 0; t < bins.from + long && i < 200; t += unit, i++) {
    const x = (t - bins.from) / long * w;
    if (x < 34 || x > w - 34) continue;
    const [day, clock] = moment(t);
    const s = el("span", "", unit >= 864e5 ? day : clock === "00:00:00.000" ? day : unit >= 6e4 ? clock.slice(0, 5) : unit >= 1000 ? clock.slice(0, 8) : clock);
    s.style.left = x + "px"; $("ticks").append(s);
  }
}
function seen() {
  const mark = $("seen");
  let low = null, high = null;
  for (let n = Math.floor(pos); n < pos + visible; n++) { const row = rowAt(n); if (row && row[1] !== null) { low = low === null ? row[1] : Math.min(low, row[1]); high = high === null ? row[1] : Math.max(high, row[1]); } }
  mark.hidden = low === null || !bins || !bins.bins.length;
  if (mark.hidden) return;
  const long = bins.width * bins.bins.length, w = canvas.clientWidth;
  const x = Math.max(0, Math.min(w - 3, (low - bins.from) / long * w));
  mark.style.left = x + "px"; mark.style.width = Math.max(3, Math.min(w - x, (high - low) / long * w)) + "px";
}
const strip = $("timeline"), brush = $("brush"), tip = $("tip");
let from = null;
const at = x => bins.from + Math.min(1, Math.max(0, x / canvas.clientWidth)) * bins.width * bins.bins.length;
const offset = event => event.clientX - canvas.getBoundingClientRect().left;
strip.addEventListener("pointerdown", event => { if (!bins || event.button) return; from = offset(event); strip.setPointerCapture(event.pointerId); });
strip.addEventListener("pointermove", event => {
  if (!bins || !bins.bins.length) return;
  const x = offset(event);
  if (from !== null) { brush.hidden = Math.abs(x - from) < 4; brush.style.left = Math.max(0, Math.min(x, from)) + "px"; brush.style.width = Math.min(canvas.clientWidth, Math.max(x, from)) - Math.max(0, Math.min(x, from)) + "px"; }
  const i = Math.max(0, Math.min(bins.bins.length - 1, Math.floor(x / canvas.clientWidth * bins.bins.length)));
  tip.replaceChildren(el("b", "", full(bins.from + i * bins.width) + (bins.exact ? "" : " (about)")));
  bins.bins[i].forEach((v, l) => { if (v) { const d = el("div", "p" + l); d.append(el("i"), LEVELS[l] || "no level", el("span", "", number(v))); tip.append(d); } });
  tip.hidden = false;
  tip.style.left = Math.max(0, Math.min(x + 12, canvas.clientWidth - tip.offsetWidth)) + "px";
});
strip.addEventListener("pointerleave", () => { tip.hidden = true; });
strip.addEventListener("pointerup", async event => {
  if (from === null || !bins) return;
  const x = offset(event), start = from;
  from = null; brush.hidden = true;
  if (Math.abs(x - start) >= 4) change({ since: iso(Math.floor(at(Math.min(x, start)))), until: iso(Math.ceil(at(Math.max(x, start)))) });
  else { const answer = await ask("seek", { t: Math.floor(at(x)) }); if (answer.n !== null) show(answer.n, false); }
});
strip.addEventListener("pointercancel", () => { from = null; brush.hidden = true; });
strip.addEventListener("dblclick", () => { if (filter.since || filter.until) change({ since: "", until: "" }); });
