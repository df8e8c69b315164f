// Whatever stands in a value, the page's markup is the template's and nobody else's.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { html } from './html.ts'

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        '<',
        '>',
        '"',
        "'",
        '&',
        '&lt;',
        '<script>',
        '</title>',
        '-->',
        '\0',
        ' onload=',
        '`',
        '\n',
      ),
    )
    .map((parts) => parts.join('')),
)

export const properties = [
  {
    name: 'text and attributes come back as they went in, and no tag more',
    property: fc.property(hostile, hostile, (attribute, text) => {
      const seen: unknown[] = []
      let read = ''
      const parser = new Parser({
        onopentag: (name, attributes) => seen.push([name, { ...attributes }]),
        ontext: (part) => (read += part),
        oncomment: () => seen.push('comment'),
        onprocessinginstruction: () => seen.push('instruction'),
      })
      parser.end(html`<p title="${attribute}">${text}</p>`.toString())
      assert.deepEqual(seen, [['p', { title: attribute.replaceAll('\0', '\uFFFD') }]])
      assert.equal(read, text.replaceAll('\0', '\uFFFD'))
    }),
  },
]
