import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { charsetOfLabel, type Declaration, decodeText } from './charset.ts'

function charsetOf(bytes: Uint8Array, contentType?: string, declaration: Declaration = 'html'): string {
  return decodeText(bytes, contentType, declaration).charset
}

const latin = (text: string) => Buffer.from(text, 'latin1')

describe('the charset is that of', () => {
  test('the byte order mark before all', () => {
    assert.equal(charsetOf(latin('\xef\xbb\xbf<meta charset=koi8-r>'), 'text/html; charset=latin1'), 'utf-8')
    assert.deepEqual(decodeText(latin('\xff\xfea\0'), undefined, 'html'), { text: 'a', charset: 'utf-16le' })
    assert.deepEqual(decodeText(latin('\xfe\xff\0a'), undefined, 'html'), { text: 'a', charset: 'utf-16be' })
    assert.equal(decodeText(latin('\xef\xbb\xbf\xc3\xa9'), undefined, 'none').text, 'é')
  })

  test('the header before the document', () => {
    assert.equal(charsetOf(latin('<meta charset=koi8-r>'), 'text/html; charset=ISO-8859-1'), 'windows-1252')
    assert.equal(charsetOf(latin('<meta charset=koi8-r>'), 'text/html;Charset = "utf-8"'), 'utf-8')
    assert.equal(charsetOf(latin('<meta charset=koi8-r>'), 'text/html; charset=nonsense'), 'koi8-r')
  })

  test.for([
    ['<meta charset="koi8-r">', 'koi8-r'],
    ["<META CHARSET = 'Shift_JIS' />", 'shift_jis'],
    ['<meta http-equiv="Content-Type" content="text/html; charset=euc-kr">', 'euc-kr'],
    ['<meta content="text/html;charset=gbk" http-equiv=content-type>', 'gbk'],
    ['<!-- <meta charset=koi8-r> --><meta charset=big5>', 'big5'],
    ['<meta charset=utf-16>', 'utf-8'],
    ['<meta charset=nonsense>', 'utf-8'],
    ['<metacharset=koi8-r>', 'utf-8'],
    [`${' '.repeat(1_020)}<meta charset=koi8-r>`, 'utf-8'],
    ['<?xml version="1.0" encoding="koi8-r"?><html>', 'koi8-r'],
  ])('the document: %s', ([html, charset]) => {
    assert.equal(charsetOf(latin(html!)), charset)
  })

  test('its form of declaration only', () => {
    assert.equal(charsetOf(latin('<meta charset=koi8-r>'), undefined, 'css'), 'utf-8')
    assert.equal(charsetOf(latin('<meta charset=koi8-r>'), undefined, 'xml'), 'utf-8')
    assert.equal(charsetOf(latin('@charset "koi8-r";'), undefined, 'css'), 'koi8-r')
    assert.equal(charsetOf(latin(' @charset "koi8-r";'), undefined, 'css'), 'utf-8')
    assert.equal(charsetOf(latin('<?xml version="1.0" encoding=\'koi8-r\'?>'), undefined, 'xml'), 'koi8-r')
    assert.equal(charsetOf(latin('@charset "koi8-r";'), undefined, 'none'), 'utf-8')
  })

  test('the bytes themselves: UTF-8 or windows-1252', () => {
    assert.deepEqual(decodeText(Buffer.from('é'), undefined, 'html'), { text: 'é', charset: 'utf-8' })
    assert.deepEqual(decodeText(latin('\xe9\x80'), undefined, 'html'), {
      text: 'é€',
      charset: 'windows-1252',
    })
  })

  test('a page that declares it late, where it is not UTF-8', () => {
    const late = `${' '.repeat(2_000)}<meta charset=koi8-r>`
    assert.deepEqual(decodeText(latin(`${late}\xd4`), undefined, 'html').text.at(-1), 'т')
    assert.equal(charsetOf(latin(`${late}\xd4`), 'text/html; charset=utf-8'), 'utf-8')
    assert.equal(charsetOf(Buffer.from(`${late}é`)), 'utf-8')
    assert.equal(charsetOf(latin(`${late}\xd4`), undefined, 'css'), 'windows-1252')
  })
})

test('bytes are decoded, and what is none becomes a replacement character', () => {
  assert.equal(decodeText(latin('\xd4'), 'x/y; charset=koi8-r', 'none').text, 'т')
  assert.equal(decodeText(latin('\x1b$B$"'), 'x/y; charset=iso-2022-jp', 'none').text, 'あ')
  assert.equal(decodeText(latin('a\xff'), 'x/y; charset=utf-8', 'none').text, 'a\ufffd')
})

test('labels are names of encodings', () => {
  assert.equal(charsetOfLabel(' UTF8 '), 'utf-8')
  assert.equal(charsetOfLabel('ascii'), 'windows-1252')
  assert.equal(charsetOfLabel('nonsense'), undefined)
})
