// Search follower: keeps the index in line with the captures that are here, whichever way they came: crawled, imported, copied from
// other peers, dropped, taken down, brought back.
//
// URLs that the crawl tells of are indexed soon, and so are copies from other peers. A pass over all captures finds everything else, and
// what a crash or a damaged index lost: the index says of each page whether its captures are those that it knows. Passes also
// read the words of links that lead to pages. Then pages without captures are forgotten. What lies in the store beside pages (what a
// browser saw of one, answers to POST requests) is no page: the first changes the content of its page, the second is left out. The longer a pass takes the rarer it is; all
// of it takes a part of the thread only, reading and analysing happen in others.
//
// Bounded: the URLs that wait (others are found by the pass), and the pages that are read at once. A crawl never waits for it.

import { hash } from 'node:crypto'
import { unlessFails } from '../errors.ts'
import { fetchedAs } from '../formats/http/request-query.ts'
import { viewOf } from '../formats/warc/page-views.ts'
import type { FollowedCapture } from '../model/archive.ts'
import { LruCache } from '../model/lru-cache.ts'
import { tryParseLink, type Url } from '../model/url/url.ts'
import type { Clock } from '../platform/clock.ts'
import { PeriodicTask } from '../platform/periodic-task.ts'
import { capturesMax, type IndexedCapture } from './index/page-versions.ts'
import type { PageChange } from './index/search-index.ts'
import type { SearchClient } from './search-client.ts'
import type { AnalysedPage } from './text/analysed-page.ts'

/** What of a capture matters here. */
/** What the store finds captures by. */
export type FollowedUrl = Pick<Url, 'ringKey' | 'surt'>

interface Needs<Capture extends FollowedCapture> {
  readonly client: SearchClient
  readonly clock: Clock
  /** All captures, in the order of the store. */
  scan(options: { after: string | undefined; limit: number }): Iterable<Capture>
  /** Newest first. */
  versions(url: FollowedUrl, options: { limit: number }): Iterable<Capture>
  /** undefined where it has no text, or cannot be read. `words`: of the links that lead to it. */
  read(capture: Capture, words: readonly string[]): Promise<AnalysedPage | undefined>
  /** Of all pages of a site the words of the links that lead there. */
  linkWords(site: string): Promise<ReadonlyMap<string, readonly string[]>>
  /** Changes when there is something new. */
  revision(): number
}

export interface FollowerOptions {
  /** Until the first look. */
  readonly firstMs?: number
  /** After each stretch of work, so many times as long a pause. */
  readonly pauseFactor?: number
}

const passEveryMs = 60_000
const soonMs = 1_500
const urlsWaitingMax = 20_000
const capturesAtOnce = 200
const pagesAtOnce = 32
/** Their payloads are in memory. */
const pagesReadAtOnce = 4
/** Between a pass and the next: so many times as long as it took, pauses aside. */
const restFactor = 10
/** Links may have come to pages of which no capture did. */
const passAgainMs = 3_600_000
/** Words of links that are remembered, in pages that have any. */
const wordsOfPagesMax = 50_000

