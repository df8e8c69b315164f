import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest'
import type { Asking, TestApi } from '../../api/fixtures/test-api.ts'
import { readWarc } from '../../formats/warc/reading/reader.ts'
import { targetUriOf, typeOf } from '../../formats/warc/record.ts'
import { digestOf, printDigest } from '../../model/digest.ts'
import { printTimestamp } from '../../model/timestamp.ts'
import { parseUrl } from '../../model/url/url.ts'
import { storeArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import { until } from '../../platform/fixtures/until.ts'
import { sourceOf } from '../../store/fixtures/archive-source.ts'
import { openStore } from '../../store/fixtures/open-store.ts'
import { bytesOf, pageCapture, pageText } from '../../store/fixtures/sample-captures.ts'
import type { Store } from '../../store/store.ts'
import { interfacesOf } from '../fixtures/peer-interfaces.ts'
import { type ReadingNetwork, type ReadingPeer, startReadingNetwork } from '../fixtures/reading-network.ts'
import { type PartialLists, partialHeader } from '../http/partial-lists.ts'

const day = 86_400_000
const start = Date.parse('2024-01-01T00:00:00Z')
const sites = Array.from({ length: 4 }, (_, number) => `site-${number}.example`)
const request = Buffer.from('GET / HTTP/1.1\r\nHost: site.example\r\n\r\n')
const large = Buffer.concat(
  Array.from({ length: 100_000 }, (_, number) => digestOf('sha256', `noise ${number}`).bytes),
)

let network: ReadingNetwork
let folder: string
const apis: TestApi[] = []
const ends: (() => Promise<void>)[] = []
/** The same interfaces over one store that has everything. */
let whole: TestApi

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'polyhistor-interfaces-'))
  network = await startReadingNetwork(4, 2, {
    patienceMs: 200,
    answerMs: 5_000,
    graceMs: 5_000,
    cacheBytes: 0,
  })
  await fill(network)
  const served = async (
    archive: Parameters<typeof interfacesOf>[0],
    store: Store,
    name: string,
    partial?: PartialLists,
    sites?: ReadingPeer['sites'],
  ) => {
    const { api, close } = await interfacesOf(archive, store, join(folder, name), partial, sites)
    ends.push(close)
    return api
  }
  for (const { archive, store, id, partial, sites: names } of network.peers)
    apis.push(await served(archive, store, id, partial, names))
  whole = await served(storeArchive(network.whole), network.whole, 'whole')
}, 600_000)

afterAll(async () => {
  for (const end of ends) await end()
  await network.close()
  await rm(folder, { recursive: true, force: true })
}, 600_000)

afterEach(() => {
  for (const peer of network.peers) Object.assign(peer, { manner: 'well', isSure: true })
})

/** Every kind of capture, on every site. */
async function fill({ keep }: ReadingNetwork): Promise<void> {
  for (const [number, site] of sites.entries()) {
    const home = `http://${site}/`
    let text = pageText(number, 20_000)
    for (let version = 0; version < 3; version++) {
      text = text.replace('<p', `<p data-version="${version}"`)
      await keep(pageCapture(home, start + version * day, text, { request, metadata: [['via', home]] }))
    }
    const head = Buffer.from('HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n')
    const of = { url: home, capturedAtMs: start + 2 * day }
    await keep({
      url: parseUrl(home),
      capturedAtMs: start + 9 * day,
      block: head,
      revisit: { kind: 'not-modified', of },
    })
    await keep(pageCapture(`${home}copy?a=1`, start + day, text))
    // Two in the same millisecond: which is first must not depend on whom one asks.
    await keep(
      ...['one', 'two'].map((word, at) => ({
        ...pageCapture(`${home}twice`, start + 3 * day, `<html>${word} of ${site}`),
        recordId: `0000000${at}-0000-7000-8000-00000000000${number}`,
      })),
    )
    await keep({
      url: parseUrl(`${home}x.png`),
      capturedAtMs: start,
      block: Buffer.from(`no page but a picture of ${site}`),
      contentType: 'image/png',
    })
    await keep(
      pageCapture(`http://www.${site}/`, start - day, '', { status: 301, headers: [`Location: ${home}`] }),
    )
  }
  await keep(pageCapture(`http://${sites[0]}/large`, start, large))
}

async function ask(api: TestApi, target: string, asking: Asking = {}) {
  const { status, headers, bytes } = await api.ask(target, asking)
  const { 'content-type': type, location } = headers
  return { status, type, location, body: bytes.toString('latin1') }
}

