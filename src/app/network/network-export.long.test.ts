// An export by a peer that keeps nothing of what it exports: what browsers saw of pages comes from those who keep it, and the file says of
// them what that of one store with everything says.

import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { encodePageInfo } from '../../formats/warc/page-info.ts'
import { viewTarget, viewUrl } from '../../formats/warc/page-views.ts'
import { readWarc } from '../../formats/warc/reading/reader.ts'
import { targetUriOf, typeOf } from '../../formats/warc/record.ts'
import { parseUrl } from '../../model/url/url.ts'
import { bytesOf, pageCapture } from '../../store/fixtures/sample-captures.ts'
import { validWacz } from '../../store/fixtures/wacz-validator.ts'
import { type ReadingNetwork, type ReadingPeer, startReadingNetwork } from '../fixtures/reading-network.ts'

const day = 86_400_000
const start = Date.parse('2024-01-01T00:00:00Z')
const kinds = ['view', 'thumbnail', 'text', 'pageinfo'] as const
const page = parseUrl('http://shown.example/app')
let shown: ReadingNetwork
let outsider: ReadingPeer

beforeAll(async () => {
  shown = await startReadingNetwork(4, 2, {
    patienceMs: 200,
    answerMs: 5_000,
    graceMs: 5_000,
    cacheBytes: 0,
  })
  for (let version = 0; version < 3; version++) {
    const atMs = start + version * day
    await shown.keep(pageCapture(page.href, atMs, `<title>Shell</title><div id=root>${version}`))
    // The thumbnail is the same each time: one payload, and a record for each version.
    const parts = [
      { name: `${page.href}.js`, fate: 'kept', status: 200 },
      { name: 'http://far.example/x', fate: 'refused', status: 0, code: 'robots', reason: 'Disallow: /' },
    ] as const
    const views = {
      view: ['image/jpeg', `picture ${version}`],
      thumbnail: ['image/jpeg', 'small picture'],
      text: ['text/plain;charset=utf-8', `Read after scripts, ${version}`],
      pageinfo: [
        'application/json',
        encodePageInfo({ url: page.href, title: `Shown ${version}`, links: [], parts }),
      ],
    } as const
    for (const kind of kinds) {
      const [contentType, bytes] = views[kind]
      const targetUri = viewTarget(page.href, kind)
      const url = viewUrl(page, kind)!
      await shown.keep({ url, targetUri, capturedAtMs: atMs, contentType, block: Buffer.from(bytes) })
    }
  }
  // No browser showed it: its title is its own.
  await shown.keep(pageCapture('http://shown.example/plain', start, '<title>Plain</title>'))
  const holders = shown.holdersOf(page.href)
  outsider = shown.peers.find((peer) => !holders.includes(peer))!
  assert.deepEqual([...outsider.store.scan({ kind: 'site', site: 'shown.example' })], [])
}, 600_000)
afterAll(() => shown.close(), 600_000)

const selections = [{ kind: 'all' }, { kind: 'site', site: 'shown.example' }] as const

test.each(selections)(
  'a WACZ of $kind says of pages that a browser showed what that of one store says',
  async (selection) => {
    const wanted = { format: 'wacz', selection } as const
    const right = await validWacz(await bytesOf(shown.whole.export(wanted).chunks))
    assert.deepEqual(
      right.pages.map(({ title, text }) => [title, text]),
      [...[0, 1, 2].map((at) => [`Shown ${at}`, `Read after scripts, ${at}`]), ['Plain', undefined]],
    )
    const found = await validWacz(await bytesOf(outsider.archive.export(wanted).chunks))
    assert.deepEqual(found.pages, right.pages)
    assert.deepEqual(found.manifest.parts, {
      path: 'reports/parts.jsonl',
      ...{ pages: 3, complete: 0, kept: 3, refused: 3, failed: 0 },
    })
    for (const name of ['pages/pages.jsonl', 'reports/parts.jsonl'])
      assert.equal(found.files.get(name)!.toString(), right.files.get(name)!.toString(), name)
    const indexed = ({ lines }: typeof right) =>
      lines.map(({ surt, timestamp, url, mime, digest }) => [surt, timestamp, url, mime, digest])
    assert.deepEqual(indexed(found), indexed(right))
    for (const kind of kinds)
      assert.equal(found.lines.filter(({ url }) => url === `urn:${kind}:${page.href}`).length, 3, kind)
  },
)

test('a WARC has a resource record of each view of each version', async () => {
  const { chunks } = outsider.archive.export({ format: 'warc', selection: { kind: 'all' } })
  const found: string[] = []
  for await (const item of readWarc(chunks)) {
    assert.ok(item.kind === 'record')
    const target = targetUriOf(item.record) ?? ''
    if (target.startsWith('urn:')) found.push(`${typeOf(item.record)} ${target}`)
  }
  const right = kinds.flatMap((kind) => Array(3).fill(`resource urn:${kind}:${page.href}`))
  assert.deepEqual(found.sort(), right.sort())
})
