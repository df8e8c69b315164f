// No page gets out: not while a browser captures it, to where the crawler may not go; and not in replay, to the live web, to the
// archive's own interface or to another site's things. Each attempt is first seen to succeed outside of the archive.

import assert from 'node:assert/strict'
import type { Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { TestArchive } from './archive.ts'
import { TestBrowser } from './browser.ts'
import { Attempts, attribute, type Visit } from './escapes/attempt.ts'
import { captureEscapes } from './escapes/capture.ts'
import type { Escape, Surroundings } from './escapes/escape.ts'
import { type EscapeRow, writeEscapes } from './escapes/escape-table.ts'
import { escapeGroups, escapeSite, escapesByKind, everyEscape } from './escapes/every-escape.ts'
import { beyond } from './net-log.ts'
import { OriginWeb } from './origin-web.ts'
import { contentFrame, replayUrl } from './replay-view.ts'
import { together } from './together.ts'
import { Witness } from './witness.ts'

const atOnce = 3
/** Only what goes wrong takes this long. */
const successMsMax = 60_000
const failureMsMax = 60_000
const rareMsMax = 1_500
/** Where the live web is: on this machine, so that whoever gets out arrives; and not where the crawler is allowed to go. */
const liveHost = '127.0.0.2'

/** Its traces, outside of the archive and in it. */
interface Findings {
  outside: PromiseSettledResult<string[]> | undefined
  inside: PromiseSettledResult<string[]> | undefined
}

let witness: Witness
let web: OriginWeb
let archive: TestArchive
let replayBrowser: TestBrowser
let around: Surroundings
const findings = new Map<string, Findings>()
const neverRan: string[] = []

/** Names are known before anything runs, so that each escape is a test of its own. */
const known = everyEscape({
  live: '',
  archive: '',
  datagramPort: () => 0,
  connectionPort: () => 0,
  origin: () => '',
})
const names = known.map(({ name }) => name)
const rare = new Set(known.filter(({ isRare }) => isRare).map(({ name }) => name))
let captureArrivals: string[]
let replayArrivals: string[]
let refused: Set<string>

beforeAll(async () => {
  witness = await Witness.start(0, liveHost)
  archive = await TestArchive.create()
  const datagrams = new Map<string, number>()
  const connections = new Map<string, number>()
  for (const name of names) {
    if (/connection|transport|text-frame-/.test(name)) datagrams.set(name, await witness.listenForDatagrams())
    if (/secure|turn-stream/.test(name)) connections.set(name, await witness.listenForConnections())
  }
  const datagramPort = (name: string) => datagrams.get(name) ?? 0
  const connectionPort = (name: string) => connections.get(name) ?? 0
  const live = `http://${witness.address}`
  let escapes: Escape[] = []
  web = await OriginWeb.start((origin) => {
    around = { live, archive: archive.origin, datagramPort, connectionPort, origin }
    escapes = everyEscape(around)
    return { ...escapeSite(escapes, around), ...escapeGroups(escapes) }
  })
  refused = await captureEscapes(archive, web)
  captureArrivals = witness.arrivals()
  await tryOutside(escapes)
  await web.shutDown()
  await archive.start()
  witness.forget()
  replayBrowser = await TestBrowser.start(witness.address)
  await tryInside(escapes)
  replayArrivals = witness.arrivals()
  if (process.env.WRITE_ESCAPES === '1') await writeEscapes(rows())
}, 600_000)

afterAll(async () => {
  await replayBrowser?.dispose()
  await archive?.stop()
  await web?.stop()
  await witness?.stop()
})

async function tryOutside(escapes: Escape[]): Promise<void> {
  const stub = await Witness.start(archive.port)
  const browser = await TestBrowser.start(witness.address)
  try {
    const attempts = new Attempts({ browser, witnesses: { live: witness, stub } }, around)
    const results = await together(escapes, atOnce, (way, lane) => attempts.make(way, outside(way), lane))
    for (const [at, { name }] of escapes.entries())
      findings.set(name, { outside: results[at], inside: undefined })
    // A busy machine plays no film in time: alone it does.
    const late = escapes.filter(({ name }) => !rare.has(name) && !hasTraces(findings.get(name)!.outside))
    for (const way of late) {
      const [outcome] = await together([way], 1, (each, lane) => attempts.make(each, outside(each), lane))
      findings.set(way.name, { outside: outcome, inside: undefined })
    }
  } finally {
    await browser.dispose()
    await stub.stop()
  }
}

function outside({ name, first, holder }: Escape): Visit {
  const place = `rogue/escape/${name}`
  return {
    url: web.url(holder === undefined ? place : `${place}/holder`),
    firstUrl: first && web.url(`${place}/first`),
    mayBeAt: (url) => !url.startsWith(around.live),
    untilTried: async (_page, traces) => {
      await until(async () => (await traces()).length > 0, rare.has(name) ? rareMsMax : successMsMax)
    },
  }
}

async function tryInside(escapes: Escape[]): Promise<void> {
  const attempts = new Attempts(
    { browser: replayBrowser, witnesses: { live: witness, stub: witness } },
    around,
  )
  const results = await together(escapes, atOnce, (way, lane) => attempts.make(way, inside(way), lane))
  for (const [at, { name }] of escapes.entries()) findings.get(name)!.inside = results[at]
}

function inside({ name, first }: Escape): Visit {
  return {
    url: replayUrl(archive, web.url(`rogue/escape/${name}`)),
    firstUrl: first && replayUrl(archive, web.url(`victim/escape/${name}/first`)),
    mayBeAt: (url) => !/^(https?|wss?):/.test(url) || archive.hosts.includes(new URL(url).host),
    untilTried: async (page) => {
      // Once is enough: it may be on its way elsewhere by now.
      if (!(await until(() => hasTried(page, name), failureMsMax))) neverRan.push(name)
    },
  }
}

/** Its script has run, or what is shown is elsewhere in the archive, or nowhere: a failed escape too. */
async function hasTried(page: Page, name: string): Promise<boolean> {
  if (page.isClosed()) return true
  if (!page.url().endsWith(`/escape/${name}`)) return page.url() !== 'about:blank'
  const frame = contentFrame(page, archive)
  if (frame === undefined) return page.mainFrame().childFrames().some(isErrorPage)
  return (await attribute(frame, 'data-tried')) === 'yes' || !frame.url().endsWith(`/escape/${name}`)
}

const isErrorPage = (frame: Frame) => frame.url().startsWith('chrome-error:')

/** Whether it came true in time. */
async function until(isSo: () => Promise<boolean>, msMax: number): Promise<boolean> {
  const endMs = performance.now() + msMax
  while (performance.now() < endMs) {
    if (await isSo()) return true
    await new Promise((resolve) => setTimeout(resolve, 40))
  }
  return false
}

function traces(result: PromiseSettledResult<string[]> | undefined): string[] {
  if (result?.status === 'fulfilled') return result.value
  throw result?.reason ?? new Error('not tried')
}

/** For the table: what arrived where. */
function rows(): EscapeRow[] {
  return Object.entries(escapesByKind(around)).map(([kind, escapes]) => ({
    kind,
    names: escapes.map(({ name }) => name),
    outside: escapes.filter(({ name }) => !rare.has(name)).length,
    refused: escapes.filter(({ name }) => refused.has(name)).length,
    capture: captureArrivals.filter((text) => escapes.some(({ name }) => text.includes(`caught/${name}`)))
      .length,
    inside: escapes.filter(({ name }) => hasTraces(findings.get(name)!.inside)).length,
  }))
}

function hasTraces(result: PromiseSettledResult<string[]> | undefined): boolean {
  return result?.status !== 'fulfilled' || result.value.length > 0
}

describe('an archived page cannot get out', () => {
  test.each(names)('%s', (name) => {
    const { outside, inside } = findings.get(name)!
    if (!rare.has(name))
      assert.notDeepEqual(traces(outside), [], 'it fails outside of the archive as well: this shows nothing')
    assert.ok(!neverRan.includes(name), 'it was not tried in the archive')
    assert.deepEqual(traces(inside), [])
  })
})

test('nothing left the two hosts of the archive', async () => {
  const log = await replayBrowser.stop()
  assert.ok(log.urls.length > names.length, 'the log is empty')
  assert.deepEqual(beyond(log, archive.hosts, archive.port), [])
  assert.equal(web.lateConnections, 0)
  assert.deepEqual(replayArrivals, [])
})

test('nothing came to where the crawler may not go while its browser showed them', () => {
  assert.ok(refused.size > names.length / 2, `only ${refused.size} were tried`)
  assert.deepEqual(captureArrivals, [])
})

test('nothing was written through the interface', async () => {
  const answer = await fetch(`${archive.origin}/api/v1/jobs`)
  assert.equal(answer.status, 200)
  // Jobs also name what they could not fetch; what a page had written would be a job with seeds of its own.
  const { jobs } = (await answer.json()) as { jobs: { seeds: string[] }[] }
  assert.doesNotMatch(JSON.stringify(jobs.map(({ seeds }) => seeds)), /caught/)
})
