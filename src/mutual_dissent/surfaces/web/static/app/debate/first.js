// What is shown before the first question: what this is, and on whose models it runs.
import { html, useEffect, useState, Link, when } from "/static/app/ui.js";
import { get, post } from "/static/app/api.js";

export function First() {
  return html`<section class="first" aria-label="What this is">
    <div class="steps">
      <${Step} n="1" title="Each answers alone">Several models get your question at once; none knows what the others say.<//>
      <${Step} n="2" title="They read and challenge">In each round they see the others' answers, unsigned, and defend, correct or change their own.<//>
      <${Step} n="3" title="One answer, with dissent">You get one text that says how far the panel agrees, who does not, and what it cost.<//>
    </div>
    <${Recent} />
  </section>`;
}

const Step = ({ n, title, children }) => html`<div class="step"><span class="step-number" aria-hidden="true">${n}</span><div><h3>${title}</h3><p class="small muted">${children}</p></div></div>`;

// What the panel would be if nothing is chosen shows whether there is a key at all.
export function Keyless() {
  const [panel, setPanel] = useState([]);
  useEffect(() => { post("/api/quote", { message: "?" }).then((q) => setPanel(q.panel), () => setPanel([])); }, []);
  return panel.length > 0 && panel.every((p) => p.route.vendor === "local") && html`<${NoKey} />`;
}

const NoKey = () => html`<div class="banner nokey"><p><strong>No key yet: the panel runs on the embedded model.</strong> It is small and made to show how a debate goes; its answers are no evidence.</p>
  <p class="small muted">To ask real models, add a key in <${Link} href="/settings">Settings<//> or in a terminal: <code>dissent config set providers.openrouter_api_key -</code>. One key of OpenRouter reaches all vendors; keys of OpenAI, Anthropic, Google, xAI, Groq and Perplexity work too.</p></div>`;

function Recent() {
  const [found, setFound] = useState(null);
  useEffect(() => { get("/api/sessions?limit=6").then((page) => setFound(page.items), () => setFound([])); }, []);
  if (!found?.length) return null;
  return html`<div class="recent"><div class="row"><h2 class="grow">Recent debates</h2><${Link} href="/debates" class="small">All debates<//></div>
    <ul class="plain">${found.map((d) => html`<li><${Link} href=${`/debates/${d.transcript_id}`} class="recent-row">
      <span class="clip grow">${d.query}</span><span class=${`chip small ${{ completed: "agree", error: "oppose" }[d.status] || ""}`}>${d.status}</span>
      <span class="small muted num recent-when">${when(d.created_at)}</span><//></li>`)}</ul></div>`;
}
