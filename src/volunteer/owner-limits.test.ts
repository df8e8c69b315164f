import assert from 'node:assert/strict'
import { test } from 'vitest'
import { simulatedWorld } from '../platform/simulated/world.ts'
import { isWithin, OwnedLimits, ownerLimitsDefault, type VolunteerMachine } from './owner-limits.ts'

const never = new AbortController().signal

function limited(limits: Partial<typeof ownerLimitsDefault>, machine: Partial<VolunteerMachine> = {}) {
  const world = simulatedWorld({ seed: 1 })
  const { clock } = world.machine('volunteer')
  const idle = {
    cpuMs: () => 0,
    memoryBytes: () => 0,
    othersPerCore: () => 0,
    isOnBattery: () => false,
    hour: () => 12,
  }
  const owned = new OwnedLimits(
    { clock, machine: { ...idle, ...machine } },
    { ...ownerLimitsDefault, ...limits },
  )
  return { world, clock, owned }
}

/** Sends or reads as much as it may for so long. */
async function amountIn(
  seconds: number,
  world: ReturnType<typeof simulatedWorld>,
  step: () => Promise<number>,
) {
  let bytes = 0
  let isOver = false
  const busy = async () => {
    while (!isOver) bytes += await step()
  }
  void busy()
  await world.advance(seconds * 1_000)
  isOver = true
  return bytes
}

for (const piece of [4_000, 65_536])
  test(`rates are kept within 2 % over ten seconds, in pieces of ${piece} bytes`, async () => {
    const { world, owned } = limited({ up: 2_000_000, down: 1_000_000 })
    const sent = await amountIn(10, world, async () => {
      await owned.sending(piece, never)
      return piece
    })
    assert.ok(Math.abs(sent / 20_000_000 - 1) < 0.02, `sent ${sent}`)
    const read = await amountIn(10, world, async () => {
      await owned.received(piece)
      return piece
    })
    assert.ok(Math.abs(read / 10_000_000 - 1) < 0.02, `read ${read}`)
  })

test('what is sent at once is a small part of what may be sent in ten seconds', () => {
  for (const up of [200_000, 10_000_000]) {
    const { partBytes } = limited({ up }).owned
    assert.ok(partBytes <= 0.02 * 10 * up, `${partBytes} bytes at ${up} a second`)
  }
  assert.equal(limited({ up: null }).owned.partBytes, Number.POSITIVE_INFINITY)
})

test('a rate is changed while somebody waits for it', async () => {
  const { world, owned } = limited({ up: 1_000 })
  await owned.sending(100_000, never)
  let isReady = false
  void owned.ready(never).then(() => {
    isReady = true
  })
  await world.advance(5_000)
  assert.equal(isReady, false)
  owned.change({ up: null })
  await world.advance(1_500)
  assert.equal(isReady, true)
})

test('processor time beyond the share is waited for', async () => {
  let usedMs = 0
  const { world, owned, clock } = limited({ cpu: 0.25 }, { cpuMs: () => usedMs })
  const startMs = clock.monotonicMs()
  await amountIn(60, world, async () => {
    await owned.ready(never)
    usedMs += 50
    await clock.sleep(50)
    return 0
  })
  const share = usedMs / (clock.monotonicMs() - startMs)
  assert.ok(share > 0.2 && share < 0.27, `${share}`)
})

test('it pauses on battery, on a metered line, beyond its hours, on a busy machine, and when it is told to', () => {
  assert.equal(limited({}, { isOnBattery: () => true }).owned.pauseReason(), 'battery')
  assert.equal(limited({ isMetered: true }).owned.pauseReason(), 'metered')
  assert.equal(limited({ hours: { from: 22, to: 6 } }).owned.pauseReason(), 'hours')
  assert.equal(limited({ isStopped: true }).owned.pauseReason(), 'stopped')
  assert.equal(limited({}, { memoryBytes: () => 2 ** 40 }).owned.pauseReason(), 'memory')
  let others = 0.95
  const { owned } = limited({}, { othersPerCore: () => others })
  assert.equal(owned.pauseReason(), 'busy')
  others = 0.8
  assert.equal(owned.pauseReason(), 'busy', 'not before it is clearly quieter')
  others = 0.5
  assert.equal(owned.pauseReason(), undefined)
  assert.throws(() => owned.change({ up: -1 }))
})

test('hours may go over midnight', () => {
  assert.ok(isWithin({ from: 22, to: 6 }, 23) && isWithin({ from: 22, to: 6 }, 5))
  assert.ok(
    !isWithin({ from: 22, to: 6 }, 6) &&
      !isWithin({ from: 8, to: 17 }, 17) &&
      isWithin({ from: 0, to: 24 }, 0),
  )
})