/** Not how it is kept: what came twice is a revisit for one store and not for another. */
const fields = 'fl=urlkey,timestamp,original,statuscode,digest'

function targets(): string[] {
  const day1 = printTimestamp(start + day)
  const perSite = (site: string) => [
    `/web/${day1}id_/http://${site}/`,
    `/web/${day1}/http://${site}/`,
    `/web/20240102/http://${site}/`,
    `/web/2024*/http://${site}/`,
    `/web/*/http://${site}/*`,
    `/site/${site}`,
    `/diff/${printTimestamp(start)}/${day1}/http://${site}/`,
    `/web/timemap/link/http://${site}/`,
    `/timemap/json/http://${site}/twice`,
    `/timegate/http://${site}/`,
    `/wayback/available?url=${site}&timestamp=20240103`,
    `/cdx/search/cdx?url=${site}&${fields}`,
    `/cdx/search/cdx?url=${site}/*&${fields}`,
    `/cdx/search/cdx?url=${site}&matchType=host&${fields}`,
    `/cdx/search/cdx?url=${site}&matchType=domain&${fields}&collapse=urlkey`,
    `/cdx/search/cdx?url=${site}&sort=reverse&${fields}`,
    `/cdx/search/cdx?url=${site}&limit=-2&${fields}`,
    `/api/v1/capture?url=http://${site}/x.png`,
    `/api/v1/capture?url=http://${site}/&at=20240110`,
    `/web/${day1}id_/http://${site}/nowhere`,
  ]
  return [...sites.flatMap(perSite), `/web/${printTimestamp(start)}id_/http://${sites[0]}/large`]
}

/** Without what only tells where and how a capture is kept. */
function told(json: string): unknown[] {
  const { captures, versions } = JSON.parse(json) as Record<string, Record<string, unknown>[]>
  return (captures ?? versions!).map(({ storedBytes, kind, ...rest }) => rest)
}

/** In the order of record ids where the time is the same, as on the network. */
function inOrder(list: unknown[]): unknown[] {
  const keyOf = (one: unknown) => {
    const { surt, capturedAt, recordId } = one as Record<string, string>
    return `${surt} ${capturedAt} ${recordId}`
  }
  return list.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}

async function everyTargetIsRight(): Promise<void> {
  for (const target of targets()) {
    const right = await ask(whole, target)
    for (const api of apis) assert.deepEqual(await ask(api, target), right, target)
  }
}

async function allOf(api: (page: number) => TestApi, query: string): Promise<unknown[]> {
  const found: unknown[] = []
  for (let after = '', page = 0; ; page++) {
    const { text } = await api(page).ask(`/api/v1/captures?${query}&limit=4&after=${after}`)
    found.push(...told(text))
    const { next } = JSON.parse(text) as { next: string | null }
    if (next === null) return found
    after = next
  }
}

async function contentsOf(store: Store): Promise<unknown[]> {
  const found: unknown[] = []
  for (const capture of store.scan({ kind: 'all' })) {
    const { url, capturedAtMs, status, mime, recordId, surt } = capture
    const { head, payload } = await store.read(capture)
    const digest = printDigest(digestOf('sha256', await bytesOf(payload())))
    const capturedAt = String(capturedAtMs)
    found.push({
      surt,
      url,
      capturedAt,
      status,
      mime,
      recordId,
      digest,
      head: head && Buffer.from(head).toString(),
    })
  }
  return inOrder(found)
}

test('every peer lists the sites of all, with what others keep of them', async () => {
  const list = await whole.ask('/sites')
  for (const site of sites) assert(list.text.includes(site))
  // A busy machine may make one of the others too slow for the first list, which says so.
  for (const api of apis)
    await until('the same list at every peer', async () => (await api.ask('/sites')).text === list.text, 100)
})

test('not every peer has everything, and some have nothing of a site', () => {
  for (const site of sites) {
    const holders = network.holdersOf(`http://${site}/`)
    assert.equal(holders.length, 2)
    for (const peer of network.peers) {
      const has = [...peer.store.scan({ kind: 'site', site })].length > 0
      assert.equal(has, holders.includes(peer))
    }
  }
})

