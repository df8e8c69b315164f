// Interfaces for programs, in words: what exists for tools that know web archives, and all operations of /api/v1 as they are served.

import { type Html, html, inEnglish } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { interfacesTexts } from '../texts/interfaces.ts'

export interface ShownOperation {
  readonly method: string
  readonly path: string
  readonly summary: string
  /** Only with the token, or in the owner's browser. */
  readonly writes: boolean
}

const known = [
  ['/timegate/URL', interfacesTexts.timegate],
  ['/timemap/link/URL', interfacesTexts.timemap],
  ['/web/TIME/URL', interfacesTexts.replay],
  ['/web/TIMEid_/URL', interfacesTexts.original],
  ['/cdx/search/cdx?url=URL', interfacesTexts.cdx],
  ['/COLLECTION/cdx?url=URL', interfacesTexts.pywb],
  ['/wayback/available?url=URL', interfacesTexts.available],
] as const

export function interfacesScreen(operations: readonly ShownOperation[]): Screen {
  return {
    title: interfacesTexts.title,
    name: 'interfaces',
    body: html`<header class="about-url"><h1>${interfacesTexts.title}</h1>
<p>${interfacesTexts.lead}</p>
<ul class="tools"><li><a href="/openapi.json">${interfacesTexts.openapi}</a></li><li><a href="/api/v1/stats">${interfacesTexts.example}</a></li></ul>
</header>
<section aria-labelledby="known"><h2 id="known">${interfacesTexts.forTools}</h2>
${table(
  interfacesTexts.ofArchives,
  [interfacesTexts.address, interfacesTexts.whatItIs],
  known.map(([path, text]) => [html`<code>${path}</code>`, html`${text}`]),
)}
</section>
<section aria-labelledby="own"><h2 id="own">${interfacesTexts.own}</h2>
<p>${interfacesTexts.ownLead}</p>
${table(
  interfacesTexts.operations,
  [interfacesTexts.operation, interfacesTexts.whatItDoes, interfacesTexts.needs],
  operations.map(({ method, path, summary, writes }) => [
    html`<code>${method} ${path}</code>`,
    inEnglish(summary),
    html`${writes ? interfacesTexts.theToken : interfacesTexts.nothing}`,
  ]),
)}
</section>
<section aria-labelledby="example"><h2 id="example">${interfacesTexts.anExample}</h2>
<pre class="example"><code>token=$(cat ~/.polyhistor/token)
curl -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \\
  -d '{"url": "https://example.com/", "scope": "page"}' http://localhost:7070/api/v1/jobs</code></pre>
</section>`,
  }
}

function table(name: Html, heads: readonly Html[], rows: readonly (readonly Html[])[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${name}"><table class="list interfaces">
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`
}