export class SearchFollower<Capture extends FollowedCapture> {
  readonly #needs: Needs<Capture>
  readonly #task: PeriodicTask
  readonly #pauseFactor: number
  readonly #stop = new AbortController()
  readonly #due = new Set<string>()
  /** By SURT: of these a copy came from another peer. */
  readonly #copied = new Map<string, FollowedUrl>()
  /** By site, as of the last pass. */
  readonly #words = new LruCache<string, ReadonlyMap<string, readonly string[]>>({
    bytesMax: wordsOfPagesMax,
    sizeOf: ({ size }) => size + 1,
  })
  /** Of which the pass has read the links. */
  #wordsSite: string | undefined
  #passedMs = 0
  #revision = -1
  #generation = 0
  #restUntilMs = 0
  #workedSinceMs = 0
  #pausedMs = 0
  #isBehind = true

  constructor(needs: Needs<Capture>, { firstMs = passEveryMs, pauseFactor = 1 }: FollowerOptions = {}) {
    this.#needs = needs
    this.#pauseFactor = pauseFactor
    this.#task = new PeriodicTask(needs, passEveryMs, () => this.#look(), { firstMs })
  }

  /** Whether captures are here that were not looked at yet, as far as is known; a few that wait for a moment do not count, or whoever
   * crawls would always be. */
  get isBehind(): boolean {
    return this.#isBehind || this.#due.size + this.#copied.size > pagesAtOnce
  }

  /** A capture of it was kept, or went. */
  note(href: string): void {
    const page = pageToldBy(href)
    if (page === undefined) return
    if (this.#due.size >= urlsWaitingMax) this.#isBehind = true
    else this.#due.add(page)
    this.#task.runWithin(soonMs)
  }

  /** A copy of a capture came from another peer. */
  noteCopy({ ringKey, surt }: FollowedUrl): void {
    if (this.#copied.size >= urlsWaitingMax) this.#isBehind = true
    else this.#copied.set(surt, { ringKey, surt })
    this.#task.runWithin(soonMs)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#task.close()
  }

  /** One pass, whether or not one is due. */
  async pass(): Promise<void> {
    const { clock, client, revision } = this.#needs
    const begun = revision()
    this.#generation = (await client.run({ kind: 'status' })).generation
    this.#workedSinceMs = clock.monotonicMs()
    // They are among all.
    this.#due.clear()
    this.#copied.clear()
    await this.#indexAll()
    await this.#forget()
    const { generation } = await client.run({ kind: 'commit' })
    if (this.#stop.signal.aborted || generation !== this.#generation) return
    this.#passedMs = clock.monotonicMs()
    this.#revision = begun
    this.#isBehind = false
  }

  async #look(): Promise<void> {
    const { clock, client, revision } = this.#needs
    await this.#indexDue()
    const { generation } = await client.run({ kind: 'status' })
    const isAnew = generation !== this.#generation
    const nowMs = clock.monotonicMs()
    const isDue = revision() !== this.#revision || nowMs >= this.#passedMs + passAgainMs
    if (!isAnew && (!isDue || nowMs < this.#restUntilMs)) return
    const startMs = clock.monotonicMs()
    this.#pausedMs = 0
    await this.pass()
    const endMs = clock.monotonicMs()
    this.#restUntilMs = endMs + restFactor * Math.max(0, endMs - startMs - this.#pausedMs)
  }

  async #indexDue(): Promise<void> {
    this.#workedSinceMs = this.#needs.clock.monotonicMs()
    while (this.#due.size + this.#copied.size > 0 && !this.#stop.signal.aborted) {
      const pages = [...this.#takeDue(), ...this.#takeCopied()]
      await this.#indexPages(pages)
      if (this.#due.size + this.#copied.size === 0) await this.#needs.client.run({ kind: 'commit' })
    }
  }

  #takeDue(): PageToIndex<Capture>[] {
    const some = [...this.#due.values().take(pagesAtOnce)]
    for (const href of some) this.#due.delete(href)
    return some.flatMap((href) => {
      const url = tryParseLink(href)
      const captures = url === null ? [] : this.#capturesAt(url).filter((capture) => capture.url === url.href)
      return url === null ? [] : [{ href: url.href, captures }]
    })
  }

  #takeCopied(): PageToIndex<Capture>[] {
    const some = [...this.#copied.values().take(pagesAtOnce)]
    for (const { surt } of some) this.#copied.delete(surt)
    const captures = some.map((url) => this.#capturesAt(url))
    for (const { url } of captures.flat()) if (viewOf(url) !== undefined) this.note(url)
    return captures.flatMap((own) => pagesOf(own))
  }

  /** Oldest first. */
  #capturesAt(url: FollowedUrl): Capture[] {
    return [...this.#needs.versions(url, { limit: capturesMax })].reverse()
  }

  async #indexAll(): Promise<void> {
    let after: string | undefined
    let group: Capture[] = []
    let pages: PageToIndex<Capture>[] = []
    this.#wordsSite = undefined
    const end = async (isLast: boolean): Promise<void> => {
      pages.push(...pagesOf(group))
      group = []
      if (pages.length < pagesAtOnce && !isLast) return
      await this.#indexPages(pages, { isFresh: true })
      pages = []
    }
    for (;;) {
      const captures = [...this.#needs.scan({ after, limit: capturesAtOnce })]
      for (const capture of captures) {
        if (group.length > 0 && group[0]!.surt !== capture.surt) await end(false)
        group.push(capture)
        // Of a page with very many versions the newest are kept.
        if (group.length > 4 * capturesMax) group.splice(0, group.length - 2 * capturesMax)
      }
      after = captures.at(-1)?.cursor
      if (captures.length < capturesAtOnce || this.#stop.signal.aborted) break
      await this.#pause()
    }
    await end(true)
  }

  /** Where it is `fresh`, links to the pages are looked at; otherwise those that are remembered count until the next pass. */
  async #indexPages(pages: readonly PageToIndex<Capture>[], { isFresh = false } = {}): Promise<void> {
    if (pages.length === 0 || this.#stop.signal.aborted) return
    const { client } = this.#needs
    const listed: ListedPage<Capture>[] = []
    for (const page of pages) listed.push(listedPage(page, await this.#wordsOf(page.href, isFresh)))
    const missing = await client.run({
      kind: 'missing',
      pages: listed.map(({ href, captures }) => ({ href, captures })),
    })
    const due = missing.flatMap((names, number) => (names === undefined ? [] : [{ number, names }]))
    const changes: PageChange[] = []
    for (let from = 0; from < due.length && !this.#stop.signal.aborted; from += pagesReadAtOnce) {
      const some = due.slice(from, from + pagesReadAtOnce).map(async ({ number, names }) => {
        const { href, captures } = listed[number]!
        return { href, captures, analysed: await this.#analyse(listed[number]!, names) }
      })
      changes.push(...(await Promise.all(some)))
      await this.#pause()
    }
    if (changes.length > 0) await client.run({ kind: 'apply', changes })
  }

  async #wordsOf(href: string, isFresh: boolean): Promise<readonly string[]> {
    const site = tryParseLink(href)?.site ?? ''
    if (isFresh && this.#wordsSite !== site) {
      this.#wordsSite = site
      this.#words.set(site, await this.#needs.linkWords(site))
    }
    return this.#words.get(site)?.get(href) ?? []
  }

  async #analyse(
    { sources, words }: ListedPage<Capture>,
    names: readonly string[],
  ): Promise<PageChange['analysed']> {
    const analysed: [string, AnalysedPage | undefined][] = []
    for (const name of names) {
      const capture = sources.get(name)
      if (this.#stop.signal.aborted) break
      const own = capture !== undefined && name !== capture.contentName ? words : []
      analysed.push([name, capture && (await this.#readOne(capture, own))])
    }
    return analysed
  }

  /** A page that cannot be read keeps nothing else from being found. */
  async #readOne(capture: Capture, words: readonly string[]): Promise<AnalysedPage | undefined> {
    return unlessFails(this.#needs.read(capture, words))
  }

  async #forget(): Promise<void> {
    const { client, versions } = this.#needs
    let cursor: string | undefined = ''
    while (cursor !== undefined && !this.#stop.signal.aborted) {
      const some: { hrefs: string[]; cursor: string | undefined } = await client.run({
        kind: 'pages',
        cursor,
        limit: capturesAtOnce,
      })
      const gone = some.hrefs.filter((href) => {
        const url = tryParseLink(href)
        return url === null || !isPage(href) || [...versions(url, { limit: 1 })].length === 0
      })
      const changes = gone.map((href) => ({ href, captures: [], analysed: [] }))
      if (changes.length > 0) await client.run({ kind: 'apply', changes })
      cursor = some.cursor
      await this.#pause()
    }
  }

  async #pause(): Promise<void> {
    const { clock } = this.#needs
    const workedMs = clock.monotonicMs() - this.#workedSinceMs
    if (this.#pauseFactor === 0 || workedMs < 10 || this.#stop.signal.aborted) return
    const startMs = clock.monotonicMs()
    await clock.sleep(Math.min(1_000, this.#pauseFactor * workedMs), this.#stop.signal).catch(() => {})
    this.#workedSinceMs = clock.monotonicMs()
    this.#pausedMs += this.#workedSinceMs - startMs
  }
}

/** Pages with the same SURT are told apart. */
function pagesOf<Capture extends FollowedCapture>(captures: readonly Capture[]): PageToIndex<Capture>[] {
  return [...Map.groupBy(captures, ({ url }) => url)]
    .filter(([href]) => isPage(href) && tryParseLink(href)?.href === href)
    .map(([href, own]) => ({ href, captures: own.slice(-capturesMax) }))
}

/** Of which a capture tells something: itself, or the page that a browser saw. undefined where it tells nothing of a page. */
function pageToldBy(href: string): string | undefined {
  const view = viewOf(href)
  if (view?.kind === 'text' || view?.kind === 'pageinfo') return view.page
  return isPage(href) ? href : undefined
}

function isPage(href: string): boolean {
  return fetchedAs(href) === undefined
}

/** Errors of a server say nothing of a page; that it is gone does. */
function told<Capture extends FollowedCapture>(captures: readonly Capture[]): Capture[] {
  return captures.filter((capture) => capture.status < 300 || capture.status === 304 || isGone(capture))
}

interface PageToIndex<Capture> {
  readonly href: string
  /** Oldest first. */
  readonly captures: readonly Capture[]
}

interface ListedPage<Capture> {
  readonly href: string
  readonly captures: readonly IndexedCapture[]
  /** A capture that shows each content. */
  readonly sources: ReadonlyMap<string, Capture>
  readonly words: readonly string[]
}

/** The words of links belong to the newest content: with other words it is another content, and read again. */
function listedPage<Capture extends FollowedCapture>(
  { href, captures }: PageToIndex<Capture>,
  words: readonly string[],
): ListedPage<Capture> {
  const sources = new Map<string, Capture>()
  const counted = told(captures)
  const newest = counted.findLast((capture) => !isGone(capture))?.contentName
  const mark = words.length === 0 ? '' : ` ${hash('sha1', words.join('\n'), 'base64url').slice(0, 11)}`
  const listed = counted.map((capture): IndexedCapture => {
    if (isGone(capture)) return { atMs: capture.capturedAtMs, content: '' }
    const { contentName } = capture
    const content = contentName === newest ? contentName + mark : contentName
    if (!sources.has(content)) sources.set(content, capture)
    return { atMs: capture.capturedAtMs, content }
  })
  return { href, captures: listed, sources, words }
}

function isGone({ status }: FollowedCapture): boolean {
  return status === 404 || status === 410
}