describe('every peer shows the whole archive', () => {
  test('through every interface, as one store with everything would', everyTargetIsRight, 600_000)

  test.each(sites.slice(0, 3))('lists of %s are the same and in the same order everywhere', async (site) => {
    const right = inOrder(told((await whole.ask(`/api/v1/captures?site=${site}&limit=1000`)).text))
    for (const api of apis)
      assert.deepEqual(told((await api.ask(`/api/v1/captures?site=${site}&limit=1000`)).text), right)
  })

  test.each(['all', `site=${sites[0]}`, 'site=example', `prefix=http://${sites[1]}/`])(
    'a list of %s goes on at another peer than it began',
    async (query) => {
      const right = inOrder(await allOf(() => whole, query))
      const orders = [(page: number) => page % 4, (page: number) => 3 - (page % 4), () => 1]
      for (const order of orders) {
        const found = await allOf((page) => apis[order(page)]!, query)
        assert.deepEqual(inOrder([...found]), right)
        assert.equal(new Set(found.map((one) => (one as { recordId: string }).recordId)).size, found.length)
      }
    },
  )

  test('resume keys of CDX go on at another peer', async () => {
    const lines: string[] = []
    for (let key = '', page = 0; ; page++) {
      const target = `/cdx/search/cdx?url=${sites[2]}&matchType=domain&${fields}&limit=2&showResumeKey=true&resumeKey=${key}`
      const [rows, next] = (await apis[page % 4]!.ask(target)).text.split('\n\n')
      lines.push(...rows!.trim().split('\n'))
      if (next === undefined) break
      key = next.trim()
    }
    const right = await whole.ask(`/cdx/search/cdx?url=${sites[2]}&matchType=domain&${fields}`)
    assert.deepEqual(lines, right.text.trim().split('\n'))
  })

  test('a place in a list that is none is refused', async () => {
    for (const api of apis)
      assert.equal((await api.ask(`/api/v1/captures?after=${'x'.repeat(60)}`)).status, 400)
  })
})

describe('exports hold the whole archive', () => {
  test.each([
    ['warc', ''],
    ['wacz', ''],
    ['warc', `&site=${sites[0]}`],
    ['wacz', `&url=http://${sites[3]}/`],
  ])(
    'as %s, of %s',
    async (format, query) => {
      const reference = await imported(await whole.ask(`/api/v1/export?format=${format}${query}`))
      const right = await contentsOf(reference)
      assert(right.length > 0)
      for (const api of apis.slice(0, query === '' ? 1 : 3)) {
        const answer = await api.ask(`/api/v1/export?format=${format}${query}`)
        assert.deepEqual(await contentsOf(await imported(answer)), right)
        const { text } = await api.ask(`/api/v1/exports/${answer.headers['polyhistor-export']}`)
        const { done, exported, failed } = JSON.parse(text) as Record<string, unknown>
        assert.deepEqual([done, exported, failed], [true, right.length, 0])
      }
    },
    600_000,
  )

  test('a payload is in the file once', async () => {
    const sizes = await Promise.all(
      [whole, ...apis].map(async (api) => (await api.ask('/api/v1/export?format=warc')).bytes.length),
    )
    assert(Math.max(...sizes) < 1.05 * Math.min(...sizes), sizes.join(' '))
  })

  test('redirects are whole, though others have the same payload', async () => {
    const { bytes } = await apis[0]!.ask('/api/v1/export?format=warc')
    const types: (string | undefined)[] = []
    for await (const item of readWarc(Readable.from([bytes]))) {
      assert.ok(item.kind === 'record')
      if (targetUriOf(item.record)?.startsWith('http://www.')) types.push(typeOf(item.record))
    }
    assert.deepEqual(
      types,
      sites.map(() => 'response'),
    )
  })

  test('they are read in parts, too', async () => {
    const asking = { headers: { range: 'bytes=100-199' } }
    const outside = outsiderOf(sites[1]!)
    const part = await apis[outside]!.ask(`/api/v1/export?format=warc&site=${sites[1]}`, asking)
    assert.deepEqual([part.status, part.bytes.length], [206, 100])
  })

  test('a 304 by itself brings what it repeats', async () => {
    const from = printTimestamp(start + 9 * day)
    const query = `/api/v1/export?format=warc&url=http://${sites[2]}/&from=${from}`
    const right = await contentsOf(await imported(await whole.ask(query)))
    assert.equal(right.length, 2)
    for (const api of apis) assert.deepEqual(await contentsOf(await imported(await api.ask(query))), right)
  })
})

