// The documentation holds together: every link leads somewhere, every page can be found, and what it is made of is safe.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { serviceBytes } from '../../src/platform/calls/call-services.ts'
import { addressOf, linkTarget, relativeAddress } from './addresses.ts'
import { commandBlocks } from './command-blocks.ts'
import { renderMarkdown } from './markdown.ts'
import { pageMarkup } from './page.ts'
import { DocsSite } from './site.ts'
import { navigation } from './site-map.ts'

const root = join(import.meta.dirname, '../..')
const site = new DocsSite(root)
const assets = { style: 'assets/a.css', script: 'assets/a.js', icon: 'assets/a.svg' }
const onSite = () => true

describe('the pages of the documentation', () => {
  test('every link and picture leads to a file that is there, and to a heading that it has', () => {
    const broken: string[] = []
    for (const [source, { links, images }] of site.pages) {
      for (const href of [...links, ...images]) {
        const target = linkTarget(source, href)
        if (target === undefined) continue
        const page = site.pages.get(target.source)
        // A folder without a page of its own is named as sources are.
        const folder = target.source.replace(/\/README\.md$/, '')
        const isThere = existsSync(join(root, target.source)) || existsSync(join(root, folder, '.'))
        const hasHeading =
          target.fragment === '' ||
          page === undefined ||
          page.headings.some(({ id }) => `#${id}` === target.fragment)
        if (!isThere || !hasHeading) broken.push(`${source}: ${href}`)
      }
    }
    assert.deepEqual(broken, [])
  })

  test('what the side lists is there, once, and lists every page of docs/', () => {
    const listed = navigation.flatMap(({ pages }) => pages.map(({ source }) => source))
    assert.deepEqual([...new Set(listed)], listed)
    for (const source of listed) assert(site.pages.has(source), source)
    for (const source of site.pages.keys())
      if (/^docs\/(?:operating\/)?[^/]+$/.test(source))
        assert(listed.includes(source), `${source} is not listed`)
  })

  test('each has one first heading, and headings that can be linked to', () => {
    for (const [source, { headings }] of site.pages) {
      assert.equal(headings[0]?.depth, 1, source)
      assert.equal(new Set(headings.map(({ id }) => id)).size, headings.length, source)
    }
  })

  test('the search knows every section by an address of its own', () => {
    const sections = site.searchedSections()
    assert.equal(new Set(sections.map(({ address }) => address)).size, sections.length)
    assert(sections.some(({ address }) => address === 'search.html'))
    assert(sections.some(({ address, text }) => address === 'search.html#queries' && text.includes('jaguar')))
    assert(!sections.some(({ address }) => address.startsWith('project/bench')))
  })

  test('no page has a script or style within it, or asks other hosts for anything', () => {
    for (const [source, page] of site.pages) {
      const markup = pageMarkup(source, page, assets)
      assert(!/<style|\sstyle=|\son[a-z]+="|<script(?! type="module" src="[^":]+">)/.test(markup), source)
      assert(!/<(?:img|script|link)[^>]+(?:src|href)="(?:[a-z]+:|\/)/.test(markup), source)
    }
  })
})

test('the protocol names every service with its byte', () => {
  const text = readFileSync(join(root, 'docs/protocol.md'), 'utf8')
  const rows = [...text.matchAll(/^\| (\d+) \| `(\w+)` \|/gm)].map(([, byte, name]) => [name!, Number(byte)])
  assert.deepEqual(Object.fromEntries(rows), serviceBytes)
})

describe('Markdown', () => {
  test('links between files become links between pages, and those to sources say where they lie', () => {
    const text = '# A\n[b](b.md#c) [d](decisions/0001-x.md) [s](../src/a.ts) [o](https://a.org/) [h](#a)'
    const { markup } = renderMarkdown('docs/a.md', text, onSite)
    assert(markup.includes('<a href="b.html#c">b</a>'))
    assert(markup.includes('<a href="decisions/0001-x.html">d</a>'))
    assert(markup.includes('<span class="source" title="In the repository: src/a.ts">s</span>'))
    assert(markup.includes('<a href="https://a.org/">o</a>'))
    assert(markup.includes('<a href="#a">h</a>'))
  })

  test('markup in the source is shown, not obeyed, and remarks are left out', () => {
    const text = '# A <b>\n<script>alert(1)</script>\n\n<!-- not run: no -->\n`<i>` & ![a"b](images/x.png)'
    const { markup, title } = renderMarkdown('docs/a.md', text, onSite)
    assert(!/<script|<b>|<i>|not run/.test(markup), markup)
    assert(markup.includes('&lt;script&gt;') && markup.includes('alt="a&quot;b"'), markup)
    assert.equal(title, 'A <b>')
  })

  test('headings get the names that GitHub gives them', () => {
    const { headings } = renderMarkdown(
      'docs/a.md',
      '# A\n## /api/v1\n## What is `safe`, when?\n## A',
      onSite,
    )
    assert.deepEqual(
      headings.map(({ id }) => id),
      ['a', 'apiv1', 'what-is-safe-when', 'a-1'],
    )
  })

  test('addresses are relative, from folder to folder', () => {
    assert.equal(addressOf('docs/operating/README.md'), 'operating/index.html')
    assert.equal(addressOf('CHANGELOG.md'), 'project/changelog.html')
    assert.equal(addressOf('src/errors.ts'), undefined)
    assert.equal(relativeAddress('operating/index.html', 'api.html'), '../api.html')
  })
})

test('blocks of commands are found with what is said of them', () => {
  const text = [
    '```sh',
    'a # b',
    '```',
    '',
    '<!-- not run: no -->',
    '```sh',
    'c',
    '```',
    '',
    '<!-- run until: x: y -->',
    '```sh',
    'd',
    'e',
    '```',
  ].join('\n')
  assert.deepEqual(commandBlocks(text), [
    { line: 1, commands: 'a # b\n', notRun: undefined, until: undefined },
    { line: 6, commands: 'c\n', notRun: 'no', until: undefined },
    { line: 11, commands: 'd\ne\n', notRun: undefined, until: 'x: y' },
  ])
})

test('every block of commands is one that the tests find: a remark stands right before it', () => {
  for (const source of site.pages.keys()) {
    if (!source.startsWith('docs/')) continue
    const text = readFileSync(join(root, source), 'utf8')
    assert.equal(commandBlocks(text).length, text.match(/^ *```sh/gm)?.length ?? 0, source)
    const remarks = text.match(/^<!-- (?:not run|run until)/gm)?.length ?? 0
    assert.equal(commandBlocks(text).filter(({ notRun, until }) => notRun ?? until).length, remarks, source)
  }
})
