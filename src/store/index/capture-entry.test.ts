import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { captureKinds } from '../../model/capture-json.ts'
import { parseUrl, tryParseUrl, type Url } from '../../model/url/url.ts'
import { type CaptureEntry, decodeCaptureEntry, encodeCaptureEntry } from './capture-entry.ts'
import { captureKey, urlPrefix } from './capture-key.ts'

const sample: CaptureEntry = {
  kind: 'full',
  location: { volume: 3, offset: 123_456_789, length: 5_432 },
  companionBytes: 321,
  status: 200,
  mime: 'text/html',
  content: { digest: { algorithm: 'sha256', bytes: Buffer.alloc(32, 7) }, overflow: 0 },
  payloadBytes: 19_200,
  recordId: Buffer.alloc(16, 9),
  url: '',
  checksum: 0xfedc_ba98,
  isElsewhere: false,
  importedBy: undefined,
  isHidden: false,
  isLater: false,
  isImportedRevisit: false,
  heardAtMs: undefined,
}

function encoded(url: Url, entry: Partial<CaptureEntry> = {}): Uint8Array {
  return encodeCaptureEntry(keyOf(url), { ...sample, url: url.href, ...entry })
}

function keyOf(url: Url): Buffer {
  return captureKey(urlPrefix(url.ringKey, url.surt), 1_700_000_000_000, 0)
}

describe('a capture entry', () => {
  test('is read back as it was written, whatever its kind and type', () => {
    const url = parseUrl('http://example.com/')
    const contents = [undefined, sample.content!, { ...sample.content!, overflow: 300 }]
    for (const kind of captureKinds) {
      for (const mime of ['', 'text/html', 'video/mp2t', 'x-strange/type']) {
        for (const content of contents) {
          for (const [isElsewhere, isHidden] of [
            [false, false],
            [true, true],
          ] as const) {
            const entry = { ...sample, kind, mime, content, url: url.href, isElsewhere, isHidden }
            assert.deepEqual(decodeCaptureEntry(keyOf(url), encoded(url, entry)), entry)
          }
        }
      }
    }
  })

  test('keeps the very URL, whatever its SURT leaves out', () => {
    const urls = [
      'http://example.com/',
      'https://www.example.com/a/b.html',
      'https://www2.example.com/a/',
      'http://EXAMPLE.com:8080/Path/%7Euser/?b=2&a=1&PHPSESSID=0123456789abcdef0123456789abcdef',
      'http://127.0.0.1:9/x',
      'http://[::1]:80/x?',
      'https://example.com//a//b?',
      `https://example.com/${'long/'.repeat(600)}`,
    ]
    for (const url of urls.map((text) => parseUrl(text))) {
      assert.equal(decodeCaptureEntry(keyOf(url), encoded(url)).url, url.href)
    }
  })

  test('keeps any URL', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, validSchemes: ['http', 'https'] }), (text) => {
        const url = tryParseUrl(text)
        fc.pre(url !== null)
        assert.equal(decodeCaptureEntry(keyOf(url), encoded(url)).url, url.href)
      }),
      { seed: 1, numRuns: 500 },
    )
  })

  test('that has rotted is refused with a typed error, or read as something', () => {
    const url = parseUrl('http://example.com/page')
    const sound = encoded(url, { mime: 'x-strange/type' })
    for (let bit = 0; bit < 8 * sound.length; bit++) {
      const rotten = Buffer.from(sound)
      rotten[bit >> 3]! ^= 1 << (bit & 7)
      try {
        decodeCaptureEntry(keyOf(url), rotten)
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'store-index-damaged')
      }
    }
  })

  test('does not repeat the URL that its key tells', () => {
    const short = encoded(parseUrl('https://example.com/'))
    const long = encoded(parseUrl(`https://example.com/${'a'.repeat(60)}`))
    assert.ok(long.length - short.length <= 2)
    assert.ok(short.length < 80, `${short.length} bytes`)
  })
})
