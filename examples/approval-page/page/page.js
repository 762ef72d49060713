// Shows what waits for a decision and sends back what the person chose. What comes from the agent is put in as text, never as
// markup.

/** How long buttons do nothing after they appear or move, so that no click hits a button that was not there before. */
const SETTLING_MS = 600;
/** The server says something every 15 seconds; after twice that the connection is gone. */
const SILENCE_MS = 35_000;
const RECONNECT_MS = 1000;

const at = (id) => document.getElementById(id);
const cards = new Map();
let token = "";
let connected = false;
let settledAt = 0;

/** Takes the token out of the link, so that it is neither in the address nor in the history. */
function takeToken() {
  const given = location.hash.slice(1);
  if (given !== "") {
    sessionStorage.setItem("token", given);
    history.replaceState(null, "", location.pathname);
  }
  token = sessionStorage.getItem("token") ?? "";
}

/** What the engine wrote out because a screen would obey it. */
const WRITTEN_OUT = /(\\u\{[0-9a-f]+\})/;
/** In JSON beside that what JSON itself writes out; a backslash that is only a backslash is told from the beginning of one. */
const IN_JSON = /(\\\\|\\u\{[0-9a-f]+\}|\\u[0-9a-f]{4}|\\[bfr])/;

/** Puts a text into an element; what was written out in it stands out. */
function write(element, text, pattern = WRITTEN_OUT) {
  const parts = text.split(pattern).map((part, index) => {
    if (index % 2 === 0 || part === "\\\\") return part;
    const mark = document.createElement("mark");
    mark.textContent = part;
    return mark;
  });
  element.replaceChildren(...parts);
}

/** Puts a command line into an element; what the hook asks about stands out, unless that is all of it. */
function writeCommand(element, parts) {
  const standsOut = parts.some(({ met }) => met) && !parts.every(({ met }) => met);
  element.hidden = parts.length === 0;
  const written = parts.map(({ text, met }) => {
    const part = document.createElement(standsOut && met ? "strong" : "span");
    write(part, text);
    return part;
  });
  element.replaceChildren(...written);
}

function add(request) {
  const card = at("request").content.firstElementChild.cloneNode(true);
  const part = (selector) => card.querySelector(selector);
  const { id, tool, options, granting } = request;
  write(part("h2"), request.prompt);
  write(
    part(".who"),
    `asked by ${request.hook === null ? "the host's own rule" : `the hook ${request.hook}`}${origin(request)}`,
  );
  write(part(".reason"), [request.why && `because of ${request.why}`, request.reason].filter(Boolean).join("\n"));
  writeCommand(part(".command"), request.command);
  write(part(".label"), tool === "" ? `${request.event}:` : `${tool} will get exactly this:`);
  write(part("pre"), request.shown ?? "(this cannot be shown as text)", tool === "" ? WRITTEN_OUT : IN_JSON);
  part("h2").id = `prompt-${id}`;
  part("pre").id = `shown-${id}`;
  card.setAttribute("aria-labelledby", `prompt-${id}`);
  part("pre").setAttribute("aria-label", "arguments");
  part(".options").setAttribute("aria-label", "your answer");
  if (granting.includes("Allow always")) part(".always").textContent = always(request);
  for (const option of options) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = option;
    button.className = granting.includes(option) ? "grants" : "denies";
    button.setAttribute("aria-describedby", `shown-${id}`);
    button.addEventListener("click", (event) => choose(event, id, option));
    part(".options").append(button);
  }
  cards.set(id, { card, request, until: 0, settledAt: Date.now() + SETTLING_MS, sent: false });
  at("requests").append(card);
  at("news").textContent = `New question: ${request.prompt}`;
}

function origin({ session, agent }) {
  return agent === null ? `, session ${session}` : `, subagent ${agent} of session ${session}`;
}

