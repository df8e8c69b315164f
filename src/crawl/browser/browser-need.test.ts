import assert from 'node:assert/strict'
import { test } from 'vitest'
import { browserNeed } from './browser-need.ts'

const article = `<p>${'An article with enough to read. '.repeat(10)}</p>`

const cases: readonly [page: string, need: string | undefined][] = [
  ['<div id="root"></div><script src=/app.js></script>', 'scripts fill its element root'],
  [`<div id=app>\n</div><script>run()</script>${article}`, 'scripts fill its element app'],
  ['<app-root></app-root><script type=module src=main.js></script>', 'scripts fill its element app-root'],
  ['<noscript>Enable JavaScript.</noscript><p>Wait</p><script></script>', 'it says that it needs scripts'],
  ['<title>News</title><script>load()</script><p>Loading…', 'it has scripts and hardly any text'],
  // Whole as it seems, and its own words say that there is more.
  [
    `${article}<ul id=list></ul><script>fetch('/items.json').then(show)</script>`,
    'its scripts fetch more (fetch)',
  ],
  [`${article}<script>$.getJSON ('/items', show)</script>`, 'its scripts fetch more ($.getJSON)'],
  [`<script src=htmx.js></script><div hx-get="/more">${article}</div>`, 'its scripts fetch more (hx-get)'],
  [
    `<script src=t.js></script><turbo-frame src="/more"></turbo-frame>${article}`,
    'its scripts fetch more (turbo-frame)',
  ],
  [`<script>prefetch (); fetched()</script><p>fetch('/x')</p>${article}`, undefined],
  [`<p hx-get="/more">${article}</p>`, undefined],
  // Rendered by its server.
  [`<div id="root">${article}</div><script src=/app.js></script>`, undefined],
  [`<script src=/counter.js></script><noscript>JavaScript counts you.</noscript>${article}`, undefined],
  // Short, but all there is.
  ['<h1>It works!</h1>', undefined],
  ['<h1>Data</h1><script type="application/ld+json">{}</script>', undefined],
  ['', undefined],
]

test.each(cases)('%s', (page, need) => {
  assert.equal(browserNeed(`<!doctype html><html><body>${page}</body></html>`).need, need)
})

test('a page made to take long is looked at in linear time', () => {
  browserNeed('<script>'.repeat(10) + '<noscript>'.repeat(500_000))
  browserNeed(`<script></script>${'<div id=root '.repeat(200_000)}`)
  browserNeed(`<script>${'new fetch$.get  '.repeat(60_000)}</script>`)
})
