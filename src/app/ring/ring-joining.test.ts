import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { PolyhistorError } from '../../errors.ts'
import type { KnownPeer, Ring } from '../../network/ring/ring.ts'
import { silentLog } from '../../platform/log.ts'
import { PeerRefused, PeerUnreachable } from '../../platform/network/network.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { RingJoining } from './ring-joining.ts'

interface Stage {
  world: ReturnType<typeof simulatedWorld>
  joining: RingJoining
  /** The peers that the ring was given, attempt by attempt. */
  attempts: string[][]
  /** Peers by address that can be met; a refusal where it says so. */
  there: Map<string, string | 'refuses'>
  /** Peers through which the ring can be joined. */
  members: Set<string>
  /** How long the ring takes to find out. */
  hold: { ms: number }
  warnings: string[]
}

function stage(told: string[], remembered: KnownPeer[] = [], text: Record<string, string[]> = {}): Stage {
  const world = simulatedWorld({ seed: 1 })
  const { clock, random } = world.machine('a')
  const attempts: string[][] = []
  const there = new Map<string, string>()
  const members = new Set<string>()
  const hold = { ms: 0 }
  const warnings: string[] = []
  let isMember = false
  const ring = {
    join: async (peers: KnownPeer[]) => {
      if (hold.ms > 0) await clock.sleep(hold.ms)
      attempts.push(peers.map(({ peer }) => peer))
      isMember ||= peers.length === 0 || peers.some(({ peer }) => members.has(peer))
      if (!isMember) throw new PolyhistorError('ring-join-failed', 'nobody')
    },
    view: () => ({ known: isMember ? [{ contact: { peer: 'a' } }, { contact: { peer: 'b' } }] : [] }),
  } as unknown as Ring
  const joining = new RingJoining(
    {
      ring,
      clock,
      random,
      log: { ...silentLog, warn: (_fields, message) => warnings.push(message) },
      meet: async (address) => {
        const found = there.get(address)
        if (found === undefined) throw new PeerUnreachable(address, 'nobody is there')
        if (found === 'refuses') throw new PeerRefused(address, 'no')
        return found
      },
      lookUpText: async (name) => text[name] ?? [],
    },
    told,
    remembered,
  )
  return { world, joining, attempts, there, members, hold, warnings }
}

