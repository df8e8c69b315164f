// What must hold of rewriting, whatever it is given.

import assert from 'node:assert/strict'
import { Script } from 'node:vm'
import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { hostileMarkup } from '../../formats/markup/fixtures/hostile-markup.ts'
import type { ContentKind } from '../content/content-kind.ts'
import { LinkRewriter } from './link-rewriter.ts'
import { rewriteContent } from './rewrite-content.ts'
import { rewriteScript } from './script-rewriter.ts'

const origins = { archive: 'http://localhost:7070', replay: 'http://replay.localhost:7070' }
const page = {
  timestamp: '20200101000000',
  modifier: 'mp_',
  url: 'http://a.org/b/c.html',
  capturedAt: '20200101000000',
  capturedAtMs: Date.UTC(2020, 0),
} as const

const kinds: ContentKind[] = [
  ...(['html', 'xhtml', 'svg', 'xml', 'css', 'script', 'module', 'worker'] as const),
  ...(['module-worker', 'manifest', 'hls', 'dash'] as const),
]

const scriptedMarkup = [
  ...['`', '<base href=', '<head>', 'srcset="a 1x, b 2x"', ' onclick="', ' style="', '<iframe srcdoc="'],
  ...['<meta http-equiv=refresh content="', 'http://', '//', '../', '?', 'javascript:', '&#47;'],
  ...['{', '}', '(', '[', ']', '${', '/', 'this', 'location', ' = ', 'let ', 'const ', 'class ', 'function '],
  ...['import ', 'export ', 'from ', 'eval(', 'import(', '=>', ',', '.', '++', 'return ', 'if (', 'var '],
  ...['a', '0', '#EXTM3U', '<BaseURL>'],
]
const text = hostileMarkup(scriptedMarkup, 60).map((markup) => Buffer.from(markup).toString('latin1'))
const kind = fc.constantFrom(...kinds)
const rewritten = (given: string, as: ContentKind) => rewriteContent(given, as, page, { origins })

/** Attribute values that a browser would load from, with their element. */
function loaded(html: string): string[] {
  const found: string[] = []
  const parser = new Parser({
    onopentag(element, attributes) {
      for (const name of ['src', 'href', 'action', 'data', 'poster', 'background']) {
        const value = attributes[name]
        if (value !== undefined && /^(?:a|img|iframe|script|form|link|video|object|embed)$/.test(element))
          found.push(value)
      }
    },
  })
  parser.write(html)
  parser.end()
  return found
}

export const properties = [
  {
    name: 'rewriting never throws, and gives a byte string again',
    property: fc.property(text, kind, (given, as) => {
      assert.doesNotMatch(rewritten(given, as), /[^\x00-\xff]/)
    }),
  },
  {
    name: 'the same text gives the same bytes',
    property: fc.property(text, kind, (given, as) => {
      assert.equal(rewritten(given, as), rewritten(given, as))
    }),
  },
  {
    name: 'what has no link, no script and no tag stays byte for byte',
    property: fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const plain = Buffer.from(bytes)
        .toString('latin1')
        .replace(/[<&]|url\(|@|image-set/gi, '')
      for (const as of ['css', 'xml', 'worker'] as const) {
        const made = rewritten(plain, as)
        assert.ok(made.endsWith(plain) || as === 'worker')
      }
      assert.ok(rewritten(`<p>${plain}</p>`, 'html').endsWith(`<p>${plain}</p>`))
    }),
  },
  {
    name: 'no link of a page leads out of the archive',
    property: fc.property(text, (given) => {
      const html = Buffer.from(rewritten(given, 'html'), 'latin1').toString()
      for (const link of loaded(html)) {
        const url = URL.parse(link, `${origins.replay}/web/20200101000000mp_/http://a.org/b/c.html`)
        if (url === null || !/^https?:$/.test(url.protocol)) continue
        assert.equal(url.origin, origins.replay, `${JSON.stringify(link)} in ${html}`)
      }
    }),
  },
  {
    name: 'a link rewritten twice is as if once',
    property: fc.property(fc.oneof(fc.webUrl(), fc.string(), text), (link) => {
      const links = new LinkRewriter(page.timestamp, page.url, origins.replay)
      const once = links.rewrite(link, 'mp_')
      if (once !== undefined) assert.equal(links.rewrite(once, 'mp_'), undefined)
    }),
  },
  {
    name: 'a script that can be parsed can still be parsed',
    property: fc.property(text, (given) => {
      const script = Buffer.from(given, 'latin1').toString()
      if (!isScript(script)) return
      const context = { rewriteLink: () => undefined, scopeModule: '/x.js' }
      const made = rewriteScript(script, 'classic', context)
      assert.ok(isScript(made) || made.startsWith('import{'), `${script}\n→\n${made}`)
    }),
  },
]

function isScript(script: string): boolean {
  try {
    new Script(script)
    return true
  } catch {
    return false
  }
}
