// `npm run bench -- watches [--watches 10000] [--events 20000]`: what many watches cost: opening them, memory, an event that nobody watches and
// one that somebody does, the page of the list, making and removing one more. Real parts on a real disk; events come from a stream of
// our own, in pages as the real one gives them. Beside it in the same run: the same with a hundredth of the watches.

import { hash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openWatches } from '../src/app/changes/open-watches.ts'
import { realPlatform } from '../src/app/real-platform.ts'
import type { StoredEvent } from '../src/changes/event-coding.ts'
import type { ChangeStream, Told } from '../src/changes/stream/change-stream.ts'
import { stateAtFirst, type WatchSighting } from '../src/changes/watches/page-watch.ts'
import { WatchBook } from '../src/changes/watches/watch-book.ts'
import { readWatch, type WrittenWatch } from '../src/changes/watches/written-watch.ts'
import type { JobService } from '../src/model/jobs/job-service.ts'
import { parseUrl } from '../src/model/url/url.ts'
import { storeArchive } from '../src/network/remote-reads/archive/readable-archive.ts'
import { silentLog } from '../src/platform/log.ts'
import { localWorld } from '../src/platform/real/local-world.ts'
import { sampleOptions } from '../src/store/fixtures/sample-captures.ts'
import { Store } from '../src/store/store.ts'
import { watchesScreen } from '../src/ui/screens/changes/watches.ts'
import { collectGarbage } from './garbage.ts'
import { median, printTable } from './measure.ts'

const sites = 2_000
const pageEvents = 500
const rounds = 15

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: { watches: { type: 'string', default: '10000' }, events: { type: 'string', default: '20000' } },
  })
  const [many, events] = [Number(values.watches), Number(values.events)]
  const few = Math.max(1, Math.floor(many / 100))
  const [small, large] = [await measured(few, events), await measured(many, events)]
  const rows = Object.keys(large).map((name) => [name, small[name]!, large[name]!])
  console.log(printTable(['', `${few} watches`, `${many} watches`], rows))
}

async function measured(count: number, events: number): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'watches-bench-'))
  try {
    return await measuredIn(folder, count, events)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measuredIn(folder: string, count: number, events: number): Promise<Record<string, string>> {
  const platform = realPlatform()
  const store = await Store.open(localWorld(), join(folder, 'store'), sampleOptions)
  await fill(folder, count)
  collectGarbage()
  const heapBefore = process.memoryUsage().heapUsed
  const told = new Backlog()
  const start = performance.now()
  const opened = await openWatches(
    {
      platform,
      log: silentLog,
      archive: storeArchive(store),
      changes: { isHidden: () => false, stream: ({ signal }) => told.stream(signal) },
      rules: { list: () => [], change: async () => {} },
      jobs: { start: () => ({ id: 'j' }) as ReturnType<JobService['start']> },
    },
    folder,
    [],
  )
  const openMs = performance.now() - start
  collectGarbage()
  const heapBytes = process.memoryUsage().heapUsed - heapBefore
  const { watches } = opened
  const pageMs = timed(() => {
    const views = watches.list({ limit: 50, historyMax: 100 })
    const form = { typed: {} }
    const screen = watchesScreen({
      views,
      count,
      page: 1,
      perPage: 50,
      gap: undefined,
      form,
      nowMs: Date.now(),
    })
    return screen.body.toString().length
  })
  const addMs: number[] = []
  const removeMs: number[] = []
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now()
    const { watch } = await watches.add({ url: `https://www.new-${round}.example/` })
    addMs.push(performance.now() - begun)
    const added = performance.now()
    await watches.remove(watch.id)
    removeMs.push(performance.now() - added)
  }
  opened.start('http://localhost')
  const unwatched = await told.tell(
    events,
    (number) => `https://www.nobody-${number % sites}.example/${number}`,
  )
  const watched = await told.tell(Math.floor(events / 20), (number) => watchedUrl(number % count))
  await opened.close()
  await store.close()
  const micros = ({ cpuMs, events: each }: Cost) => `${((1_000 * cpuMs) / each).toFixed(1)} µs`
  return {
    'opened in': `${openMs.toFixed(0)} ms`,
    'memory, heap': `${(heapBytes / 1e6).toFixed(1)} MB`,
    'page of the list (50, 100 changes each), processor time': `${median(pageMs).toFixed(1)} ms`,
    'one more is made in': `${median(addMs).toFixed(1)} ms`,
    'and removed in': `${median(removeMs).toFixed(1)} ms`,
    'an event that nobody watches, processor time': micros(unwatched),
    'an event that a watch is told of (its page is gone), processor time': micros(watched),
  }
}

