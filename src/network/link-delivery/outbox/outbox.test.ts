import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { SimulatedMachine } from '../../../platform/simulated/machine.ts'
import { simulatedWorld } from '../../../platform/simulated/world.ts'
import type { KeyValue } from '../../../platform/storage/key-value.ts'
import { keyAfter } from '../../../platform/storage/key-value.ts'
import { linksToSites, linkTo } from '../fixtures/sample-links.ts'
import type { ForwardedLink } from '../forwarded-link.ts'
import { Outbox } from './outbox.ts'
import { entryKeyBytes } from './outbox-entry.ts'

const start = Buffer.alloc(entryKeyBytes)
const end = Buffer.alloc(entryKeyBytes, 0xff)

async function open(machine: SimulatedMachine): Promise<{ outbox: Outbox; keyValue: KeyValue }> {
  const keyValue = await machine.keyValues.open('/exchange')
  return { outbox: new Outbox(keyValue, machine.clock), keyValue }
}

async function put(keyValue: KeyValue, outbox: Outbox, links: readonly ForwardedLink[]): Promise<void> {
  const count = await keyValue.transaction(() => outbox.put(links))
  count()
}

describe('outbox', () => {
  test('gives links in the order of the ring, a batch at a time', async () => {
    const world = simulatedWorld({ seed: 1 })
    await world.complete(
      (async () => {
        const { outbox, keyValue } = await open(world.machine('a'))
        const links = linksToSites(50)
        await put(keyValue, outbox, links)
        const load = outbox.read(start, end, 400)
        assert.equal(load.isCut, true)
        const next = outbox.read(keyAfter(load.entries.at(-1)!.key), end, Number.POSITIVE_INFINITY)!
        const keys = [...load.entries, ...next.entries].map(({ ringKey }) => ringKey)
        assert.deepEqual(keys, links.map(({ url }) => url.ringKey).sort())
        const chars = load.entries
          .flatMap(({ links: some }) => some)
          .reduce((sum, { href }) => sum + href.length, 0)
        assert.ok(chars <= 400 && chars > 350)
      })(),
    )
  })

  test('a load is read again as it was, whatever came meanwhile', async () => {
    const world = simulatedWorld({ seed: 1 })
    await world.complete(
      (async () => {
        const { outbox, keyValue } = await open(world.machine('a'))
        await put(keyValue, outbox, linksToSites(20))
        const load = outbox.read(start, end, Number.POSITIVE_INFINITY)
        const spans = [{ first: load.entries[0]!.key, last: load.entries.at(-1)!.key }]
        const sequenceMax = outbox.sequence
        await put(keyValue, outbox, linksToSites(20, 20))
        assert.deepEqual(outbox.readAgain({ spans, sequenceMax }), load.entries)
      })(),
    )
  })

  test('knows how many wait and since when, also after a crash', async () => {
    const world = simulatedWorld({ seed: 1 })
    const machine = world.machine('a')
    const bytes = await world.complete(
      (async () => {
        const { outbox, keyValue } = await open(machine)
        await put(keyValue, outbox, linksToSites(10))
        await machine.clock.sleep(60_000)
        await put(keyValue, outbox, linksToSites(5, 10))
        await outbox.remove(outbox.read(start, end, Number.POSITIVE_INFINITY).entries.slice(0, 3))
        assert.equal(outbox.links, 12)
        await keyValue.flush()
        return outbox.bytes
      })(),
    )
    const startedMs = machine.clock.nowMs() - 60_000
    machine.crash()
    machine.restart()
    const { outbox, keyValue } = await world.complete(open(machine))
    assert.equal(outbox.links, 12)
    assert.equal(outbox.bytes, bytes)
    assert.ok(Math.abs(outbox.oldestMs! - startedMs) <= 11_000)
    const { entries } = outbox.read(start, end, Number.POSITIVE_INFINITY)
    await world.complete(outbox.remove(entries))
    // Removing twice is removing once.
    await world.complete(outbox.remove(entries))
    assert.deepEqual([outbox.links, outbox.bytes, outbox.oldestMs], [0, 0, undefined])
    await world.complete(keyValue.close())
  })

  test('all that is said of a link is kept', async () => {
    const world = simulatedWorld({ seed: 1 })
    await world.complete(
      (async () => {
        const { outbox, keyValue } = await open(world.machine('a'))
        const more = {
          jobId: 'ü',
          depth: 3,
          priority: 0.25,
          requisiteHops: 2,
          redirects: 1,
          kind: 'requisite',
        } as const
        await put(keyValue, outbox, [linkTo('http://a.example/1', more)])
        const { entries } = outbox.read(start, end, Number.POSITIVE_INFINITY)
        assert.deepEqual(
          entries.flatMap(({ links }) => links),
          [{ href: 'http://a.example/1', ...more }],
        )
      })(),
    )
  })
})
