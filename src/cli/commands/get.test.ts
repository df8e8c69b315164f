import assert from 'node:assert/strict'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { pageCapture } from '../../store/fixtures/sample-captures.ts'
import { CommandHome } from '../fixtures/command-home.ts'
import { printCapture } from './get.ts'

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
