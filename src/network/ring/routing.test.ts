// The parts that find the way: cache, fingers, route, replica sets, time-outs, memory of peers.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { SimulatedRandom } from '../../platform/simulated/random.ts'
import { at, placeAt, stateOf } from './fixtures/contacts.ts'
import { Fingers } from './lookup/fingers.ts'
import { LocationCache } from './lookup/location-cache.ts'
import { RoundTrip } from './lookup/round-trip.ts'
import { Route } from './lookup/route.ts'
import { RoutingTable } from './lookup/routing-table.ts'
import { Neighbours } from './neighbours.ts'
import { ipOf, networkPrefixOf } from './network-prefix.ts'
import type { Position } from './position.ts'
import { PositionMachine } from './protocol/position-machine.ts'
import { RememberedPeers } from './remembered-peers.ts'
import { replicaSet } from './replica-set.ts'

const limits = { timeoutMsMin: 300, timeoutMsMax: 2_000, timeoutMsFirst: 500 }
const names = (contacts: { peer: string }[]): string[] => contacts.map(({ peer }) => peer.slice(5))

describe('the location cache', () => {
  test('finds who comes at or after a key, and who before, round the ring', () => {
    const cache = new LocationCache(10)
    for (const place of [0x50, 0x10, 0x90, 0x10]) cache.add(at(place))
    assert.equal(cache.size, 3)
    assert.equal(cache.atOrAfter(placeAt(0x50))?.peer, 'peer-50')
    assert.equal(cache.atOrAfter(placeAt(0x51))?.peer, 'peer-90')
    assert.equal(cache.atOrAfter(placeAt(0x91))?.peer, 'peer-10')
    assert.deepEqual(names(cache.before(placeAt(0x50), 2)), ['10', '90'])
    cache.remove(placeAt(0x90))
    assert.deepEqual(names(cache.before(placeAt(0x10), 5)), ['50', '10'])
  })

  test('is bounded: who was not heard of for longest goes', () => {
    const cache = new LocationCache(2)
    for (const place of [0x10, 0x20, 0x10, 0x30]) cache.add(at(place))
    assert.deepEqual(names([...cache.all()]), ['10', '30'])
  })
})

describe('fingers', () => {
  test('are those that reach beyond the successors, over and over', () => {
    const fingers = new Fingers(placeAt(0))
    const list = { entries: [at(0x10)], isWhole: false }
    const powers = Array.from({ length: 6 }, () => fingers.next(list)?.power)
    assert.deepEqual(powers, [159, 158, 157, 159, 158, 157])
    assert.equal(fingers.isBuilt, true)
  })

  test('are not needed where the list is everybody', () => {
    assert.equal(new Fingers(placeAt(0)).next({ entries: [at(0x10)], isWhole: true }), undefined)
  })
})

describe('whereabouts', () => {
  test('name a successor besides, since all that is only remembered may be dead', () => {
    const machine = new PositionMachine(at(0x10), { successorsMax: 4 })
    const [ask] = machine.handle({ kind: 'enter-after', member: at(0x08) })
    const state = stateOf(0x04, [0x20, 0x30, 0x40])
    machine.handle({ kind: 'answered', serial: ask?.kind === 'ask' ? ask.serial : 0, state })
    const position = { machine, fingers: new Fingers(placeAt(0x10)), owns: () => false }
    const routes = new RoutingTable([position as unknown as Position], 10)
    routes.learn([0x90, 0xa0, 0xb0, 0xc0].map(at))
    assert.deepEqual(names(routes.waysTo(placeAt(0xd0)).nearer), ['c0', 'b0', 'a0', '40'])
  })
})

