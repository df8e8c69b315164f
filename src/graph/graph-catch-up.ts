// Graph catch-up: brings the link graph in line with the captures that are here: those that were imported, came as copies from other
// peers or with a site that was taken over, were crawled before there was a graph, or whose links a crash took.
//
// A pass looks at all captures in the order of the store, compares times, and reads only pages of which the graph knows less than
// the store has. Then pages without captures are forgotten: they were dropped, or destroyed after a takedown. It takes a fifth of
// the thread at most, and the longer a pass takes the rarer it is.

import type { FollowedCapture } from '../model/archive.ts'
import { tryParseLink, type Url } from '../model/url/url.ts'
import type { Clock } from '../platform/clock.ts'
import { PeriodicTask } from '../platform/periodic-task.ts'
import type { GraphVersion, LinkGraph } from './link-graph.ts'

interface Needs {
  readonly graph: LinkGraph
  readonly clock: Clock
  /** All captures, in the order of the store. */
  scan(options: { after: string | undefined; limit: number }): Iterable<FollowedCapture>
  hasCaptures(url: Url): boolean
  /** Of a page; undefined where it has none, or cannot be read. */
  linksOf(capture: FollowedCapture): Promise<Omit<GraphVersion, 'atMs'> | undefined>
  /** The page that a capture with this URL tells of, as what a browser saw of it; undefined for pages themselves. */
  pageShownBy(href: string): Url | undefined
  /** All captures of a page, oldest first. */
  versionsOf(page: Url): Iterable<FollowedCapture>
  /** Changes when there is something new. */
  revision(): number
}

const lookEveryMs = 60_000
const capturesAtOnce = 200
/** Between a pass and the next: so many times as long as it took. */
const restFactor = 20
/** Of each stretch of work, so many times as long as it took. */
const pauseFactor = 4
/** Versions of one page that are read, the newest ones. */
const versionsMax = 50
/** What a crawl noted may differ from what the store says. */
const toleranceMs = 1_000

export class GraphCatchUp {
  readonly #needs: Needs
  readonly #task: PeriodicTask
  readonly #stop = new AbortController()
  #revision = -1
  #restUntilMs = 0
  #workedSinceMs = 0

  constructor(needs: Needs, { firstMs = lookEveryMs } = {}) {
    this.#needs = needs
    this.#task = new PeriodicTask(needs, lookEveryMs, () => this.#look(), { firstMs })
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#task.close()
  }

  /** One pass, whether or not one is due. */
  async pass(): Promise<void> {
    this.#workedSinceMs = this.#needs.clock.monotonicMs()
    await this.#index()
    await this.#forget()
  }

  async #look(): Promise<void> {
    const { clock, revision } = this.#needs
    await this.#needs.graph.flush()
    if (revision() === this.#revision || clock.monotonicMs() < this.#restUntilMs) return
    const startMs = clock.monotonicMs()
    const begun = revision()
    await this.pass()
    if (this.#stop.signal.aborted) return
    this.#revision = begun
    this.#restUntilMs = clock.monotonicMs() + restFactor * (clock.monotonicMs() - startMs)
  }

  async #index(): Promise<void> {
    let after: string | undefined
    let group: FollowedCapture[] = []
    for (;;) {
      const captures = [...this.#needs.scan({ after, limit: capturesAtOnce })]
      for (const capture of captures) {
        if (group.length > 0 && group[0]!.surt !== capture.surt) {
          await this.#indexUrls(group)
          group = []
        }
        group.push(capture)
      }
      after = captures.at(-1)?.cursor
      if (captures.length < capturesAtOnce || this.#stop.signal.aborted) break
      await this.#pause()
    }
    await this.#indexUrls(group)
    await this.#needs.graph.flush()
  }

  /** URLs that share a key are several pages. */
  async #indexUrls(group: readonly FollowedCapture[]): Promise<void> {
    for (const [href, captures] of Map.groupBy(group, ({ url }) => url)) {
      const url = tryParseLink(href)
      if (url === null || url.href !== href) continue
      const page = this.#needs.pageShownBy(href)
      await (page === undefined ? this.#indexUrl(url, captures) : this.#indexShown(page, captures))
    }
  }

  /** What a browser saw comes after its page, on other peers minutes after it. */
  async #indexShown(page: Url, views: readonly FollowedCapture[]): Promise<void> {
    const times = this.#needs.graph.timesOf(page)
    if (views.at(-1)!.capturedAtMs <= (times?.renderedMs ?? 0)) return
    await this.#indexVersions(page, tellingOf([...this.#needs.versionsOf(page)]))
  }

  async #indexUrl(url: Url, captures: readonly FollowedCapture[]): Promise<void> {
    const { graph } = this.#needs
    const told = tellingOf(captures)
    const [first, last] = [told[0], told.at(-1)]
    if (first === undefined || last === undefined || told.every(({ status }) => status >= 400)) return
    const times = graph.timesOf(url)
    if (
      times !== undefined &&
      first.capturedAtMs >= times.firstMs - toleranceMs &&
      last.capturedAtMs <= times.lastMs + toleranceMs
    )
      return
    await this.#indexVersions(url, told)
  }

  async #indexVersions(url: Url, told: readonly FollowedCapture[]): Promise<void> {
    const { graph } = this.#needs
    const versions: GraphVersion[] = []
    let known: { name: string; found: Omit<GraphVersion, 'atMs'> | undefined } | undefined
    for (const capture of told.slice(-versionsMax)) {
      if (this.#stop.signal.aborted) return
      if (known?.name !== capture.contentName)
        known = { name: capture.contentName, found: await this.#needs.linksOf(capture) }
      if (known.found !== undefined) versions.push({ atMs: capture.capturedAtMs, ...known.found })
      await this.#pause()
    }
    if (versions.length > 0) graph.replace(url, versions)
    if (graph.isDue) await graph.flush()
  }

  async #forget(): Promise<void> {
    const { graph, hasCaptures } = this.#needs
    let gone: Url[] = []
    let looked = 0
    for (const page of graph.pagesOf()) {
      const url = tryParseLink(page.href)
      if (url !== null && !hasCaptures(url)) gone.push(url)
      if (++looked % capturesAtOnce === 0) await this.#pause()
      if (this.#stop.signal.aborted) return
      if (gone.length < capturesAtOnce) continue
      await graph.forget(gone)
      gone = []
    }
    if (gone.length > 0) await graph.forget(gone)
  }

  async #pause(): Promise<void> {
    const { clock } = this.#needs
    const workedMs = clock.monotonicMs() - this.#workedSinceMs
    if (workedMs < 10 || this.#stop.signal.aborted) return
    await clock.sleep(Math.min(1_000, pauseFactor * workedMs), this.#stop.signal).catch(() => {})
    this.#workedSinceMs = clock.monotonicMs()
  }
}

/** Those that say something of the page's links. */
function tellingOf(captures: readonly FollowedCapture[]): FollowedCapture[] {
  return captures.filter(({ status }) => status < 400 || status === 404 || status === 410)
}