async function imported({ status, bytes }: { status: number; bytes: Buffer }): Promise<Store> {
  assert.equal(status, 200)
  const store = await openStore()
  const { damaged, mismatched, problemCount } = await store.import(sourceOf(bytes))
  assert.deepEqual([damaged, mismatched, problemCount], [0, 0, 0])
  return store
}

/** The number of a peer that keeps nothing of the site. */
function outsiderOf(site: string): number {
  const holders = network.holdersOf(`http://${site}/`)
  return network.peers.findIndex((peer) => !holders.includes(peer))
}

async function readAll({ archive }: ReadingPeer, site: string): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const capture of archive.scan({ kind: 'site', site })) {
    const { payload } = await archive.read(capture)
    found.push([capture.recordId, printDigest(digestOf('sha256', await bytesOf(payload())))])
  }
  return found.sort()
}

const rightOf = (site: string): Promise<unknown[]> =>
  readAll({ archive: storeArchive(network.whole) } as ReadingPeer, site)

/** Everything is read and exported while one of its two holders behaves like this, by those who keep nothing of it. */
async function eachIsReadAround(change: Partial<ReadingPeer>): Promise<void> {
  const askedBefore = network.peers.reduce((sum, { asked }) => sum + asked, 0)
  let askedOfOthers = 0
  for (const site of sites) {
    for (const holder of network.holdersOf(`http://${site}/`)) {
      Object.assign(holder, change)
      const others = network.peers.filter((peer) => peer !== holder)
      const asked = others.reduce((sum, one) => sum + one.asked, 0)
      const reader = network.peers[outsiderOf(site)]!
      assert.deepEqual(await readAll(reader, site), await rightOf(site))
      const wanted = { format: 'warc', selection: { kind: 'site', site } } as const
      const { chunks, result } = reader.archive.export(wanted)
      await bytesOf(chunks)
      assert.deepEqual([result.failed, result.exported], [0, (await rightOf(site)).length])
      askedOfOthers += others.reduce((sum, one) => sum + one.asked, 0) - asked
      Object.assign(holder, { manner: 'well', isSure: true })
    }
  }
  const askedInAll = network.peers.reduce((sum, { asked }) => sum + asked, 0) - askedBefore
  assert(askedInAll > askedOfOthers, 'those who behaved so were asked')
}

describe('one replica does not hold readers up', () => {
  test('that is silent', () => eachIsReadAround({ manner: 'silent' }), 600_000)

  test('that gives wrong bytes', () => eachIsReadAround({ manner: 'wrong' }), 600_000)

  test('that may lack something', () => eachIsReadAround({ isSure: false }), 600_000)
})