describe('a route', () => {
  test('asks likely owners first, then the nearest before the key, nobody twice', () => {
    const route = new Route(placeAt(0x80))
    route.addNearer([at(0x10), at(0x70), at(0x90)])
    route.addLikely([at(0xa0), at(0x88)])
    const asked = Array.from({ length: 6 }, () => route.next()?.peer.slice(5))
    assert.deepEqual(asked, ['88', 'a0', '70', '10', '90', undefined])
    route.beginAgain()
    assert.equal(route.next()?.peer, 'peer-88')
  })

  test('doubts an owner while a nearer one was named and not asked', () => {
    const route = new Route(placeAt(0x80))
    route.addLikely([at(0x88), at(0xa0)])
    assert.equal(route.isDoubtful(at(0xa0)), true)
    route.next()
    assert.equal(route.isDoubtful(at(0xa0)), false)
  })

  test('ends, however many are named and however often it begins again', () => {
    const route = new Route(placeAt(0))
    let asked = 0
    for (let count = 0; count < 10_000; count++) {
      route.addLikely([{ ...at(1), place: count.toString(16).padStart(40, '0') as never }])
      if (route.next() !== undefined) asked++
      else route.beginAgain()
    }
    assert.ok(route.isExhausted)
    assert.ok(asked < 1_000)
  })

  test('does not go on to those far away while those near the key answer and know nobody new', () => {
    const route = new Route(placeAt(0xf0))
    route.addNearer(Array.from({ length: 16 }, (_, count) => at(0x10 + count)))
    const answersOfRound = (): number => {
      let count = 0
      while (route.next() !== undefined) {
        route.answered({ likely: [], nearer: [at(0x1f)] })
        assert.ok(++count < 1_000, 'somebody is asked again and again')
      }
      return count
    }
    const first = answersOfRound()
    assert.ok(first < 16)
    const rounds = Array.from({ length: 40 }, () => {
      route.beginAgain()
      return answersOfRound()
    })
    assert.equal(rounds.at(-1), 16, 'in the end everybody is asked')
  })

  test('goes on as long as somebody new is named', () => {
    const route = new Route(placeAt(0xf0))
    route.addNearer([at(0x10)])
    let place = 0x10
    while (route.next() !== undefined && place < 0x40) route.answered({ likely: [], nearer: [at(++place)] })
    assert.equal(place, 0x40)
  })

  test('lets who did not answer rest, for longer each time', () => {
    const route = new Route(placeAt(0x80))
    route.addLikely([at(0x90)])
    const rounds: number[] = []
    for (let round = 0; round < 16; round++) {
      const contact = route.next()
      if (contact !== undefined) {
        rounds.push(round)
        route.failed(contact)
      }
      route.beginAgain()
    }
    assert.deepEqual(rounds, [0, 2, 6, 14])
  })
})

describe('a replica set', () => {
  const peer = (name: string, address: string) => ({ ...at(1), peer: name, address })

  test('is of distinct peers, apart in network prefix where there is a choice', () => {
    const owner = peer('a', '/ip4/10.1.0.1/tcp/1')
    const list = [
      owner,
      peer('b', '/ip4/10.1.9.9/tcp/1'),
      peer('c', '/ip4/10.2.0.1/tcp/1'),
      peer('d', '/ip4/10.3.0.1/tcp/1'),
    ]
    assert.deepEqual(
      replicaSet(owner, list, 3).map((one) => one.peer),
      ['a', 'c', 'd'],
    )
  })

  test('takes neighbours where there is no choice, in the order of the ring', () => {
    const owner = peer('a', '/ip4/10.1.0.1/tcp/1')
    const list = [
      peer('b', '/ip4/10.1.0.2/tcp/1'),
      peer('b', '/ip4/10.1.0.2/tcp/1'),
      peer('c', '/ip4/10.2.0.3/tcp/1'),
    ]
    assert.deepEqual(
      replicaSet(owner, list, 3).map((one) => one.peer),
      ['a', 'b', 'c'],
    )
    assert.deepEqual(
      replicaSet(owner, [], 3).map((one) => one.peer),
      ['a'],
    )
  })

  test('knows prefixes of IPv4 and IPv6', () => {
    assert.equal(networkPrefixOf('/ip4/10.1.2.3/tcp/4001'), '10.1')
    assert.equal(networkPrefixOf('/ip6/2001:db8::1/tcp/4001'), '2001:db8:0')
    assert.equal(networkPrefixOf('/ip6/2001:0db8:0:1::/tcp/1'), '2001:db8:0')
    assert.equal(networkPrefixOf('/ip6/::ffff:10.1.2.3/tcp/1'), '10.1')
    assert.equal(networkPrefixOf('/dns4/a.test/tcp/1'), undefined)
    assert.equal(ipOf('/ip4/10.1.2.3/tcp/4001'), '10.1.2.3')
  })
})

