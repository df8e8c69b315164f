// A crawler in this process with its store and its frontier, on a server of loopback.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { onTestFinished, test } from 'vitest'
import { decodeEvent, type StoredEvent } from '../../changes/event-coding.ts'
import { positionAfter } from '../../changes/local-events.ts'
import { compareVersions } from '../../changes/page-change/version-work.ts'
import { lookAtPart } from '../../changes/watches/look-work.ts'
import type { Frontier } from '../../crawl/frontier/frontier.ts'
import { removeFolder } from '../../platform/fixtures/child-processes.ts'
import { inlineWorkers } from '../../platform/workers.ts'
import { openStore } from '../../store/fixtures/open-store.ts'
import { localCrawling } from '../fixtures/crawler-options.ts'
import type { Platform } from '../platform.ts'
import { realPlatform } from '../real-platform.ts'
import { doThreadTask, type PageThreadTask } from '../threads/page-task.ts'
import { openCrawler } from './crawler.ts'

/** The address of a page, which is coded as servers do. */
async function serve(page: () => string): Promise<string> {
  const headers = { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' }
  const server = createServer(({ url }, response) => {
    if (url === '/page') response.writeHead(200, headers).end(gzipSync(page()))
    else response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/page`
}

/** Its threads start slowly, and what they do is not what is tested here. */
function platformWithoutThreads(fails: (task: PageThreadTask) => boolean): Platform {
  const platform = realPlatform()
  const pages = () =>
    inlineWorkers(async (task: PageThreadTask) => {
      if (fails(task)) throw new Error('a thread that died')
      return doThreadTask({ ...platform, compareVersions, lookAtPart }, task)
    })
  return { ...platform, threads: { ...platform.threads, pages } }
}

function lastEvent({ changes }: Frontier): StoredEvent {
  const { generation } = changes
  const range = { after: positionAfter(0), takenAfter: -1, generation, countMax: 100, bytesMax: 1e6 }
  return decodeEvent(changes.page(range).events.at(-1)!.bytes)
}

test('a page with a clock changes cosmetically from its fifth visit on, but when it is edited', async () => {
  let visits = 0
  let word = 'rains'
  let isComparing = true
  const url = await serve(
    () => `<title>${word}</title><p class=now>12:${10 + ++visits}</p><p>It ${word}.</p>`,
  )
  const platform = platformWithoutThreads((task) => 'before' in task && !isComparing)
  const store = await openStore()
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-'))
  onTestFinished(() => removeFolder(folder))
  const needs = { platform, store, watch: { happened: () => {} } }
  const { crawl, frontier, close } = await openCrawler(needs, folder, localCrawling)
  onTestFinished(close)
  const { id } = frontier.jobs.open({ seeds: [url], scope: 'page', budgets: {} })
  const never = new AbortController().signal
  const visit = async (): Promise<StoredEvent> => {
    if (visits > 0) frontier.jobs.restart(id)
    await crawl.run({ stop: never, abort: never })
    return lastEvent(frontier)
  }
  const told: string[] = []
  for (let count = 0; count < 5; count++) {
    const { kind, cosmetic } = await visit()
    told.push(`${kind}${cosmetic ? ', cosmetic' : ''}`)
  }
  assert.deepEqual(told, ['new', 'changed', 'changed', 'changed', 'changed, cosmetic'])
  word = 'snows'
  const edit = await visit()
  assert.deepEqual([edit.cosmetic, edit.titleBefore, edit.title], [false, 'rains', 'snows'])
  assert(edit.wordShare! > 0)
  assert.deepEqual(edit.ignored, [
    { path: 'p.now', reason: 'differs at every visit', before: '12:15', after: '12:16' },
  ])
  assert((await visit()).cosmetic)
  isComparing = false
  const unknown = await visit()
  assert.deepEqual([unknown.kind, unknown.cosmetic, unknown.wordShare], ['changed', false, undefined])
  assert.equal(visits, 8)
})
