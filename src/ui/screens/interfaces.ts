// Interfaces for programs, in words: what exists for tools that know web archives, and all operations of /api/v1 as they are served.

import { type Html, html } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'

export interface ShownOperation {
  readonly method: string
  readonly path: string
  readonly summary: string
  /** Only with the token, or in the owner's browser. */
  readonly writes: boolean
}

const known = [
  [
    '/timegate/URL',
    'Memento TimeGate (RFC 7089): leads to the capture nearest to the time in Accept-Datetime, or to the newest',
  ],
  [
    '/timemap/link/URL',
    'Memento TimeMap: all captures of an address; also as /timemap/json/URL and /timemap/cdxj/URL',
  ],
  ['/web/TIME/URL', 'a capture as a reader sees it; TIME has 1 to 14 digits, from the year on'],
  ['/web/TIMEid_/URL', 'the bytes of a capture, as they came'],
  ['/cdx/search/cdx?url=URL', 'the index, as the Internet Archive’s CDX server has it'],
  ['/COLLECTION/cdx?url=URL', 'the same, as pywb has it'],
  ['/wayback/available?url=URL', 'whether an address is archived, and where'],
] as const

export function interfacesScreen(operations: readonly ShownOperation[]): Screen {
  return {
    title: 'Interfaces for programs',
    name: 'interfaces',
    body: html`<header class="about-url"><h1>Interfaces for programs</h1>
<p>Everything that this archive shows to people, programs can ask for at the same addresses. Reading needs nothing. Writing needs the token, the file <code>token</code> in the home folder, as <code>Authorization: Bearer …</code>.</p>
<ul class="tools"><li><a href="/openapi.json">OpenAPI document</a></li><li><a href="/api/v1/stats">An example: figures as JSON</a></li></ul>
</header>
<section aria-labelledby="known"><h2 id="known">For tools that know web archives</h2>
${table(
  'Interfaces of web archives',
  ['Address', 'What it is'],
  known.map(([path, text]) => [html`<code>${path}</code>`, html`${text}`]),
)}
</section>
<section aria-labelledby="own"><h2 id="own">The archive’s own</h2>
<p>Answers are JSON unless said otherwise; what goes wrong has a status, a <code>code</code> and a <code>message</code>. The OpenAPI document has the parameters.</p>
${table(
  'Operations',
  ['Operation', 'What it does', 'Needs'],
  operations.map(({ method, path, summary, writes }) => [
    html`<code>${method} ${path}</code>`,
    html`${summary}`,
    html`${writes ? 'the token' : 'nothing'}`,
  ]),
)}
</section>
<section aria-labelledby="example"><h2 id="example">An example</h2>
<pre class="example"><code>token=$(cat ~/.polyhistor/token)
curl -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \\
  -d '{"url": "https://example.com/", "scope": "page"}' http://localhost:7070/api/v1/jobs</code></pre>
</section>`,
  }
}

function table(name: string, heads: readonly string[], rows: readonly (readonly Html[])[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${name}"><table class="list interfaces">
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`
}