/** As somebody would have them: pages, some prefixes, a few sites; each with what it saw. */
async function fill(folder: string, count: number): Promise<void> {
  const map = await realPlatform().keyValues.open(join(folder, 'watches'))
  const book = new WatchBook(map)
  const atMs = Date.now() - 86_400_000
  for (let start = 0; start < count; start += 500) {
    const some = Array.from({ length: Math.min(500, count - start) }, (_, index) => start + index)
    await Promise.all(
      some.map((number) => {
        const id = idOf(number)
        const watch = { ...readWatch(written(number)), id, isPaused: false, createdAtMs: atMs + number }
        return book.put({ ...watch, feedKey: `key-${number}` }, () => {
          book.putState(id, stateAtFirst)
          const changes = number > count - 60 ? 100 : 2
          for (let change = 0; change < changes; change++) book.append(id, seen(number, change))
        })
      }),
    )
  }
  await map.flush()
  await map.close()
}

function written(number: number): WrittenWatch {
  const url = watchedUrl(number)
  if (number % 20 === 7) return { site: parseUrl(url).site }
  if (number % 5 === 3) return { prefix: url.replace(/[^/]*$/, '') }
  return { url, ...(number % 2 === 0 && { selector: '.price' }) }
}

function seen(number: number, change: number): WatchSighting {
  const atMs = Date.now() - 3_600_000 * (change + 1)
  const id = hash('sha256', `${number} ${change}`, 'buffer').subarray(0, 16)
  const left = { text: `It costs ${change}`, isMarked: true }
  const right = { text: `It costs ${change + 1} now`, isMarked: true }
  return {
    ...{ id, stamp: atMs, atMs, kind: 'changed', url: watchedUrl(number), isFirst: false },
    ...{ part: 'found', partBefore: 'found', wordShare: 0.2, beforeMs: atMs - 60_000, status: 200 },
    ...{ target: undefined, title: 'A shop' },
    excerpt: { rows: [{ kind: 'changed', left: [left], right: [right] }], rowsLeftOut: 0 },
  }
}

function watchedUrl(number: number): string {
  return `https://www.site-${number % sites}.example/shop-${Math.floor(number / sites)}/page-${number}.html`
}

function idOf(number: number): string {
  return `${number.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`
}

interface Cost {
  readonly cpuMs: number
  readonly events: number
}

/** A stream that tells what it is told to. */
class Backlog {
  #waiting: { told: Told; taken: () => void }[] = []
  #ring: () => void = () => {}
  #stamp = Date.now()

  stream(signal: AbortSignal): ChangeStream {
    signal.addEventListener('abort', () => this.#ring())
    return {
      begin: async () => {},
      told: () => this.#told(signal),
      close: async () => {},
    } as unknown as ChangeStream
  }

  /** Resolves when all were dealt with. */
  async tell(events: number, urlOf: (number: number) => string): Promise<Cost> {
    const cpu = process.cpuUsage()
    for (let start = 0; start < events; start += pageEvents) {
      const page = Array.from({ length: Math.min(pageEvents, events - start) }, (_, index) =>
        this.#event(urlOf(start + index), start + index),
      )
      await new Promise<void>((taken) => {
        this.#waiting.push({ told: { kind: 'events', events: page, cursor: this.#stamp }, taken })
        this.#ring()
      })
    }
    const { user, system } = process.cpuUsage(cpu)
    return { cpuMs: (user + system) / 1_000, events }
  }

  async *#told(signal: AbortSignal): AsyncGenerator<Told> {
    while (!signal.aborted) {
      const next = this.#waiting.shift()
      if (next === undefined) {
        await new Promise<void>((resolve) => {
          this.#ring = resolve
        })
        continue
      }
      yield next.told
      next.taken()
    }
  }

  #event(href: string, sequence: number): StoredEvent {
    const { site } = parseUrl(href)
    const id = hash('sha256', `${href} ${this.#stamp}`, 'buffer').subarray(0, 16)
    const stamp = ++this.#stamp
    return {
      id,
      kind: 'gone',
      atMs: stamp,
      stamp,
      sequence,
      epoch: 0,
      url: href,
      site,
      job: undefined,
      status: 404,
    } as StoredEvent
  }
}

function timed(work: () => number): number[] {
  return Array.from({ length: rounds }, () => {
    const cpu = process.cpuUsage()
    if (work() === 0) throw new Error('nothing was made')
    const { user, system } = process.cpuUsage(cpu)
    return (user + system) / 1_000
  })
}
