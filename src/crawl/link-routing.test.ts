import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { PolyhistorError } from '../errors.ts'
import type { RingKey } from '../model/ring-key.ts'
import { parseUrl, type Url } from '../model/url/url.ts'
import { simulatedWorld } from '../platform/simulated/world.ts'
import { openFrontier } from './fixtures/simulated-frontier.ts'
import type { Discovery, Link } from './frontier/discovery.ts'
import type { FetchTask } from './frontier/fetch-task.ts'
import type { Frontier } from './frontier/frontier.ts'
import { LinkRouting } from './link-routing.ts'
import type { UntilOthers } from './visit/archive.ts'

const page = 'http://page.example/'
const done = { outcome: 'fetched', status: 200 } as const

interface Deferred {
  readonly promise: Promise<void>
  resolve(): void
  reject(error: unknown): void
}

class Setting {
  readonly world = simulatedWorld({ seed: 1 })
  readonly forwarded: Discovery[] = []
  readonly adopted: string[] = []
  readonly safe: string[] = []
  readonly here = new Set<RingKey>()
  waiting = 0
  readonly #untilOthers: UntilOthers = (others) => {
    this.waiting++
    return others.finally(() => this.waiting--)
  }
  readonly arriving: Deferred = Promise.withResolvers()
  readonly saving: Deferred = Promise.withResolvers()
  frontier!: Frontier
  parting!: LinkRouting
  jobId = ''

  static async open(options: object = {}): Promise<Setting> {
    const setting = new Setting()
    setting.frontier = (await openFrontier(setting.world)).frontier
    setting.parting = new LinkRouting(setting)
    setting.parting.network = {
      isHere: (site) => setting.here.has(site),
      waitUntilSafe: (sites) => {
        setting.safe.push(...sites)
        return setting.saving.promise
      },
      forward: (discoveries) => {
        setting.forwarded.push(...discoveries)
        return setting.arriving.promise
      },
      mention: async () => {},
      adopt: async (_jobId, { href }: Url) => void setting.adopted.push(href),
    }
    setting.jobId = setting.frontier.jobs.open({ seeds: [page], scope: 'any', budgets: {}, ...options }).id
    return setting
  }

  async task(): Promise<FetchTask> {
    const answer = await this.world.complete(this.frontier.nextTask())
    assert(answer.kind === 'task')
    return answer.task
  }

  /** Begins to complete the page, and tells whether it is. */
  complete(task: FetchTask, links: readonly Link[], isRepeated = false) {
    const state = { isDone: false, kinds: [] as string[] }
    void this.parting
      .complete(task, done, links, { isRepeated, untilOthers: this.#untilOthers })
      .then(({ outcomes }) => {
        state.isDone = true
        state.kinds = outcomes.map(({ kind }) => kind)
      })
    return state
  }

  get pending(): number {
    return this.frontier.jobs.find(this.jobId)!.counters.pending
  }
}

function linkTo(href: string, kind: Link['kind'] = 'navigation'): Link {
  return { url: parseUrl(href), kind }
}

describe('a page', () => {
  test('is done when others have the links that are theirs', async () => {
    const setting = await Setting.open()
    const links = [linkTo('http://other.example/1'), linkTo(`${page}own`), linkTo('http://other.example/2')]
    const state = setting.complete(await setting.task(), links)
    await setting.world.advance(1_000)
    assert.equal(state.isDone, false)
    assert.equal(setting.waiting, 1)
    assert.deepEqual(
      setting.forwarded.map(({ url, depth, via }) => [url.href, depth, via]),
      [1, 2].map((number) => [`http://other.example/${number}`, 1, page]),
    )
    assert.equal(setting.pending, 1)
    setting.arriving.resolve()
    await setting.world.advance(1_000)
    assert.deepEqual(state, { isDone: true, kinds: ['forwarded', 'queued', 'forwarded'] })
    assert.equal(setting.pending, 1)
    assert.equal(setting.waiting, 0)
  })

  test('is done when its links to other sites of ours would survive us', async () => {
    const setting = await Setting.open()
    const other = linkTo('http://other.example/')
    setting.here.add(other.url.ringKey)
    const state = setting.complete(await setting.task(), [other])
    await setting.world.advance(1_000)
    assert.equal(state.isDone, false)
    assert.deepEqual(setting.safe, [other.url.ringKey])
    setting.saving.resolve()
    await setting.world.advance(1_000)
    assert.deepEqual(state, { isDone: true, kinds: ['queued'] })
    assert.deepEqual(setting.forwarded, [])
  })

  test('sends them on when the site is not ours after all', async () => {
    const setting = await Setting.open()
    const other = linkTo('http://other.example/')
    setting.here.add(other.url.ringKey)
    const state = setting.complete(await setting.task(), [other])
    setting.saving.reject(new PolyhistorError('site-not-safe', 'gone', { retry: 'later' }))
    setting.arriving.resolve()
    await setting.world.advance(1_000)
    assert.deepEqual(state, { isDone: true, kinds: ['forwarded'] })
    assert.deepEqual(
      setting.forwarded.map(({ url }) => url.href),
      ['http://other.example/'],
    )
  })

  test('sends only what the job wants', async () => {
    const setting = await Setting.open({ scope: 'host' })
    setting.arriving.resolve()
    const links = [linkTo('http://other.example/'), linkTo('http://other.example/a.css', 'requisite')]
    const state = setting.complete(await setting.task(), links)
    await setting.world.advance(1_000)
    assert.deepEqual(state.kinds, ['out-of-scope', 'forwarded'])
    assert.deepEqual(
      setting.forwarded.map(({ url }) => url.href),
      ['http://other.example/a.css'],
    )
    assert.equal(setting.frontier.jobs.find(setting.jobId)!.counters.outOfScope, 1)
  })

  test('that was visited again and is the same sends nothing', async () => {
    const setting = await Setting.open()
    const state = setting.complete(await setting.task(), [linkTo('http://other.example/')], true)
    await setting.world.advance(1_000)
    assert.deepEqual([state.isDone, setting.forwarded.length], [true, 0])
  })
})

test('everybody is told where a seed led when that is outside of the scope', async () => {
  const setting = await Setting.open({ scope: 'host' })
  setting.arriving.resolve()
  setting.complete(await setting.task(), [linkTo('http://new.example/', 'redirect')])
  await setting.world.advance(1_000)
  assert.deepEqual(setting.adopted, ['http://new.example/'])
  assert.deepEqual(
    setting.forwarded.map(({ kind }) => kind),
    ['seed'],
  )
})

test('of discoveries those go to others that are theirs', async () => {
  const setting = await Setting.open({ sitemaps: true })
  const [own, other] = [parseUrl('http://page.example/map.xml'), parseUrl('http://other.example/map.xml')]
  setting.here.add(own.ringKey)
  setting.arriving.resolve()
  setting.saving.resolve()
  const found = [own, other].map(
    (url) => ({ url, kind: 'sitemap', jobId: setting.jobId, depth: 0, via: '' }) as const,
  )
  await setting.world.complete(setting.parting.add(found, (others) => others))
  assert.deepEqual(
    setting.forwarded.map(({ url }) => url.href),
    [other.href],
  )
  assert.equal(setting.pending, 2)
})
