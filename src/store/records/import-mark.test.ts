// The marks of captures that were imported, that came as revisits, and of those that came later than another of their second.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { digestOf, printDigest } from '../../model/digest.ts'
import { parseUrl } from '../../model/url/url.ts'
import { realCompressor } from '../../platform/real/compression/compressor.ts'
import { localWorld } from '../../platform/real/local-world.ts'
import { foreignRecord, sourceOf } from '../fixtures/archive-source.ts'
import { pageCapture, pageText, sampleOptions } from '../fixtures/sample-captures.ts'
import { rebuildIndex } from '../rebuild/rebuild.ts'
import { Store } from '../store.ts'

const url = 'http://a.test/'
const needs = { ...localWorld(), compressor: realCompressor }
const importedBy = 'the-importer'
const marks = [
  [undefined, false, false],
  [importedBy, true, false],
  [importedBy, false, false],
  [undefined, false, true],
]

function marksOf(store: Store): unknown[] {
  return [...store.versions(parseUrl(url))].map((version) => [
    version.importedBy,
    version.isLater,
    version.isImportedRevisit,
  ])
}

test('marks stay when the index is made anew, and go with every copy, whole or as it is stored', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-marks-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const giverFolder = join(folder, 'giver')
  const body = pageText(1, 5_000)
  const sender = await Store.open(needs, giverFolder, sampleOptions)
  await sender.append(pageCapture(url, 1_700_000_000_000, body))
  await sender.append(pageCapture(url, 1_700_000_000_500, body.replace('Page', 'Sheet'), { importedBy }))
  await sender.append(pageCapture(url, 1_700_000_009_000, body, { importedBy }))
  const revisit = foreignRecord(
    'revisit',
    {
      'WARC-Record-ID': '<urn:uuid:00000000-0000-4000-8000-000000000001>',
      'WARC-Date': '2023-12-01T00:00:00Z',
      'WARC-Target-URI': url,
      'Content-Type': 'application/http; msgtype=response',
      'WARC-Profile': 'http://netpreserve.org/warc/1.0/revisit/identical-payload-digest',
      'WARC-Payload-Digest': printDigest(digestOf('sha256', body)),
    },
    'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n',
  )
  await sender.import(sourceOf(revisit))
  assert.deepEqual(marksOf(sender), marks)
  for (const isWhole of [false, true]) {
    const receiver = await Store.open(needs, join(folder, `taker-${isWhole}`), sampleOptions)
    for (const { cursor } of sender.versions(parseUrl(url)))
      assert.equal(await receiver.take((await sender.give(cursor, { isWhole }))!), 'kept')
    assert.deepEqual(marksOf(receiver), marks)
    await receiver.close()
  }
  await sender.close()
  await rebuildIndex(needs, giverFolder, sampleOptions)
  const rebuilt = await Store.open(needs, giverFolder, sampleOptions)
  assert.deepEqual(marksOf(rebuilt), marks)
  await rebuilt.close()
})
