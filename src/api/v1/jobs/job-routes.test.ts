import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { PolyhistorError } from '../../../errors.ts'
import type { JobLogLine, JobRequest, JobService, JobView } from '../../../model/jobs/job-service.ts'
import { simulatedWorld } from '../../../platform/simulated/world.ts'
import { TestApi, testRequest, token } from '../../fixtures/test-api.ts'
import { JobEvents } from './job-events.ts'
import { jobRoutes } from './job-routes.ts'

const zero = { fetched: 0, failed: 0, refused: 0, bytes: 0 }

/** Jobs as the crawler would have them, told by the test. */
class TestService implements JobService {
  readonly jobs = new Map<string, JobView>()
  lines: JobLogLine[] = []

  list() {
    return [...this.jobs.values()]
  }

  find(id: string) {
    return this.jobs.get(id)
  }

  last() {
    return undefined
  }

  details() {
    return { hosts: [{ host: 'a.test', queued: 3, pending: 1 }], areHostsAll: true, peers: [] }
  }

  start(request: JobRequest) {
    return this.change('1', {
      ...request,
      id: '1',
      state: 'running',
      ending: undefined,
      createdAtMs: 0,
      counters: { ...zero, queued: 1, pending: 1, pages: 0, timeMs: 0 },
      counts: { ...zero, new: 0, changed: 0, same: 0 },
      underWay: 0,
    })
  }

  pause(id: string) {
    return this.change(id, { state: 'paused' })
  }

  resume(id: string) {
    return this.change(id, { state: 'running' })
  }

  cancel(id: string) {
    return this.change(id, { state: 'done', ending: 'cancelled' })
  }

  stopped: { code: string; message: string } | undefined

  trouble() {
    return this.stopped
  }

  async *log() {
    yield* this.lines
  }

  change(id: string, change: Partial<JobView>): JobView {
    const before = this.jobs.get(id)
    if (before === undefined && change.id === undefined)
      throw new PolyhistorError('crawl-job-unknown', 'There is no such job.')
    const job = { ...before, ...change } as JobView
    this.jobs.set(id, job)
    return job
  }
}

function setUp() {
  const jobs = new TestService()
  const world = simulatedWorld({ seed: 1 })
  const events = new JobEvents({ jobs, clock: world.machine('a').clock })
  const api = new TestApi(jobRoutes({ jobs, events }))
  const post = (target: string, body: unknown = {}) =>
    api.ask(target, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    })
  return { jobs, events, api, post, world }
}

describe('jobs', () => {
  test('are begun, listed, paused, resumed and cancelled', async () => {
    const { api, post } = setUp()
    const begun = await post('/api/v1/jobs', { url: 'a.test', scope: 'page' })
    assert.deepEqual([begun.status, begun.headers.location], [201, '/api/v1/jobs/1'])
    assert.deepEqual(JSON.parse(begun.text).seeds, ['http://a.test/'])
    assert.equal(JSON.parse((await api.ask('/api/v1/jobs')).text).jobs.length, 1)
    assert.equal(JSON.parse((await post('/api/v1/jobs/1/pause')).text).state, 'paused')
    assert.equal(JSON.parse((await post('/api/v1/jobs/1/resume')).text).state, 'running')
    assert.equal(JSON.parse((await post('/api/v1/jobs/1/cancel')).text).ending, 'cancelled')
    assert.equal(JSON.parse((await api.ask('/api/v1/jobs/1')).text).state, 'done')
  })

  test('nobody begins or ends one without the token, or with anything but JSON', async () => {
    const { api, jobs } = setUp()
    for (const target of ['/api/v1/jobs', '/api/v1/jobs/1/pause', '/api/v1/jobs/1/cancel'])
      assert.equal((await api.ask(target, { method: 'POST', body: '{"url":"a.test"}' })).status, 401)
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/plain' }
    const asText = await api.ask('/api/v1/jobs', { method: 'POST', body: '{"url":"a.test"}', headers })
    assert.equal(asText.status, 415)
    assert.equal(jobs.jobs.size, 0)
  })

  test('one that is not there is a 404; what is not understood a 400', async () => {
    const { api, post } = setUp()
    for (const path of ['', '/log', '/events'])
      assert.equal((await api.ask(`/api/v1/jobs/9${path}`)).status, 404)
    assert.equal((await post('/api/v1/jobs/9/pause')).status, 404)
    const bad = await post('/api/v1/jobs', { scope: 'page' })
    assert.deepEqual([bad.status, JSON.parse(bad.text).error.code], [400, 'request-malformed'])
  })

  test('the log is a line of JSON each', async () => {
    const { api, jobs, post } = setUp()
    await post('/api/v1/jobs', { url: 'a.test' })
    jobs.lines = [{ atMs: 0, jobId: '1', url: 'http://a.test/', outcome: 'new', status: 200 }]
    const { text } = await api.ask('/api/v1/jobs/1/log')
    assert.deepEqual(JSON.parse(text), { ...jobs.lines[0], at: '1970-01-01T00:00:00.000Z' })
  })
})

