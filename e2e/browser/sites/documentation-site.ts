// Documentation as its generators make it: pages from Markdown, code in colours, a search that fetches its index.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { marked } from 'marked'
import { root } from '../../command.ts'
import { css, html, json } from '../../replay/files.ts'
import type { Answers } from '../../replay/origin-web.ts'
import { packageFile, type RealSite } from './real-site.ts'

interface Chapter {
  readonly name: string
  readonly markup: string
  readonly text: string
}

const chapters = ['marked', 'comlink', 'htm', 'lit', 'minisearch', 'preact'].map((name): Chapter => {
  const text = readFileSync(join(root, 'node_modules', name, 'README.md'), 'utf8')
  const withoutPictures = text.replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '').replaceAll(/<img[^>]*>/g, '')
  return { name, markup: coloured(marked.parse(withoutPictures, { async: false })), text }
})

/** As a generator does: the colours stand in the markup, the sheet comes from the package. */
function coloured(markup: string): string {
  const prism = createRequire(import.meta.url)('prismjs')
  return markup.replaceAll(
    /<pre><code class="language-(js|jsx|html)">(.*?)<\/code>/gs,
    (_, language: string, code: string) => {
      const plain = code
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&')
      const grammar = language === 'html' ? prism.languages.html : prism.languages.javascript
      return `<pre class="language-${language}"><code>${prism.highlight(plain, grammar, language)}</code>`
    },
  )
}

const sheet = `
  body { display: grid; grid-template-columns: 220px 1fr; margin: 0; font: 15px/1.5 sans-serif }
  nav { position: sticky; top: 0; height: 100vh; padding: 16px; background: #f3f3f6; box-sizing: border-box }
  nav a { display: block } nav a[aria-current] { font-weight: bold }
  main { padding: 16px 32px; max-width: 820px } #results { padding-left: 16px }`

const search = `
  import('/vendor/minisearch.js').then(async ({ default: MiniSearch }) => {
    const index = MiniSearch.loadJS(await (await fetch(document.body.dataset.index)).json(), { fields: ['text'], storeFields: ['name'] })
    const look = () => {
      const found = input.value === '' ? [] : index.search(input.value)
      results.replaceChildren(...found.map(({ name }) => {
        const line = document.createElement('li')
        line.textContent = name
        return line
      }))
      document.documentElement.dataset.found = found.length
    }
    const input = document.querySelector('input')
    const results = document.querySelector('#results')
    input.addEventListener('input', look)
    input.value = new URLSearchParams(location.search).get('q') ?? ''
    look()
  })`

function page({ name, markup }: Chapter): string {
  const links = chapters.map(
    (other) =>
      `<a href="/${other.name}.html"${other.name === name ? ' aria-current="page"' : ''}>${other.name}</a>`,
  )
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${name}</title>
    <link rel="stylesheet" href="/style.css"><link rel="stylesheet" href="/vendor/prism.css">
    <script type="module" src="/search.js"></script></head><body data-index="/search-index.json">
    <nav><input type="search" placeholder="Search">${links.join('')}<ol id="results"></ol></nav><main>${markup}</main></body></html>`
}

async function searchIndex(): Promise<string> {
  const { default: MiniSearch } = await import('minisearch')
  const index = new MiniSearch({ fields: ['text'], storeFields: ['name'] })
  index.addAll(chapters.map(({ name, text }, id) => ({ id, name, text: text.slice(0, 3_000) })))
  return JSON.stringify(index)
}

const index = await searchIndex()

export const documentationSite: RealSite = {
  name: 'documentation',
  what: 'pages from Markdown, code in colours, a search whose index is fetched',
  packages: ['marked', 'prismjs', 'minisearch'],
  views: [
    { path: '/', until: "document.documentElement.dataset.found === '0'" },
    {
      path: '/comlink.html',
      until: "document.documentElement.dataset.found === '0'",
      act: `{
        const input = document.querySelector('input')
        input.value = 'worker'
        input.dispatchEvent(new Event('input'))
      }`,
      untilActed: 'Number(document.documentElement.dataset.found) > 0',
    },
  ],
  answers: () => {
    const answers: Record<string, Answers[string]> = {
      'documentation/': html(page(chapters[0]!)),
      'documentation/style.css': css(sheet),
      'documentation/search.js': { headers: { 'Content-Type': 'text/javascript' }, body: search },
      'documentation/search-index.json': json(index),
      'documentation/vendor/minisearch.js': packageFile('minisearch/dist/es/index.js'),
      'documentation/vendor/prism.css': packageFile('prismjs/themes/prism.css'),
    }
    for (const chapter of chapters) answers[`documentation/${chapter.name}.html`] = html(page(chapter))
    return answers
  },
}
