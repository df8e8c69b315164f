// Characters: pages, scripts and style sheets in the encodings of the web, declared in every way.
//
// Text is both drawn and compared by a script, so that it counts also where no font has the letters.

import { picture } from '../files.ts'
import type { Answer, Answers } from '../origin-web.ts'
import { tile, tileScript, tileStyle } from '../tile-page.ts'

export const charsetPages = [
  'museum/charset/windows-1251',
  'museum/charset/meta-only',
  'museum/charset/meta-late',
  'museum/charset/shift-jis',
  'museum/charset/gbk',
  'museum/charset/latin-1',
  'museum/charset/utf-16le',
  'museum/charset/utf-16be',
  'museum/charset/utf-8-mark',
  'museum/charset/header-wins',
  'museum/charset/none',
]

interface Sample {
  /** As a script writes it. */
  readonly expected: string
  readonly bytes: readonly number[]
}

const cyrillic: Sample = {
  expected: '\\u041f\\u0440\\u0438\\u0432\\u0435\\u0442',
  bytes: [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2],
}
const japanese: Sample = {
  expected: '\\u30c6\\u30b9\\u30c8\\u8868',
  bytes: [0x83, 0x65, 0x83, 0x58, 0x83, 0x67, 0x95, 0x5c],
}
const chinese: Sample = { expected: '\\u4e2d\\u6587', bytes: [0xd6, 0xd0, 0xce, 0xc4] }
const western: Sample = { expected: 'caf\\u00e9', bytes: [0x63, 0x61, 0x66, 0xe9] }

export function charsetSite(): Answers {
  const typed = (charset: string) => ({ 'Content-Type': `text/html; charset=${charset}` })
  const untyped = { 'Content-Type': 'text/html' }
  const unicode = (text: string) => JSON.parse(`"${text}"`) as string
  return {
    'museum/charset/windows-1251': {
      headers: typed('windows-1251'),
      body: page(cyrillic, { withParts: true }),
    },
    'museum/charset/meta-only': {
      headers: untyped,
      body: page(cyrillic, {
        head: '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
        withParts: true,
      }),
    },
    'museum/charset/meta-late': {
      headers: untyped,
      body: page(cyrillic, { head: `<!-- ${'x'.repeat(700)} --><meta charset=cp1251>` }),
    },
    'museum/charset/shift-jis': { headers: typed('Shift_JIS'), body: page(japanese) },
    'museum/charset/gbk': { headers: typed('gb2312'), body: page(chinese) },
    'museum/charset/latin-1': { headers: typed('ISO-8859-1'), body: page(western) },
    'museum/charset/header-wins': {
      headers: typed('windows-1251'),
      body: page(cyrillic, { head: '<meta charset="utf-8">' }),
    },
    'museum/charset/none': { headers: untyped, body: page(western) },
    'museum/charset/utf-8-mark': {
      headers: typed('windows-1251'),
      body: Buffer.from(
        `\ufeff${page(cyrillic).toString('latin1').replace(latin(cyrillic), unicode(cyrillic.expected))}`,
      ),
    },
    'museum/charset/utf-16le': {
      headers: untyped,
      body: Buffer.from(`\ufeff${wide(cyrillic, unicode(cyrillic.expected))}`, 'utf16le'),
    },
    'museum/charset/utf-16be': {
      headers: untyped,
      body: Buffer.from(`\ufeff${wide(japanese, unicode(japanese.expected))}`, 'utf16le').swap16(),
    },
    'museum/charset/letters.js': part('text/javascript', "self.letters = '", cyrillic, "'"),
    'museum/charset/letters-named.js': part(
      'text/javascript; charset=windows-1251',
      "self.lettersNamed = '",
      cyrillic,
      "'",
    ),
    'museum/charset/letters.css': part('text/css', "#by-style::before { content: '", cyrillic, "' }"),
    'museum/charset/letters-declared.css': part(
      'text/css',
      '@charset "windows-1251"; #by-style-declared::before { content: \'',
      cyrillic,
      "' }",
    ),
    'museum/charset/picture.png?q=%CF': picture('#8a6d3b'),
  }
}

const latin = ({ bytes }: Sample) => Buffer.from(bytes).toString('latin1')
const wide = (sample: Sample, text: string) => page(sample).toString('latin1').replace(latin(sample), text)

function part(type: string, before: string, { bytes }: Sample, after: string): Answer {
  const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
  return { headers: { 'Content-Type': type }, body }
}

/** With parts: scripts and styles without a charset of their own, and a link whose query is in the page's encoding. */
function page(sample: Sample, { head = '', withParts = false } = {}): Buffer {
  const parts = withParts ? partsFor(sample) : ''
  const text = `<!doctype html><html><head>${head}<title>Letters</title><style>${tileStyle}</style>
    <script>${tileScript}</script></head><body>${tile('letters', '')}<h1 id="text">${latin(sample)}</h1>
    <script>tile('letters', function () {
      var text = document.getElementById('text').textContent
      return text === '${sample.expected}' || escape(text)
    })</script>${parts}</body></html>`
  return Buffer.from(text, 'latin1')
}

function partsFor({ bytes, expected }: Sample): string {
  const first = Buffer.from(bytes.slice(0, 1)).toString('latin1')
  return `<link rel="stylesheet" href="letters.css"><link rel="stylesheet" href="letters-declared.css">
    <script src="letters.js"></script><script src="letters-named.js"></script>
    ${tile('by-script', '')}${tile('by-script-named', '')}${tile('by-style', '')}${tile('by-style-declared', '')}
    ${tile('by-query', `<img src="picture.png?q=${first}" alt="">`)}
    <script>
      tile('by-script', function () { return self.letters === '${expected}' || escape(self.letters) })
      tile('by-script-named', function () { return self.lettersNamed === '${expected}' || escape(self.lettersNamed) })
      function content(id) { return getComputedStyle(document.getElementById(id), '::before').content }
      tile('by-style', function () { return when(self, 'load').then(function () { return content('by-style') === '"${expected}"' }) })
      tile('by-style-declared', function () {
        return when(self, 'load').then(function () { return content('by-style-declared') === '"${expected}"' })
      })
    </script>`
}