describe('captures that not all have who should', () => {
  const site = sites[3]!
  const partly = `http://${site}/partly`

  beforeAll(async () => {
    const [first, second] = network.holdersOf(`http://${site}/`)
    for (let number = 0; number < 6; number++) {
      const peer = number % 2 === 0 ? first! : second!
      await network.keepAt(peer, pageCapture(partly, start + number * day, `<html>part ${number}`))
    }
    const outsider = network.peers[outsiderOf(site)]!
    await network.keepAt(outsider, pageCapture(`${partly}/former`, start, '<html>kept by a former holder'))
  })

  test('are put together by every reader, a holder or not, when no holder is sure', async () => {
    for (const peer of network.peers) peer.isSure = false
    const target = `/cdx/search/cdx?url=${partly}*&fl=original,timestamp,digest`
    const right = await ask(whole, target)
    assert.equal(right.body.trim().split('\n').length, 7)
    for (const api of apis) assert.deepEqual(await ask(api, target), right)
    for (const peer of network.peers) assert.deepEqual(await readAll(peer, site), await rightOf(site))
  })

  test('in pages of any size, each once and in order', async () => {
    for (const peer of network.peers) peer.isSure = false
    const right = inOrder(await allOf(() => whole, `site=${site}`))
    assert.deepEqual(await allOf((page) => apis[page % 4]!, `site=${site}`), right)
  })

  test('are not left out of an export while somebody who may have them is silent', async () => {
    const [first, second] = network.holdersOf(partly)
    Object.assign(first!, { isSure: false })
    const reader = network.peers[outsiderOf(site)]!
    const wanted = { format: 'warc', selection: { kind: 'site', site } } as const
    Object.assign(second!, { manner: 'silent' })
    await assert.rejects(bytesOf(reader.archive.export(wanted).chunks), { code: 'reading-unavailable' })
    Object.assign(second!, { manner: 'well', isSure: false })
    const { chunks, result } = reader.archive.export(wanted)
    await bytesOf(chunks)
    assert.deepEqual([result.failed, result.exported], [0, (await rightOf(site)).length])
  })

  test('may be lacking in lists while somebody who may have them is silent, and then lists say so', async () => {
    const [first, second] = network.holdersOf(partly)
    const reader = apis[outsiderOf(site)]!
    const lists = [
      `/cdx/search/cdx?url=${partly}*&fl=original`,
      `/cdx/search/cdx?url=${partly}&showNumPages=true`,
      `/timemap/link/${partly}`,
      `/api/v1/captures?site=${site}`,
      `/api/v1/versions?url=${partly}`,
      `/web/2024*/${partly}`,
      `/site/${site}`,
    ]
    const told = async () => {
      const answers = []
      for (const target of lists) answers.push(await reader.ask(target))
      return answers.map(({ status, headers }) => [status, headers[partialHeader.toLowerCase()]])
    }
    const page = async () => (await reader.ask(`/web/2024*/${partly}`)).text
    const areAll = (answers: unknown[], partial: string | undefined) =>
      isDeepStrictEqual(
        answers,
        lists.map(() => [200, partial]),
      )
    // One is sure: it is all.
    Object.assign(second!, { manner: 'silent' })
    assert.deepEqual(
      await told(),
      lists.map(() => [200, undefined]),
    )
    assert.doesNotMatch(await page(), /may not be all/)
    Object.assign(first!, { isSure: false })
    // What was asked a moment ago is told from memory; soon it is asked again, and then memory says so too.
    await until('lists that may not be all', async () => areAll(await told(), 'true'), 100)
    assert.ok(areAll(await told(), 'true'))
    assert.match(await page(), /may not be all/)
    Object.assign(second!, { manner: 'well', isSure: false })
    await until('lists of everything', async () => areAll(await told(), undefined), 100)
  }, 600_000)

  test('are not said to be missing while somebody who may have them is silent', async () => {
    const [first, second] = network.holdersOf(partly)
    Object.assign(first!, { isSure: false })
    Object.assign(second!, { manner: 'silent' })
    const reader = apis[outsiderOf(site)]!
    const { status } = await reader.ask(`/api/v1/capture?url=http://${site}/never-seen`)
    assert.equal(status, 503)
    Object.assign(second!, { manner: 'well' })
    assert.equal((await reader.ask(`/api/v1/capture?url=http://${site}/never-seen`)).status, 404)
  })
})

test('what is wrong with our own copy is read from another peer, and mended with that, also what only a scrub finds', async () => {
  const small = await startReadingNetwork(3, 2, { cacheBytes: 0 })
  try {
    await fill(small)
    const site = sites[0]!
    const [holder] = small.holdersOf(`http://${site}/`) as [ReadingPeer]
    const wholeArchive = { archive: storeArchive(small.whole) } as ReadingPeer
    const whole = await readAll(wholeArchive, site)
    // A reader who comes when a damaged capture is dropped, and its new copy not yet taken.
    const drop = holder.store.drop.bind(holder.store)
    const readMeanwhile: Awaited<ReturnType<typeof readAll>>[] = []
    holder.store.drop = async (cursors) => {
      const dropped = await drop(cursors)
      readMeanwhile.push(await readAll(holder, site))
      return dropped
    }
    await spoilVolumes(holder.store)
    await assert.rejects(readStore(holder.store, site))
    assert.deepEqual(await readAll(holder, site), whole)
    const { chunks, result } = holder.archive.export({ format: 'warc', selection: { kind: 'all' } })
    await bytesOf(chunks)
    assert.equal(result.failed, 0)
    await holder.mended()
    await readStore(holder.store, site)
    await holder.store.scrub({ restart: true })
    await holder.mended()
    assert.ok(readMeanwhile.length > 0)
    for (const read of readMeanwhile) assert.deepEqual(read, whole)
    for (const one of sites) await readStore(holder.store, one)
    const { damaged } = await holder.store.scrub({ restart: true })
    assert.deepEqual(damaged, [])
    assert.deepEqual(await holder.store.checkIndex(), [])
  } finally {
    await small.close()
  }
}, 600_000)

async function readStore(store: Store, site: string): Promise<void> {
  for (const capture of store.scan({ kind: 'site', site })) {
    const { payload } = await store.read(capture)
    for await (const _ of payload());
  }
}

