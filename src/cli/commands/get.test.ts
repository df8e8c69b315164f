import assert from 'node:assert/strict'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { digestOf } from '../../model/digest.ts'
import { pageCapture } from '../../store/fixtures/sample-captures.ts'
import { CommandHome } from '../fixtures/command-home.ts'
import { printCapture } from './get.ts'
import { showVersions } from './versions.ts'

const noonMs = Date.UTC(2020, 0, 1, 12)
const page = '<p>words, words, words</p>\n'.repeat(10_000)

async function homeWith(encoding: string, body: Uint8Array): Promise<CommandHome> {
  const home = await CommandHome.make()
  const headers = [`Content-Encoding: ${encoding}`]
  await home.withStore((store) => store.append(pageCapture('http://a.org/', noonMs, body, { headers })))
  return home
}

function decoded(home: CommandHome) {
  return home.run((context) => printCapture(context, ['http://a.org/'], { decode: true }))
}

describe('get --decode', () => {
  test.each([
    ['gzip', gzipSync(page)],
    ['gzip', Buffer.concat([gzipSync(page), Buffer.from('<!-- served -->')])],
    ['deflate', deflateSync(page)],
    ['br', brotliCompressSync(page)],
    ['zstd', zstdCompressSync(page)],
    ['gzip, br', brotliCompressSync(gzipSync(page))],
  ])('undoes %s', async (encoding, body) => {
    const { code, output, errors } = await decoded(await homeWith(encoding, body))
    assert.deepEqual([code, errors, output.toString() === page], [0, '', true])
  })

  test('says that the rest cannot be decoded', async () => {
    const { code, output, errors } = await decoded(await homeWith('gzip', gzipSync(page).subarray(0, -100)))
    assert.equal(code, 1)
    assert.match(errors, /breaks off or is damaged/)
    assert.ok(output.length > 0 && page.startsWith(output.toString()))
  })

  test('of a coding that nobody knows is a wrong option', async () => {
    const { code, errors } = await decoded(await homeWith('sdch', Buffer.from('x')))
    assert.equal(code, 64)
    assert.match(errors, /Leave out --decode/)
  })
})

describe('get of a URL that shares its key with others', () => {
  async function homeWithSiblings(): Promise<CommandHome> {
    const home = await CommandHome.make()
    await home.withStore(async (store) => {
      await store.append(pageCapture('http://a.org/a.html', noonMs, 'small'))
      await store.append(pageCapture('http://a.org/A.html', noonMs + 2_000, 'capital'))
      await store.append(pageCapture('http://a.org/x?b=1&a=2', noonMs, 'b first'))
      await store.append(pageCapture('http://www.a.org/x?a=2&b=1', noonMs, 'a first'))
    })
    return home
  }

  test.each([
    ['http://a.org/a.html', 'small'],
    ['http://a.org/A.html', 'capital'],
    ['http://a.org/x?b=1&a=2', 'b first'],
    ['http://www.a.org/x?a=2&b=1', 'a first'],
  ])('%s prints its own page', async (url, expected) => {
    const home = await homeWithSiblings()
    for (const options of [{}, { at: '2020' }, { at: '20200101120001' }, { at: '2021', notNewer: true }]) {
      const { output, errors } = await home.run((context) => printCapture(context, [url], options))
      assert.deepEqual([output.toString(), errors], [expected, ''])
    }
  })

  test('another spelling of it is said to be one', async () => {
    const home = await homeWithSiblings()
    const { output, errors } = await home.run((context) =>
      printCapture(context, ['https://a.org/A.html'], {}),
    )
    assert.equal(output.toString(), 'capital')
    assert.match(errors, /^This is http:\/\/a\.org\/A\.html: /)
  })

  test('versions name the URL of each', async () => {
    const home = await homeWithSiblings()
    const { output } = await home.run((context) => showVersions(context, ['http://a.org/a.html'], {}))
    assert.match(output.toString(), /\/a\.html\n.*\/A\.html/)
  })
})

test('a time that is cut short means the latest version within it, else the nearest to it', async () => {
  const home = await CommandHome.make()
  await home.withStore(async (store) => {
    for (const at of ['2019-12-31T23:00:00Z', '2020-03-01T00:00:00Z', '2021-01-01T01:00:00Z'])
      await store.append(pageCapture('http://a.org/', Date.parse(at), at))
  })
  const at = async (digits: string) =>
    (await home.run((context) => printCapture(context, ['http://a.org/'], { at: digits }))).output.toString()
  assert.equal(await at('2020'), '2020-03-01T00:00:00Z')
  assert.equal(await at('2019'), '2019-12-31T23:00:00Z')
  assert.equal(await at('202012'), '2021-01-01T01:00:00Z')
  assert.equal(await at('202001'), '2019-12-31T23:00:00Z')
})

test('a revisit of what is nowhere is not found', async () => {
  const home = await CommandHome.make()
  const revisit = { kind: 'same', of: undefined, payloadDigest: digestOf('sha256', 'never seen') } as const
  await home.withStore((store) => store.append({ ...pageCapture('http://a.org/', noonMs, ''), revisit }))
  const { code, errors } = await home.run((context) => printCapture(context, ['http://a.org/'], {}))
  assert.equal(code, 66)
  assert.match(errors, /a revisit of a capture that is not in this store/)
})
