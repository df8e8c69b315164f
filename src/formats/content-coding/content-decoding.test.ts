import assert from 'node:assert/strict'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { testProperties } from '../../model/fixtures/property-tests.ts'
import { codingsOf } from './codings.ts'
import { properties } from './content-decoding.fuzz.ts'
import { decodeContent } from './content-decoding.ts'

const page = Buffer.from('<p>words, words, words</p>\n'.repeat(5_000))
const plenty = 1_000_000
/** A page of the usual size, that compresses to several pieces. */
const varied = Buffer.from(
  Array.from({ length: 3_000 }, (_, i) => `<p>${((i * 7_919) % 10_007).toString(36)}</p>`).join('\n'),
)

const coded: [name: string, encoding: string, bytes: Buffer][] = [
  ['nothing', '', page],
  ['identity', 'identity', page],
  ['gzip', 'gzip', gzipSync(page)],
  ['gzip by its old name, in capitals', ' X-GZIP ', gzipSync(page)],
  [
    'gzip in several members',
    'gzip',
    Buffer.concat([gzipSync(page.subarray(0, 999)), gzipSync(page.subarray(999))]),
  ],
  ['gzip with zeros behind it', 'gzip', Buffer.concat([gzipSync(page), Buffer.alloc(100)])],
  ['gzip with rubbish behind it', 'gzip', Buffer.concat([gzipSync(page), Buffer.from('<!-- served -->')])],
  ['gzip with a wrong checksum', 'gzip', Buffer.concat([gzipSync(page).subarray(0, -8), Buffer.alloc(8, 1)])],
  ['deflate', 'deflate', deflateSync(page)],
  ['deflate with rubbish behind it', 'deflate', Buffer.concat([deflateSync(page), Buffer.from('<!---->')])],
  [
    'deflate with a wrong checksum',
    'deflate',
    Buffer.concat([deflateSync(page).subarray(0, -4), Buffer.alloc(4, 1)]),
  ],
  ['deflate without header', 'deflate', deflateRawSync(page)],
  ['brotli', 'br', brotliCompressSync(page)],
  ['brotli with rubbish behind it', 'br', Buffer.concat([brotliCompressSync(page), Buffer.from('<!---->')])],
  ['zstd', 'zstd', zstdCompressSync(page)],
  [
    'zstd in several frames, with rubbish behind them',
    'zstd',
    Buffer.concat([
      zstdCompressSync(page.subarray(0, 999)),
      zstdCompressSync(page.subarray(999)),
      Buffer.from('<!---->'),
    ]),
  ],
  ['gzip, then brotli', 'gzip, br', brotliCompressSync(gzipSync(page))],
  [
    'zstd three times',
    'zstd,zstd , identity,zstd',
    zstdCompressSync(zstdCompressSync(zstdCompressSync(page))),
  ],
]

test.each(coded)('%s', async (_, encoding, bytes) => {
  const chunks = [bytes.subarray(0, 7), bytes.subarray(7)]
  for (const content of [bytes, chunks]) {
    const decoded = await decodeContent(content, encoding, plenty)
    assert.equal(decoded.end, 'whole')
    assert(page.equals(decoded.bytes))
  }
  const edge = await decodeContent(bytes, encoding, page.length)
  assert.deepEqual([edge.end, edge.bytes.length], ['whole', page.length])
})

test('what is larger than allowed is cut, in every coding', async () => {
  for (const [, encoding, bytes] of coded) {
    const decoded = await decodeContent(bytes, encoding, 50_000)
    assert.deepEqual([decoded.end, decoded.bytes.length], ['cut', 50_000], encoding)
    assert(page.subarray(0, 50_000).equals(decoded.bytes))
  }
})

test('a bomb costs no more than the limit, also one inside another', async () => {
  const zeros = Buffer.alloc(64 * 1024 * 1024)
  const inner = gzipSync(zeros)
  for (const [encoding, bomb] of [
    ['gzip', inner],
    ['br', brotliCompressSync(zeros, { params: { 1: 4 } })],
    ['zstd', zstdCompressSync(zeros)],
    ['gzip, gzip', gzipSync(inner)],
  ] as const) {
    const decoded = await decodeContent(bomb, encoding, 1_000_000)
    assert.deepEqual([decoded.end, decoded.bytes.length], ['cut', 1_000_000], encoding)
  }
})

test('what could be decoded before the damage is given', async () => {
  // Several blocks of it: zstd gives a block whole or not at all.
  let state = 1
  const noise = Buffer.from(
    Array.from({ length: 600_000 }, () => (state = Math.imul(state, 1_103_515_245) + 12_345) >> 24),
  )
  for (const [encoding, bytes] of [
    ['gzip', gzipSync(noise)],
    ['deflate', deflateSync(noise)],
    ['br', brotliCompressSync(noise)],
    ['zstd', zstdCompressSync(noise)],
  ] as const) {
    const torn = await decodeContent(bytes.subarray(0, Math.floor(bytes.length * 0.8)), encoding, plenty)
    assert.equal(torn.end, 'damaged', encoding)
    assert(torn.bytes.length > 0 && noise.subarray(0, torn.bytes.length).equals(torn.bytes), encoding)
  }
})

test('of a small page, all but little before the damage is given', async () => {
  for (const [encoding, bytes] of [
    ['gzip', gzipSync(varied)],
    ['deflate', deflateSync(varied)],
    ['br', brotliCompressSync(varied)],
  ] as const) {
    const broken = Buffer.from(bytes).fill(0xff, bytes.length - 300)
    const decoded = await decodeContent(broken, encoding, plenty)
    assert.equal(decoded.end, 'damaged', encoding)
    assert(decoded.bytes.length > varied.length / 2, `${encoding}: ${decoded.bytes.length}`)
    const sound = varied.length / 2
    assert(varied.subarray(0, sound).equals(decoded.bytes.subarray(0, sound)), encoding)
  }
})

test('a coding that is only claimed is not undone', async () => {
  for (const encoding of ['gzip', 'zstd']) {
    assert.deepEqual(await decodeContent(page, encoding, plenty), { bytes: page, end: 'whole' })
  }
})

test('a failure of the source is no damage of the content', async () => {
  async function* failing() {
    yield gzipSync(page).subarray(0, 20)
    throw new RangeError('the disk')
  }
  await assert.rejects(decodeContent(failing(), 'gzip', plenty), RangeError)
})

test('codings that are not known, or too many, leave the bytes as they came', async () => {
  for (const encoding of [
    'compress',
    'gzip, aes128gcm',
    'constructor',
    new Array(9).fill('gzip').join(','),
  ]) {
    const decoded = await decodeContent(page, encoding, plenty)
    assert.equal(decoded.end, 'unknown')
    assert(page.equals(decoded.bytes))
  }
})

test('an empty body is empty in every coding', async () => {
  for (const [, encoding] of coded) {
    const decoded = await decodeContent(new Uint8Array(0), encoding, plenty)
    assert.deepEqual([decoded.end, decoded.bytes.length], ['whole', 0])
  }
})

test('codings are read as they are written', () => {
  assert.deepEqual(codingsOf(undefined), [])
  assert.deepEqual(codingsOf(' GZIP,, identity ,Br'), ['gzip', 'br'])
})

describe('of any input', () => {
  testProperties(properties, 200)
})
