import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { extract, foundIn, foundInHtml } from './fixtures/extraction.ts'
import { linksOf } from './link.ts'

const foundInScript = (body: string) =>
  foundIn({ body, type: 'text/javascript', href: 'http://example.com/js/app.js' })

describe('the literal addresses of a script', () => {
  const cases: [string, string, string[]][] = [
    [
      'static imports',
      `import a, { b } from './a.js'; import"../b.js";import*as c from'/c.js'`,
      ['/js/a.js', '/b.js', '/c.js'],
    ],
    [
      'exports',
      `export { x } from './x.js'; export * from "./y.js"; export const z = './no.js'`,
      ['/js/x.js', '/js/y.js'],
    ],
    [
      'dynamic imports',
      'const m = await import(`./m.js`); import("./n.js").then(run)',
      ['/js/m.js', '/js/n.js'],
    ],
    [
      'URLs of the module',
      `new Worker(new URL('./w.js', import.meta.url)); new URL('./no', base)`,
      ['/js/w.js'],
    ],
    ['importScripts', `importScripts('a.js', "b.js")`, ['/js/a.js', '/js/b.js']],
    [
      'workers',
      `new Worker('/w.js'); new window.SharedWorker("/s.js", 'name'); context.audioWorklet.addModule('/l.js')`,
      ['/w.js', '/s.js', '/l.js'],
    ],
    [
      'requests',
      `fetch('/a.json'); window.fetch("/b.json?x=1"); r.open('GET', '/c.json', true)`,
      ['/a.json', '/b.json?x=1', '/c.json'],
    ],
    [
      'requests that only ask',
      `fetch('/a', { headers: { a: 'b' }, method: 'POST' }); fetch("/b", {"method":"put"}); fetch('/c', { method: 'GET' })
        r.open('POST', '/d'); r.open("get", "/e"); fetch('/f'); const options = { method: 'POST' }`,
      ['/c', '/e', '/f'],
    ],
    ['escapes', String.raw`fetch("\/a\u002ejson")`, ['/a.json']],
  ]
  for (const [name, body, expected] of cases)
    test(name, () => {
      assert.deepEqual(
        foundInScript(body).map((found) => found.split(' → ')[1]),
        expected,
      )
    })

  test('are not looked for in comments, strings, regular expressions and members of the same name', () => {
    assert.deepEqual(
      foundInScript(`
        // import './a.js'
        /* fetch('/b') */
        const s = "import './c.js'", r = /fetch('/d')/, t = \`import './e.js'\`
        object.import('./f.js'); door.open('/g'); class A { import() {} }`),
      [],
    )
  })

  test('that are put together are none', () => {
    assert.deepEqual(
      foundInScript(
        "fetch('/a/' + id); fetch(`/b/$" + "{id}`); import('./' + name); fetch('/x y'); fetch('data:,x')",
      ),
      [],
    )
  })

  test('that are relative to the document are resolved against what asked for the script', () => {
    const found = linksOf(
      extractFrom(`fetch('data.json'); import './b.js'`, 'http://example.com/shows/page.html'),
    ).map(({ href }) => href)
    assert.deepEqual(found, ['http://example.com/shows/data.json', 'http://example.com/js/b.js'])
  })

  test('bare specifiers are nothing without an import map', () => {
    assert.deepEqual(foundInScript(`import 'react'; import('lodash/fp')`), [])
  })
})

test('a page gives what its inline scripts need, by its import map too', () => {
  const found = foundInHtml(`
    <script type="importmap">{"imports": {"app": "/lib/app.js", "lib/": "./lib/"}, "scopes": {"/x/": {"app": "/other.js"}}}</script>
    <script type="module">import 'app'; import 'lib/parts/a.js'; import('./late.js')</script>
    <script type="application/json">{"a": "import './no.js'"}</script>
    <script>fetch('data.json')</script>`)
  assert.deepEqual(found, [
    'import map → /lib/app.js',
    'import map → /other.js',
    'script import → /dir/lib/parts/a.js',
    'script import → /dir/late.js',
    'script fetch → /dir/data.json',
  ])
})

test('an import map that is none is nothing', () => {
  for (const map of ['', '{', '5', 'null', '{"imports": 5}', '{"imports": {"a": null}, "scopes": [1]}'])
    assert.deepEqual(foundInHtml(`<script type="importmap">${map}</script>`), [], map)
})

function extractFrom(body: string, documentHref: string) {
  return extract({ body, type: 'text/javascript', href: 'http://example.com/js/app.js', documentHref })
}
