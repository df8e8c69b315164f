import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { openCrawlerToAsk } from '../../app/crawl/crawler-to-ask.ts'
import type { Store } from '../../app/store/store-library.ts'
import { parseUrl } from '../../model/url/url.ts'
import { pageCapture } from '../../store/fixtures/sample-captures.ts'
import type { Context } from '../context.ts'
import type { ExitCode } from '../exit-codes.ts'
import { CommandHome } from '../fixtures/command-home.ts'
import { showChanges } from './changes/changes.ts'
import { showCrawlLog } from './crawl/crawl-log.ts'
import { explain } from './crawl/explain.ts'
import { plannedVisits } from './crawl/visits.ts'
import { printCapture } from './get.ts'
import { showStatus } from './network/status.ts'
import { searchPages } from './search.ts'
import { showStat } from './store/store-stat.ts'
import { manageVolumes } from './store/store-volumes.ts'
import { takeDown } from './store/takedown.ts'
import { showVersions } from './versions.ts'

const url = 'http://a.test/'
const atMs = Date.UTC(2020, 0, 1)

/** Names that are taken: nothing can be locked for writing, not even by root, nor a frontier be made. */
async function unwritableHome(): Promise<CommandHome> {
  const home = await CommandHome.make()
  await home.withStore((store) => store.append(pageCapture(url, atMs, 'a page')))
  await mkdir(join(home.folder, 'store', 'holder.json.new'))
  return home
}

/** As a crawl leaves it: the page is new, and that is an event. */
async function visitOnce(store: Store, folder: string): Promise<void> {
  const { frontier, close } = await openCrawlerToAsk(folder, store, { userAgent: 'test', allowed: [] })
  const { id } = frontier.jobs.open({ seeds: [], scope: 'any', budgets: {} })
  frontier.visits.revisit(parseUrl(url), id)
  const answer = await frontier.nextTask()
  assert(answer.kind === 'task', answer.kind)
  const digest = { algorithm: 'sha256', bytes: hash('sha256', 'a page', 'buffer') } as const
  const sighting = { id: Buffer.alloc(16), atMs, status: 200, mime: 'text/html', digest, bytes: 6 }
  await frontier.complete(answer.task, {
    outcome: 'fetched',
    status: 200,
    observed: { sighting, earlier: () => [] },
  })
  await close()
}

type Command = (context: Context) => Promise<ExitCode | undefined>

const commands: Record<string, [Command, ExitCode, RegExp]> = {
  get: [(context) => printCapture(context, [url], {}), 0, /a page/],
  versions: [(context) => showVersions(context, [url], {}), 0, /20200101000000/],
  'store stat': [(context) => showStat(context), 0, /captures +1/],
  'store volumes': [(context) => manageVolumes(context, [], {}), 0, /writable/],
  'takedown --list': [(context) => takeDown(context, [], { list: true, reason: '' }), 0, /^$/],
  visits: [(context) => plannedVisits(context, [], { limit: 10 }), 0, /No visits are planned/],
  'crawl log': [(context) => showCrawlLog(context, [], {}), 0, /^$/],
  // No address of this network is asked.
  explain: [(context) => explain(context, ['http://127.0.0.1/'], {}), 1, /disallowed/],
}

describe('on a disk that cannot be written to', () => {
  test.each(Object.entries(commands))('%s shows what is there', async (_, [command, wanted, shown]) => {
    const home = await unwritableHome()
    const before = (await readdir(home.folder, { recursive: true })).sort()
    const { code, output, errors } = await home.run(command)
    assert.equal(code, wanted, errors)
    assert.match(output.toString(), shown)
    assert.deepEqual((await readdir(home.folder, { recursive: true })).sort(), before)
  })

  test('search finds what was indexed before, and says that there may be more', async () => {
    const home = await CommandHome.make()
    await home.withStore((store) => store.append(pageCapture(url, atMs, 'a page')))
    const search = (context: Context) => searchPages(context, ['page'], {})
    assert.equal((await home.run(search)).code, 0)
    await home.withStore((store) => store.append(pageCapture('http://b.test/', atMs, 'another page')))
    await mkdir(join(home.folder, 'store', 'holder.json.new'))
    const { code, output, errors } = await home.run(search)
    assert.equal(code, 0, errors)
    assert.match(output.toString(), /http:\/\/a\.test\//)
    assert.match(errors, /1 page found\.\n.*still has to be indexed/)
  })

  test('changes shows what had changed before', async () => {
    const home = await CommandHome.make()
    await home.withStore((store) => visitOnce(store, join(home.folder, 'crawl')))
    await mkdir(join(home.folder, 'store', 'holder.json.new'))
    const { code, output, errors } = await home.run((context) => showChanges(context, [], {}))
    assert.equal(code, 0, errors)
    assert.match(output.toString(), /"kind":"new","url":"http:\/\/a\.test\/"/)
  })

  test('status says that no peer runs', async () => {
    const home = await unwritableHome()
    const { code, errors } = await home.run((context) => showStatus(context))
    assert.equal(code, 75)
    assert.match(errors, /No peer runs/)
  })

  test('what needs room is refused', async () => {
    const home = await unwritableHome()
    const change = { reason: '', yes: true, url }
    assert.equal((await home.run((context) => takeDown(context, [], change))).code, 74)
    const folder = join(home.folder, 'more')
    assert.equal((await home.run((context) => manageVolumes(context, [], { add: folder }))).code, 74)
  })
})
