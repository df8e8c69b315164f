// A lane's queue against a plain list: whatever is put and removed, in whatever order, what is left is left in order.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { tryParseUrl } from '../../../model/url/url.ts'
import { SimulatedClock } from '../../../platform/simulated/clock.ts'
import { SimulatedKeyValues } from '../../../platform/simulated/key-value.ts'
import { Simulation } from '../../../platform/simulated/simulation.ts'
import type { DiscoveryKind } from '../discovery.ts'
import { WriteBuffer } from '../write-buffer.ts'
import { LaneQueue, type Ranked } from './lane-queue.ts'
import { rankOf } from './queue-entry.ts'

const kinds: DiscoveryKind[] = ['seed', 'navigation', 'requisite', 'sitemap', 'redirect']
// Mostly alike, so that chunks fill up and are packed.
const kind = fc.oneof(
  { weight: 4, arbitrary: fc.constant<DiscoveryKind>('navigation') },
  { weight: 1, arbitrary: fc.constantFrom(...kinds) },
)
const depth = fc.oneof({ weight: 9, arbitrary: fc.nat(1) }, { weight: 1, arbitrary: fc.nat(300) })
const deed = fc.record({
  remove: fc.option(fc.nat(200), { freq: 1 }),
  secure: fc.boolean(),
  path: fc.webPath(),
  query: fc.webQueryParameters(),
  via: fc.option(fc.webUrl({ validSchemes: ['http', 'https'] }), { nil: '' }),
  kind,
  depth,
  counts: fc.tuple(fc.nat(9), fc.nat(25), fc.nat(5)),
})

const keepsOrder = fc.asyncProperty(fc.array(deed, { maxLength: 120, size: 'max' }), async (deeds) => {
  const simulation = new Simulation({ seed: 1 })
  const keyValues = new SimulatedKeyValues({ simulation }).mount()
  const keyValue = await simulation.complete(keyValues.open('/queue'))
  const buffer = new WriteBuffer({ keyValue, clock: new SimulatedClock({ simulation }) }, () => {})
  const queue = new LaneQueue(buffer.table('sites'), Buffer.alloc(8, 1), 1, 'a.test:81')
  let left: Ranked[] = []
  for (const [sequence, { remove, secure, path, query, via, kind, depth, counts }] of deeds.entries()) {
    const url = tryParseUrl(`${secure ? 'https' : 'http'}://a.test:81${path}?${query}`)
    if (url === null) continue
    const [requisiteHops, redirects, attempt] = counts
    const viaHref = via === '' ? '' : (tryParseUrl(via)?.href ?? '')
    const entry = { href: url.href, kind, depth, via: viaHref, requisiteHops, redirects, attempt }
    left.push(queue.put(rankOf({ kind, depth }, 1_000 + 7 * sequence), entry))
    if (remove !== null) {
      const gone = left[remove % left.length]!
      queue.remove(gone)
      left = left.filter((ranked) => ranked !== gone)
    }
  }
  const expected = left.toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
  assert.deepEqual([...queue.chunks()].flat(), expected)
  for (const ranked of left)
    assert.equal(queue.find(ranked.chunk, ranked.entry.href)?.entry.href, ranked.entry.href)
})

export const properties = [
  { name: 'a lane queue keeps what is put, in the order of ranks', property: keepsOrder },
]
