import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { CallTimedOut } from '../../../platform/calls/calls.ts'
import { SimulatedClock } from '../../../platform/simulated/clock.ts'
import { SimulatedRandom } from '../../../platform/simulated/random.ts'
import { Simulation } from '../../../platform/simulated/simulation.ts'
import { Admission } from '../admission.ts'
import { namesAsTickets } from '../fixtures/names-as-tickets.ts'
import { RememberedPeers } from '../remembered-peers.ts'
import type { RingCalls } from '../ring.ts'
import { ringOptionsDefault } from '../ring-options.ts'
import { RingClient } from './ring-client.ts'

const options = { ...ringOptionsDefault, networkId: 'test' }
const question = { kind: 'ping', position: 0, nonce: new Uint8Array(16) } as const

/** Asks peers of which none ever answers. */
function askingTheSilent(): { asking: RingClient; simulation: Simulation; clock: SimulatedClock } {
  const simulation = new Simulation({ seed: 1 })
  const clock = new SimulatedClock({ simulation })
  const calls: RingCalls = {
    self: 'us',
    addresses: () => [],
    learn: () => {},
    answer: () => {},
    call: async (peer, _, { deadlineMs }) => {
      await clock.sleep(deadlineMs)
      throw new CallTimedOut(peer, deadlineMs)
    },
  }
  const remembered = new RememberedPeers(new SimulatedRandom(1), 10)
  const admission = new Admission({ calls, clock, tickets: namesAsTickets }, options)
  const asking = new RingClient({ clock, calls, admission, remembered }, options, () => new Uint8Array())
  return { asking, simulation, clock }
}

describe('asking', () => {
  test('takes a peer for silent after a few tries, each twice as long', async () => {
    const { asking, simulation } = askingTheSilent()
    await assert.rejects(simulation.complete(asking.askPeer('a', [], question)))
    assert.equal(simulation.nowMs, 500 + 1_000 + 1_400)
    assert.equal(asking.neighbours.isSilent('a'), true)
  })

  test('ends all questions to a peer that one of them finds silent', async () => {
    const { asking, simulation, clock } = askingTheSilent()
    const first = asking.askPeer('a', [], question)
    first.catch(() => {})
    await simulation.complete(clock.sleep(2_200))
    await assert.rejects(simulation.complete(asking.askPeer('a', [], question)))
    // Its second try would have ended 200 ms later.
    assert.equal(simulation.nowMs, 2_900)
    await assert.rejects(first)
  })
})