/** A byte in the middle of every record that is not tiny; what a volume starts with is left alone. */
async function spoilVolumes(store: Store): Promise<void> {
  const { volumes } = await store.stat()
  for (const { path } of volumes) {
    const bytes = await readFile(path)
    for (let at = 8_000; at < bytes.length; at += 4_000) bytes[at]! ^= 0xff
    await writeFile(path, bytes)
  }
}

describe('what was taken down', () => {
  test('is hidden by whoever knows, though others still have it', async () => {
    const url = `http://${sites[1]}/`
    const reader = network.peers[outsiderOf(sites[1]!)]!
    const api = apis[outsiderOf(sites[1]!)]!
    await reader.store.takedown({ kind: 'url', url }, 'a test')
    assert.equal((await api.ask(`/web/2024id_/${url}`)).status, 451)
    assert.equal((await api.ask(`/cdx/search/cdx?url=${url}`)).status, 451)
    for (const query of [`site=${sites[1]}`, 'limit=1000']) {
      const { text } = await api.ask(`/api/v1/captures?${query}`)
      assert(told(text).length > 0)
      assert(!told(text).some((one) => (one as { url: string }).url === url))
    }
    const pages = await allOf(() => api, `site=${sites[1]}`)
    const rest = (await allOf(() => whole, `site=${sites[1]}`)).filter(
      (one) => (one as { surt: string }).surt !== parseUrl(url).surt,
    )
    assert.deepEqual(pages, inOrder(rest))
    const file = await imported(await api.ask(`/api/v1/export?format=warc&site=${sites[1]}`))
    assert.deepEqual([...file.versions(parseUrl(url))], [])
  })
})

describe('a revisit of what is in no archive here', () => {
  const url = 'http://revisits.example/repeated'
  const atMs = start + 20 * day
  const payloadDigest = digestOf('sha256', 'what another archive has')

  beforeAll(async () => {
    await network.keep(pageCapture('http://revisits.example/', start, 'a page'))
    // Nobody takes a copy of it: there is nothing to it.
    await network.holdersOf(url)[0]!.store.append({
      url: parseUrl(url),
      capturedAtMs: atMs,
      block: Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n'),
      revisit: { kind: 'same', of: { url: 'http://gone.example/', capturedAtMs: start }, payloadDigest },
    })
  })

  /** Then all who may have more are asked for a list. */
  const doubtAll = () => {
    for (const peer of network.peers) Object.assign(peer, { isSure: false })
  }

  test('is told as that by who has it, with its reason, not as a failure that will pass', async () => {
    for (const peer of network.holdersOf(url).slice(0, 1)) {
      const api = apis[network.peers.indexOf(peer)]!
      const { status, headers } = await api.ask(`/web/${printTimestamp(atMs)}id_/${url}`)
      assert.deepEqual([status, headers['x-polyhistor-error']], [404, 'store-content-missing'])
      assert.equal(headers['retry-after'], undefined)
    }
  })

  test('is not told so while somebody who may have it is silent', async () => {
    const [first, second] = network.holdersOf(url)
    assert(first !== undefined && second !== undefined)
    Object.assign(second, { manner: 'silent' })
    const { status } = await apis[network.peers.indexOf(first)]!.ask(`/web/${printTimestamp(atMs)}id_/${url}`)
    assert.equal(status, 503)
  })

  test('stays in exports as it is', async () => {
    doubtAll()
    for (const api of apis) {
      const { bytes } = await api.ask(`/api/v1/export?format=warc&url=${url}`)
      const again = await openStore()
      const result = await again.import(sourceOf(bytes))
      assert.equal(result.kept, 1)
      const [capture] = again.versions(parseUrl(url))
      assert.deepEqual([capture!.kind, capture!.content, capture!.status], ['same', undefined, 200])
    }
  })
})

test('when a holder leaves, what it kept is read from the others', async () => {
  const small = await startReadingNetwork(3, 2)
  try {
    const url = `http://${sites[0]}/`
    for (let version = 0; version < 3; version++)
      await small.keep(pageCapture(url, start + version * day, `<html>version ${version}`))
    const [holder] = small.holdersOf(url)
    await holder!.leave()
    const right = await readAll({ archive: storeArchive(small.whole) } as ReadingPeer, sites[0]!)
    for (const peer of small.peers.filter((one) => one !== holder))
      assert.deepEqual(await readAll(peer, sites[0]!), right)
  } finally {
    await small.close()
  }
}, 600_000)