function always({ remember, tool }) {
  if (remember === "tool")
    return `“Allow always” covers everything that ${tool || "this"} does until the session ends.`;
  if (remember === "prompt") return "“Allow always” answers this question until the session ends.";
  return "“Allow always” covers exactly this again, until the session ends.";
}

function remove(id) {
  const { card, request, sent } = cards.get(id);
  const focused = card.contains(document.activeElement);
  card.remove();
  cards.delete(id);
  // The others have moved.
  settledAt = Date.now() + SETTLING_MS;
  if (!sent) at("news").textContent = `Settled elsewhere: ${request.prompt}`;
  if (focused) document.querySelector("h1").focus();
}

/** Brings the page in line with what waits now. */
function show(requests) {
  const waiting = new Set(requests.map(({ id }) => id));
  for (const id of [...cards.keys()]) if (!waiting.has(id)) remove(id);
  for (const request of requests) {
    if (!cards.has(request.id)) add(request);
    cards.get(request.id).until = Date.now() + request.left_ms;
  }
  document.title = requests.length === 0 ? "Approvals" : `(${requests.length}) Approvals`;
  at("nothing").hidden = requests.length > 0;
  tick();
}

/** Counts down, and says which buttons work. */
function tick() {
  const now = Date.now();
  for (const entry of cards.values()) {
    const { card, request, until } = entry;
    const seconds = Math.max(0, Math.ceil((until - now) / 1000));
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    const countdown = card.querySelector(".countdown");
    const becomes = request.default === "allow" ? "Allowed" : "Denied";
    countdown.textContent = seconds === 0 ? "The time is over." : `${becomes} in ${time} by default.`;
    countdown.classList.toggle("urgent", seconds <= 30);
    for (const button of card.querySelectorAll("button")) {
      button.setAttribute("aria-disabled", String(!works(entry, now)));
    }
  }
}

function works(entry, now) {
  return connected && !entry.sent && now >= settledAt && now >= entry.settledAt && now < entry.until;
}

/** Sends what a person chose; a script's click counts for nothing. */
async function choose(event, id, option) {
  const entry = cards.get(id);
  if (!event.isTrusted || entry === undefined || !works(entry, Date.now())) return;
  const problem = entry.card.querySelector(".problem");
  entry.sent = true;
  problem.textContent = "";
  tick();
  try {
    const response = await fetch("/decide", {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ id, option }),
    });
    if (!response.ok) throw new Error((await response.json()).error);
    at("news").textContent = `${option}: ${entry.request.prompt}`;
  } catch (error) {
    entry.sent = false;
    problem.textContent = `Not sent: ${error.message}`;
    tick();
  }
}

function setConnected(now, text) {
  connected = now;
  at("connection").textContent = text;
  at("connection").classList.toggle("lost", !now);
  tick();
}

/** Follows the stream of what waits, until it ends or says nothing any more. */
async function follow() {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const response = await fetch("/events", { headers: { Authorization: `Bearer ${token}` }, signal: silence.signal });
    if (response.status === 401) return false;
    if (!response.ok) throw new Error(`status ${response.status}`);
    setConnected(true, "connected");
    let text = "";
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      const events = (text + read.value).split("\n\n");
      text = events.pop();
      for (const event of events) if (event.startsWith("data: ")) show(JSON.parse(event.slice("data: ".length)));
    }
  } finally {
    clearTimeout(timer);
  }
  return true;
}

async function main() {
  for (;;) {
    let known = true;
    try {
      known = await follow();
    } catch {
      // Told below; it is tried again.
    }
    if (!known) {
      show([]);
      at("nothing").hidden = true;
      setConnected(false, "This page does not know the agent: open the link that the agent printed.");
      return;
    }
    setConnected(false, "The connection is lost. Nothing can be decided here until it is back.");
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}

takeToken();
// Another link in the same tab changes only what is behind the `#`.
addEventListener("hashchange", () => location.reload());
setInterval(tick, 250);
void main();
