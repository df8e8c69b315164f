// Sites of modules: an import map with imports by computed name, workers of all kinds, web components.

import { html, json, script } from '../../replay/files.ts'
import type { Answers } from '../../replay/origin-web.ts'
import { builtSite } from './built-site.ts'
import { numbered } from './drawings.ts'
import { packageFile, type RealSite } from './real-site.ts'

const isReady = "document.documentElement.dataset.ready === 'yes'"

const modulesMain = `
  import { render } from 'preact'
  import { useState, useEffect } from 'preact/hooks'
  import { html } from 'htm/preact'
  import { heading } from '#parts/heading.js'

  const rooms = ['hall', 'tower', 'garden']
  function Room({ name }) {
    const [View, setView] = useState(null)
    useEffect(() => void import('/rooms/' + name + '.js').then(({ default: view }) => setView(() => view)), [])
    return View === null ? html\`<p>…</p>\` : html\`<\${View} />\`
  }
  render(html\`<div>\${heading('House')}\${rooms.map((name) => html\`<\${Room} name=\${name} />\`)}</div>\`, document.body)
  const words = await import('#parts/words.js')
  document.body.append(words.text + ' ' + new URL(import.meta.url).pathname + ' ' + import.meta.resolve('preact').split('/').at(-1))`

const room = (name: string) => `
  import { html } from 'htm/preact'
  const data = await (await fetch(new URL('./${name}.json', import.meta.url))).json()
  export default () => html\`<section class=room><h3>\${data.name}</h3><img src=\${new URL('../pictures/${name}.svg', import.meta.url).href} width=160 height=120 /></section>\``

const rooms = ['hall', 'tower', 'garden']

export const modulesSite: RealSite = {
  name: 'modules',
  what: 'no bundler: import map, scoped names, import(…) by computed name, import.meta, top-level await',
  packages: ['preact', 'htm'],
  views: [
    {
      path: '/',
      until:
        "document.querySelectorAll('.room img').length === 3 && [...document.images].every((image) => image.naturalWidth > 0) && document.body.textContent.includes('words')",
    },
  ],
  answers: () => {
    const answers: Record<string, Answers[string]> = {
      'modules/': html(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>House</title>
        <script type="importmap">{ "imports": {
          "preact": "/vendor/preact.js", "preact/hooks": "/vendor/hooks.js",
          "htm": "/vendor/htm.js", "htm/preact": "/vendor/htm-preact.js", "#parts/": "/parts/" },
          "scopes": { "/parts/": { "#other": "/parts/other.js" } } }</script>
        <link rel="modulepreload" href="/vendor/preact.js"></head><body><script type="module" src="/main.js"></script></body></html>`),
      'modules/main.js': script(modulesMain),
      'modules/parts/heading.js': script(
        `import { html } from 'htm/preact'
        import { mark } from '#other'
        export const heading = (text) => html\`<h1>\${text}\${mark}</h1>\``,
      ),
      'modules/parts/other.js': script("export const mark = ' *'"),
      'modules/parts/words.js': script("export const text = 'words'"),
      'modules/vendor/preact.js': packageFile('preact/dist/preact.mjs'),
      'modules/vendor/hooks.js': packageFile('preact/hooks/dist/hooks.mjs'),
      'modules/vendor/htm.js': packageFile('htm/dist/htm.module.js'),
      'modules/vendor/htm-preact.js': packageFile('htm/preact/index.module.js'),
    }
    for (const name of rooms) {
      answers[`modules/rooms/${name}.js`] = script(room(name))
      answers[`modules/rooms/${name}.json`] = json(JSON.stringify({ name: `The ${name}` }))
      answers[`modules/pictures/${name}.svg`] = numbered(name)
    }
    return answers
  },
}

export async function workersSite(): Promise<RealSite> {
  const built = await builtSite('workers', 'workers')
  return {
    name: 'workers',
    what: 'workers: classic with importScripts, module, shared, from a blob; data and drawing in them',
    packages: ['comlink'],
    views: [{ path: '/', until: isReady }],
    answers: () => ({
      ...built,
      'workers/classic.js': script(`
        importScripts('/vendor/comlink.js', '/parts/numbers.js')
        Comlink.expose({ sum: async (path) => (await (await fetch(path)).json()).reduce(add, 0) })`),
      'workers/vendor/comlink.js': packageFile('comlink/dist/umd/comlink.min.js'),
      'workers/parts/numbers.js': script('const add = (one, other) => one + other'),
      'workers/shared.js': script(`
        onconnect = ({ ports: [port] }) => fetch('/data/shared.json').then((response) => response.json()).then((data) => port.postMessage(data))`),
      'workers/data/classic.json': json('[1, 2, 3]'),
      'workers/data/module.json': json('[10, 20, 30]'),
      'workers/data/shared.json': json('{ "text": "shared by all" }'),
      'workers/data/blob.json': json('{ "text": "from a blob" }'),
      'workers/data/drawing.json': json('{ "colours": ["#c33", "#3c3", "#33c", "#cc3"] }'),
    }),
  }
}

export async function componentsSite(): Promise<RealSite> {
  const built = await builtSite('components', 'components')
  return {
    name: 'components',
    what: 'web components: adopted style sheets, slots, shadow trees in markup and by script, parts',
    packages: ['lit'],
    views: [{ path: '/', until: isReady }],
    answers: () => {
      const answers: Record<string, Answers[string]> = {
        ...built,
        'components/data/cards.json': json(
          JSON.stringify([1, 2, 3, 4, 5, 6].map((id) => ({ id, title: `Card ${id}` }))),
        ),
        'components/pictures/back.svg': numbered('back', 64, 64),
        'components/pictures/declared.svg': numbered('declared', 64, 64),
      }
      for (const id of [1, 2, 3, 4, 5, 6]) answers[`components/pictures/${id}.svg`] = numbered(`card ${id}`)
      return answers
    },
  }
}