describe('round trips', () => {
  test('give a time-out of the mean and four deviations, within limits', () => {
    const roundTrip = new RoundTrip()
    assert.equal(roundTrip.timeoutMs(limits), 500)
    roundTrip.measured(400)
    assert.equal(roundTrip.timeoutMs(limits), 400 + 4 * 200)
    for (let count = 0; count < 200; count++) roundTrip.measured(5)
    assert.equal(roundTrip.timeoutMs(limits), 300)
    for (let count = 0; count < 200; count++) roundTrip.measured(60_000)
    assert.equal(roundTrip.timeoutMs(limits), 2_000)
  })

  test('of all tell what to expect of one that was not measured', () => {
    const neighbours = new Neighbours()
    for (let count = 0; count < 50; count++) neighbours.measured(neighbours.of('a'), 1_500)
    assert.ok(neighbours.timeoutMs(neighbours.of('b'), limits) > 1_400)
  })

  test('and clocks are kept of so many peers at most', () => {
    const neighbours = new Neighbours()
    neighbours.clockRead('a', 5_000, 1_000, 1_200)
    assert.equal(neighbours.of('a').clockOffsetMs, 3_900)
    for (let count = 0; count < 5_000; count++) neighbours.of(String(count))
    assert.equal(neighbours.view().length, 1_024)
  })
})

describe('remembered peers', () => {
  test('are listed with those that are here first, and tell the lost ones apart', () => {
    const peers = new RememberedPeers(new SimulatedRandom(1), 3)
    for (const name of ['a', 'b', 'c']) peers.add(name, [`/${name}`])
    peers.lost('a')
    assert.deepEqual(
      peers.list().map(({ peer }) => peer),
      ['b', 'c', 'a'],
    )
    assert.equal(peers.nextLost()?.peer, 'a')
    peers.onlyPresent(new Set(['b']))
    assert.equal(peers.somePresent()?.peer, 'b')
    peers.found('a')
    // The one lost is forgotten before those that are here.
    peers.add('d', ['/d'])
    assert.deepEqual(
      peers.list().map(({ peer }) => peer),
      ['b', 'a', 'd'],
    )
  })

  test('that are lost are tried in turn, first those that have never failed to answer', () => {
    const peers = new RememberedPeers(new SimulatedRandom(1), 5)
    for (const name of ['a', 'b', 'c', 'd', 'e']) peers.add(name, [`/${name}`])
    for (const name of ['b', 'a']) peers.lost(name)
    peers.onlyPresent(new Set(['e']))
    const tried = Array.from({ length: 6 }, () => peers.nextLost()?.peer)
    assert.deepEqual(tried, ['c', 'd', 'b', 'a', 'c', 'd'])
    for (const name of ['a', 'b', 'c', 'd']) peers.found(name)
    assert.equal(peers.nextLost(), undefined)
  })

  test('that were tried often enough are passed over, until they are heard of', () => {
    const peers = new RememberedPeers(new SimulatedRandom(1), 5)
    for (const name of ['a', 'b']) peers.add(name, [`/${name}`])
    for (const name of ['a', 'b']) peers.lost(name)
    const tried = Array.from({ length: 5 }, () => peers.nextLost(2)?.peer)
    assert.deepEqual(tried, ['a', 'b', 'a', 'b', undefined])
    assert.equal(peers.nextLost()?.peer, 'a')
    peers.found('b')
    peers.lost('b')
    assert.equal(peers.nextLost(2)?.peer, 'b')
  })

  test('keep a few addresses each, the last one first', () => {
    const peers = new RememberedPeers(new SimulatedRandom(1), 3)
    for (const address of ['/1', '/2', '/1', '/3', '/4', '/5']) peers.add('a', [address])
    assert.deepEqual(peers.list()[0]?.addresses, ['/5', '/4', '/3', '/1'])
  })
})
