import assert from 'node:assert/strict'
import { deflateSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { ringKeyOf, ringKeyToBytes } from '../../model/ring-key.ts'
import type { UnsignedAnnouncement } from '../../network/announcements/announcement.ts'
import { AnnouncementKinds } from '../../network/announcements/announcement-kind.ts'
import { type JobAnnouncement, nameOf, startedBy } from '../../network/jobs/job-announcement.ts'
import { nameOfBound } from '../../network/site-splitting/split-announcement.ts'
import { takedownName } from '../../network/takedowns/takedown-announcement.ts'
import { announcementKinds } from './announcement-kinds.ts'

const kinds = new AnnouncementKinds(announcementKinds)
const identity = { self: 'peer', sign: () => new Uint8Array(64) }
const nowMs = 1_800_000_000_000

function faultOf(more: Partial<UnsignedAnnouncement>): string | undefined {
  const announcement = {
    kind: 'job',
    name: 'x',
    value: new Uint8Array(),
    version: nowMs,
    peer: 'peer',
    ...more,
  }
  return kinds.fault(announcement)
}

const options = { seeds: ['http://a.example/'], scope: 'site', budgets: {} } as const
const job: JobAnnouncement = {
  ...{ options, run: 0, state: 'running', createdAtMs: nowMs, isSeeded: false },
  startedBy: startedBy(identity, { options, run: 0 }),
}

function jobFault(change: object): string | undefined {
  const value = { ...job, ...change } as JobAnnouncement
  const name = Array.isArray(value.options?.seeds) ? nameOf(value.options) : 'x'
  return faultOf({ name, value: deflateSync(JSON.stringify(value)) })
}

describe('a job', () => {
  test('as peers write it is taken', () => {
    const share = { counters: { pages: 3 }, counts: { fetched: 4 } }
    assert.equal(jobFault({}), undefined)
    assert.equal(
      jobFault({ absent: ['b'], departed: { c: share }, ending: 'complete', state: 'done' }),
      undefined,
    )
    const patterned = {
      ...options,
      include: ['a.*b'],
      exclude: ['.*[.]zip'],
      depth: 2,
      types: 'html',
      sitemaps: true,
    }
    assert.equal(jobFault({ options: patterned }), undefined)
  })

  test.each([
    { options: { ...options, seeds: [5] } },
    { options: { ...options, seeds: [] } },
    { options: { ...options, seeds: ['no URL'] } },
    {
      options: { ...options, seeds: Array.from({ length: 20_000 }, (_, page) => `http://a.example/${page}`) },
    },
    { options: { ...options, budgets: null } },
    { options: { ...options, budgets: { pages: -1 } } },
    { options: { ...options, budgets: { pages: 'many' } } },
    { options: { ...options, include: 5 } },
    { options: { ...options, include: [null] } },
    { options: { ...options, exclude: ['('] } },
    { options: { ...options, scope: 'galaxy' } },
    { options: { ...options, run: 5 } },
    { options: null },
    { absent: 5 },
    { absent: {} },
    { absent: Array.from({ length: 5_000 }, (_, peer) => `peer ${peer}`) },
    { departed: { x: null } },
    { departed: 5 },
    { run: -1 },
    { run: 1.5 },
    { state: 'wild' },
    { createdAtMs: 1e300 },
    { createdAtMs: nowMs + 1e12 },
    { createdAtMs: null },
    { ending: 'x'.repeat(5_000) },
    { sums: {} },
    { startedBy: undefined },
    { startedBy: { peer: 5, signature: '' } },
  ])('is refused when it is unsound, case %#', (change) => assert.notEqual(jobFault(change), undefined))

  test('is named by its options', () => {
    assert.notEqual(faultOf({ name: 'y', value: deflateSync(JSON.stringify(job)) }), undefined)
  })

  test('that unpacks to far more than it is, or to nothing, is refused', () => {
    for (const value of [
      deflateSync(Buffer.alloc(20_000_000)),
      deflateSync('null'),
      deflateSync('5'),
      Buffer.from('x'),
    ])
      assert.notEqual(faultOf({ value }), undefined)
  })
})

describe('a takedown', () => {
  const target = { kind: 'site', site: 'a.example' } as const
  const fault = (word: unknown, more: Partial<UnsignedAnnouncement> = {}): string | undefined =>
    faultOf({
      kind: 'takedown',
      name: takedownName(target),
      value: Buffer.from(JSON.stringify(word) ?? ''),
      ...more,
    })

  test('and its release are taken', () => {
    assert.equal(fault({ target, reason: '', state: 'taken' }), undefined)
    assert.equal(fault({ target, reason: 'by mistake', state: 'released' }), undefined)
  })

  test.each([
    null,
    5,
    undefined,
    { target: null, reason: '', state: 'taken' },
    { target: { kind: 'site', site: 5 }, reason: '', state: 'taken' },
    { target: { kind: 'url' }, reason: '', state: 'taken' },
    { target: { kind: 'url', url: 5 }, reason: '', state: 'taken' },
    { target: { kind: 'all' }, reason: '', state: 'taken' },
    { target: { kind: 'ring', from: '00' }, reason: '', state: 'taken' },
    { target: { kind: 'site', site: 'a'.repeat(400_000) }, reason: '', state: 'taken' },
    { target: { ...target, more: 1 }, reason: '', state: 'taken' },
    { target, reason: 'x'.repeat(5_000), state: 'taken' },
    { target, reason: null, state: 'taken' },
    { target, reason: '', state: 'hidden' },
    { target, reason: '' },
    { target, reason: '', state: 'taken', onBehalfOf: 'peer' },
    { target, reason: '', state: 'taken', onBehalfOf: 5 },
  ])('is refused when it is unsound, case %#', (word) => assert.notEqual(fault(word), undefined))

  test('of another name than its target is refused', () => {
    assert.notEqual(fault({ target, reason: '', state: 'taken' }, { name: 'site b.example' }), undefined)
  })
})

describe('a rule for visits', () => {
  const target = { kind: 'site', site: 'a.example' } as const
  const fault = (word: unknown, name = 'site a.example'): string | undefined =>
    faultOf({ kind: 'visit', name, value: Buffer.from(JSON.stringify(word)) })
  const hour = 3_600_000

  test('as peers write it is taken', () => {
    assert.equal(fault({ target, state: 'stop' }), undefined)
    assert.equal(fault({ target, state: 'every', bounds: { minMs: hour, maxMs: hour } }), undefined)
    const url = 'http://a.example/page?x=1'
    assert.equal(fault({ target: { kind: 'url', url }, state: 'resume' }, `url ${url}`), undefined)
  })

  test.each([
    null,
    { target, state: 'every' },
    { target, state: 'never' },
    { target, state: 'stop', more: 1 },
    { target, state: 'every', bounds: { minMs: 1, maxMs: hour } },
    { target, state: 'every', bounds: { minMs: 2 * hour, maxMs: hour } },
    { target, state: 'every', bounds: { minMs: hour, maxMs: 1e300 } },
    { target, state: 'every', bounds: { minMs: hour, maxMs: null } },
    { target: { kind: 'all' }, state: 'stop' },
    { target: { kind: 'site', site: 'www.a.example' }, state: 'stop' },
    { target: { kind: 'site', site: 'b.example' }, state: 'stop' },
    { target: { kind: 'url', url: 'no address' }, state: 'stop' },
  ])('is refused when it is unsound, case %#', (word) => assert.notEqual(fault(word), undefined))

  test('for a page that is not written as it is filed is refused', () => {
    for (const url of ['HTTP://a.example', 'no address', `http://a.example/${'x'.repeat(3_000)}`])
      assert.notEqual(fault({ target: { kind: 'url', url }, state: 'stop' }, `url ${url}`), undefined)
  })
})

describe('whether a peer is here', () => {
  test.each([
    ['peer', 'x', 'x', 'here', true],
    ['peer', 'x', 'x', 'away', true],
    ['peer', 'x', 'y', 'away', false],
    ['peer', 'x', 'x', 'gone', false],
    ['left', 'x', 'x', 'gone', true],
    ['left', 'x', 'x', 'back', true],
    ['left', 'x', 'y', 'gone', true],
    ['left', 'x', 'y', 'back', false],
    ['left', '', 'y', 'gone', false],
    ['left', 'x'.repeat(300), 'y', 'gone', false],
  ])('%s %s, said by %s: %s', (kind, name, peer, value, isSound) => {
    assert.equal(faultOf({ kind, name, peer, value: Buffer.from(value) }) === undefined, isSound)
  })
})

test('a bound is the key of a capture', () => {
  const site = ringKeyToBytes(ringKeyOf('a.example'))
  const fault = (name: string, value = 'here'): string | undefined =>
    faultOf({ kind: 'split', name, value: Buffer.from(value) })
  assert.equal(fault(nameOfBound(Buffer.concat([site, Buffer.from('example,a)/m')]))), undefined)
  assert.notEqual(fault(nameOfBound(Buffer.concat([site, Buffer.from('example,a)/m')])), 'there'), undefined)
  assert.notEqual(fault(nameOfBound(site)), undefined)
  assert.notEqual(fault(nameOfBound(Buffer.alloc(1_900))), undefined)
  assert.notEqual(fault('not base64url!'), undefined)
})

test.each([
  'nonsense',
  'job',
  '0123 no-url',
  'http://a.example/',
  'zz http://a.example/',
  '0123 http://A.example/',
])('a seed named %s is refused', (name) => assert.notEqual(faultOf({ kind: 'seed', name }), undefined))