describe('events', () => {
  const line = (url: string): JobLogLine => ({ atMs: 0, jobId: '1', url, outcome: 'new' })
  const eventsIn = (text: string) => [...text.matchAll(/^event: (\w+)$/gm)].map((match) => match[1])

  test('tell of a job until it has ended, and then end themselves', async () => {
    const { api, jobs, events, post, world } = setUp()
    await post('/api/v1/jobs', { url: 'a.test' })
    const { body, headers } = await api.api.answer(testRequest('/api/v1/jobs/1/events'))
    assert.ok(headers.some(([, value]) => value.startsWith('text/event-stream')))
    const stream = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
    const next = async () => String((await world.complete(stream.next())).value ?? '')
    assert.deepEqual(eventsIn(await next()), ['progress'])
    events.happened(line('http://a.test/1'))
    events.happened({ ...line('http://b.test/'), jobId: '2' })
    jobs.change('1', { underWay: 1 })
    const more = await next()
    assert.deepEqual(eventsIn(more), ['url', 'progress'])
    assert.match(more, /^id: 0\nevent: url\ndata: \{.*"url":"http:\/\/a\.test\/1"/)
    jobs.cancel('1')
    assert.deepEqual(eventsIn(await next()), ['progress'])
    jobs.change('1', { underWay: 0 })
    assert.deepEqual(eventsIn(await next()), ['progress'])
    assert.deepEqual(eventsIn(await next()), ['end'])
    assert.equal((await stream.next()).done, true)
  })

  test('tell when crawling had to stop, so that nobody waits for what never comes', async () => {
    const { api, jobs, post, world } = setUp()
    await post('/api/v1/jobs', { url: 'a.test' })
    jobs.stopped = { code: 'disk-full', message: 'No room.' }
    const { text } = await world.complete(api.ask('/api/v1/jobs/1/events'))
    assert.deepEqual(eventsIn(text), ['progress', 'trouble', 'end'])
    assert.match(text, /data: \{"code":"disk-full","message":"No room\."\}/)
  })

  test('have so many readers and no more', async () => {
    const { api } = setUp()
    const gone = new AbortController()
    const reading = Array.from({ length: 200 }, () => api.ask('/api/v1/events', { signal: gone.signal }))
    await new Promise((resolve) => setImmediate(resolve))
    const one = await api.ask('/api/v1/events')
    assert.deepEqual([one.status, one.headers['retry-after']], [503, '30'])
    gone.abort()
    await Promise.all(reading)
    const again = api.ask('/api/v1/events', { signal: gone.signal })
    assert.equal((await again).status, 200)
  })

  test('go on behind the last one seen, and tell how many were missed', async () => {
    const { api, jobs, events, post, world } = setUp()
    await post('/api/v1/jobs', { url: 'a.test' })
    for (let number = 0; number < 1_500; number++) events.happened(line(`http://a.test/${number}`))
    jobs.cancel('1')
    const since = (id: string) =>
      world.complete(api.ask('/api/v1/jobs/1/events', { headers: { 'last-event-id': id } }))
    const { text } = await since('99')
    assert.match(text, /^event: missed\ndata: \{"events":400\}\n\nid: 500\nevent: url/)
    assert.equal(eventsIn(text).filter((name) => name === 'url').length, 1_000)
    assert.equal(eventsIn(text).at(-1), 'end')
    // Who comes new, or with a number that we never gave out, sees what happens from now on.
    for (const id of ['', '-1', '9999', 'x']) {
      assert.deepEqual(eventsIn((await since(id)).text), ['progress', 'end'])
    }
  })

  test('end with the server, and when nobody listens any more', async () => {
    const { api, events, world } = setUp()
    const gone = new AbortController()
    const reading = api.ask('/api/v1/events', { signal: gone.signal })
    gone.abort()
    assert.equal((await reading).status, 200)
    const other = api.ask('/api/v1/events')
    events.close()
    assert.equal((await world.complete(other)).status, 200)
  })
})