describe('joining', () => {
  test('with nobody to begin with is a ring of one at once', async () => {
    const { world, joining, attempts } = stage([])
    await world.complete(joining.begin())
    assert.deepEqual(attempts, [[]])
    assert(joining.isJoined)
    await world.complete(joining.end())
  })

  test('goes through addresses, names and remembered peers together', async () => {
    const text = { '_dnsaddr.example.org': ['dnsaddr=/ip4/192.0.2.2/tcp/2'] }
    const { world, joining, attempts, there, members } = stage(
      ['192.0.2.1:1', 'example.org'],
      [{ peer: 'remembered', addresses: ['/ip4/192.0.2.3/tcp/3'] }],
      text,
    )
    there.set('/ip4/192.0.2.1/tcp/1', 'told')
    there.set('/ip4/192.0.2.2/tcp/2', 'named')
    members.add('named')
    await world.complete(joining.begin())
    assert.deepEqual(attempts, [['told', 'named', 'remembered']])
    await world.complete(joining.end())
  })

  test('goes on until somebody is there, and is a ring of one meanwhile', async () => {
    const { world, joining, attempts, there, members } = stage(['192.0.2.1:1'])
    await world.complete(joining.begin())
    assert.equal(joining.isJoined, false)
    await world.advance(120_000)
    assert.deepEqual(attempts[0], [], 'alone after a while')
    there.set('/ip4/192.0.2.1/tcp/1', 'late')
    members.add('late')
    await world.advance(120_000)
    assert.deepEqual(attempts.at(-1), ['late'], 'told to the ring, which merges')
    await world.complete(joining.end())
  })

  test('says once that nobody answers where it was told to go, and goes on', async () => {
    const { world, joining, there, members, warnings } = stage(['192.0.2.1:1', '192.0.2.2:2'])
    await world.complete(joining.begin())
    assert.match(joining.problems().join(), /This peer is alone: nobody .*192\.0\.2\.1:1, 192\.0\.2\.2:2/)
    await world.advance(120_000)
    assert.equal(warnings.length, 1)
    assert.match(warnings[0]!, /nobody answers at 192\.0\.2\.1:1, 192\.0\.2\.2:2/i)
    there.set('/ip4/192.0.2.1/tcp/1', 'late')
    members.add('late')
    await world.advance(120_000)
    assert.equal(warnings.length, 1)
    assert.deepEqual(joining.problems(), [])
    await world.complete(joining.end())
  })

  test('goes through those whom it remembers where nobody answers at the only address, and says so', async () => {
    const remembered = [{ peer: 'remembered', addresses: ['/ip4/192.0.2.3/tcp/3'] }]
    const { world, joining, attempts, members, warnings } = stage(['192.0.2.1:1'], remembered)
    members.add('remembered')
    await world.complete(joining.begin())
    assert.deepEqual(attempts, [['remembered']])
    await world.advance(120_000)
    assert.deepEqual(warnings, [
      'Nobody answers at 192.0.2.1:1. The network was found through peers that were known before.',
    ])
    await world.complete(joining.end())
  })

  test('says once that those whom it remembers do not answer either, and goes on with all of them', async () => {
    const remembered = [{ peer: 'remembered', addresses: ['/ip4/192.0.2.3/tcp/3'] }]
    const { world, joining, attempts, warnings } = stage(['192.0.2.1:1'], remembered)
    await world.complete(joining.begin())
    assert.deepEqual(warnings, [], 'all may have been started at once')
    await world.advance(300_000)
    assert.equal(warnings.length, 1)
    assert.match(warnings[0]!, /at 192\.0\.2\.1:1, nor does any of the 1 peers .* tried again, .* alone/)
    assert.deepEqual(attempts.at(-1), ['remembered'])
    await world.complete(joining.end())
  })

  test('says nothing of an address at which nobody answers when others do', async () => {
    const { world, joining, there, members, warnings } = stage(['192.0.2.1:1', '192.0.2.2:2'])
    there.set('/ip4/192.0.2.2/tcp/2', 'told')
    members.add('told')
    await world.complete(joining.begin())
    await world.advance(120_000)
    assert.deepEqual(warnings, [])
    await world.complete(joining.end())
  })

  test('keeps nobody waiting when those whom it remembers do not answer', async () => {
    const { world, joining, hold } = stage([], [{ peer: 'gone', addresses: ['/ip4/192.0.2.3/tcp/3'] }])
    hold.ms = 60_000
    const begun = joining.begin().then(() => 'begun')
    await world.advance(2_000)
    assert.equal(await Promise.race([begun, 'still waiting']), 'begun')
    assert.equal(joining.isJoined, false)
    hold.ms = 0
    await world.advance(300_000)
    assert(joining.isJoined, 'a ring of one after all')
    await world.complete(joining.end())
  })

  test('is a ring of one after one long attempt: when all were started at once, somebody must be the first', async () => {
    const { world, joining, attempts, hold } = stage(
      [],
      [{ peer: 'joining-too', addresses: ['/ip4/192.0.2.3/tcp/3'] }],
    )
    hold.ms = 20_000
    const begun = joining.begin()
    await world.advance(25_000)
    await begun
    hold.ms = 0
    await world.advance(20_000)
    assert.deepEqual(attempts.slice(0, 2), [['joining-too'], []])
    await world.complete(joining.end())
  })

  test('is told at once when all who are there refuse', async () => {
    const { world, joining, attempts, there } = stage(['192.0.2.1:1', '192.0.2.2:2'])
    there.set('/ip4/192.0.2.1/tcp/1', 'refuses')
    await assert.rejects(world.complete(joining.begin()), { code: 'network-refused' })
    assert.deepEqual(attempts, [])
  })

  test('says that it is refused, and not that nobody answers, when it hears of that after it has begun', async () => {
    const { world, joining, there, members } = stage(['192.0.2.1:1'])
    await world.complete(joining.begin())
    assert.match(joining.problems().join(), /nobody of its network answers/)
    there.set('/ip4/192.0.2.1/tcp/1', 'refuses')
    await world.advance(1_000)
    assert.match(joining.problems().join(), /^This peer is alone: those .* do not take it in .*invitation/)
    there.set('/ip4/192.0.2.1/tcp/1', 'told')
    members.add('told')
    await world.advance(120_000)
    assert.deepEqual(joining.problems(), [])
    await world.complete(joining.end())
  })

  test('a peer found on the local network is tried at once', async () => {
    const { world, joining, attempts, members } = stage(['192.0.2.1:1'])
    await world.complete(joining.begin())
    members.add('neighbour')
    joining.find({ peer: 'neighbour', addresses: ['/ip4/192.168.0.2/tcp/1'] })
    await world.advance(10)
    assert.deepEqual(attempts, [['neighbour']])
    await world.complete(joining.end())
  })

  test('an address that is none is told before anything is tried', () => {
    assert.throws(() => stage(['nonsense']), { code: 'network-address' })
  })
})
