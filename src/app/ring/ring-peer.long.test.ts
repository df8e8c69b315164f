import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, onTestFinished, test } from 'vitest'
import { ringKeyOf } from '../../model/ring-key.ts'
import { Admission } from '../../network/membership/admission.ts'
import { prologueOf } from '../../network/membership/archive-network.ts'
import { bytesToText } from '../../network/membership/fields.ts'
import { networkNumber, oldInvitation, peerNumber } from '../../network/membership/fixtures/networks.ts'
import { readInvitation, writeInvitation } from '../../network/membership/invitation.ts'
import { MemberDirectory } from '../../network/membership/member-directory.ts'
import { join as membershipOf, witnessFor, writeMembership } from '../../network/membership/membership.ts'
import { seedOfIdentity } from '../../network/membership/peer-key.ts'
import { placeOf } from '../../network/ring/protocol/place.ts'
import { CallServices } from '../../platform/calls/call-services.ts'
import { Calls } from '../../platform/calls/calls.ts'
import { withTemporaryFolder } from '../../platform/fixtures/temporary-folder.ts'
import { until } from '../../platform/fixtures/until.ts'
import { silentLog } from '../../platform/log.ts'
import { RealClock } from '../../platform/real/clock.ts'
import { type RealNetwork, startNetwork } from '../../platform/real/network/network.ts'
import { RealRandom } from '../../platform/real/random.ts'
import { realPlatform } from '../real-platform.ts'
import { createHomeNetwork, inviteToHomeNetwork } from './home-network.ts'
import { MembershipFiles } from './membership-files.ts'
import { openRingPeer, type RingPeer, type RingPeerOptions } from './ring-peer.ts'

const clock = new RealClock()
const keys = Array.from({ length: 20 }, (_, index) => ringKeyOf(`key ${index}`))

interface Stage {
  home(name: string): string
  open(name: string, options?: Partial<RingPeerOptions>): Promise<RingPeer>
  /** A transport of this home that says on it whatever the test wants. */
  transport(name: string): Promise<RealNetwork>
}

async function onStage(body: (stage: Stage) => Promise<void>): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const ends: (() => Promise<void>)[] = []
    const home = (name: string): string => join(folder, name)
    try {
      await body({
        home,
        open: async (name, options = {}) => {
          const peer = await openRingPeer(
            { platform: realPlatform(), log: silentLog },
            {
              home: home(name),
              listen: { host: '127.0.0.1', port: 0 },
              isPortFlexible: false,
              join: [],
              isOnLocalNetwork: false,
              ring: { stabiliseMs: 200, timeoutMsMin: 100, ownershipMs: 1_000, mergeMs: 1_000 },
              ...options,
            },
          )
          ends.push(() => peer.close())
          return peer
        },
        transport: async (name) => {
          const network = await transportOf(new MembershipFiles(home(name)))
          ends.push(() => network.close())
          return network
        },
      })
    } finally {
      await Promise.all(ends.map((end) => end()))
    }
  })
}

function takenPort(): Promise<AddressInfo> {
  const server = createServer()
  onTestFinished(() => void server.close())
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server.address() as AddressInfo))
  })
}

async function transportOf(home: MembershipFiles): Promise<RealNetwork> {
  const { network, membership } = (await home.network())!
  const identity = await home.identity()
  const ourselves = {
    peer: await home.peer(),
    network,
    identitySeed: seedOfIdentity(identity),
    program: 'hostile',
    membership,
    addresses: () => [],
  }
  const greeting = new Admission(
    { clock, members: new MemberDirectory({ clock }, network) },
    ourselves,
    () => {},
  )
  return startNetwork({ identity, greeting, listen: ['/ip4/127.0.0.1/tcp/0'], prologue: prologueOf(network) })
}

async function ticketOf(home: string): Promise<number | undefined> {
  return (await new MembershipFiles(home).network())?.membership?.ticket
}

/** The others do not let it in. One that was open before it heard their answer, as on a busy machine, goes on alone: it is opened again. */
async function assertRefused(stage: Stage, name: string, options: Partial<RingPeerOptions>): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt++) {
    const refusal = await stage.open(name, options).then(
      (peer) => peer.close(),
      (error: { code: string }) => error.code,
    )
    if (refusal !== undefined) return assert.equal(refusal, 'network-refused')
  }
  assert.fail(`${name} was not refused`)
}

/** Waits until all know each other and name the same owner of every key. */
async function agree(...peers: RingPeer[]): Promise<void> {
  const ownersSeenBy = async (peer: RingPeer): Promise<string> => {
    const found = await Promise.all(keys.map((key) => peer.lookup(key)))
    return found.map(({ owner }) => owner.position).join()
  }
  const isAgreed = async (): Promise<boolean> => {
    if (peers.some((peer) => peer.view().known.length !== peers.length)) return false
    return new Set(await Promise.all(peers.map(ownersSeenBy))).size === 1
  }
  await until('peers that know each other and name the same owners', isAgreed, 50)
}

describe('a peer on the ring', () => {
  test('says so when the port that it was told is taken, and where there is no such address', () =>
    onStage(async (stage) => {
      const { port } = await takenPort()
      const opening = (host: string) => stage.open('a', { listen: { host, port } })
      await assert.rejects(opening('127.0.0.1'), { code: 'network-port-in-use', message: /--listen/ })
      await assert.rejects(opening('203.0.113.1'), { code: 'network-address', message: /no address 203/ })
      assert.equal(await new MembershipFiles(stage.home('a')).network(), undefined)
      assert.equal((await stage.open('a')).view().network.name, 'home')
      assert.equal((await new MembershipFiles(stage.home('a')).network())?.network.name, 'home')
    }))

  test('with an invitation joins, and is the same peer next time, without being told where to begin', () =>
    onStage(async (stage) => {
      await createHomeNetwork(stage.home('a'), 'test', 'invited')
      const a = await stage.open('a')
      const { invitation } = await inviteToHomeNetwork(stage.home('a'), { addresses: a.addresses() })
      const b = await stage.open('b', { invitation })
      await agree(a, b)
      assert.deepEqual(b.view().network, a.view().network)
      await b.close()
      assert.equal(a.view().peer, a.peer)
      const again = await stage.open('b')
      assert.equal(again.peer, b.peer)
      await agree(a, again)
    }))

  test('keeps what is secret for its owner’s eyes', () =>
    onStage(async (stage) => {
      await stage.open('a')
      for (const name of ['identity.key', 'network.json']) {
        const { mode } = await stat(join(stage.home('a'), name))
        assert.equal(mode & 0o777, 0o600, name)
      }
    }))

  test('whose invitation expires is witnessed when it joins, and that is kept', () =>
    onStage(async (stage) => {
      await createHomeNetwork(stage.home('a'), 'test', 'invited')
      const a = await stage.open('a')
      const made = await inviteToHomeNetwork(stage.home('a'), {
        addresses: a.addresses(),
        expiresInMs: 600_000,
      })
      await stage.open('b', { invitation: made.invitation })
      const home = new MembershipFiles(stage.home('b'))
      const isWitnessed = async () => (await home.network())?.membership?.witness !== undefined
      await until('a witness of the ticket', isWitnessed, 20)
      assert.equal((await home.network())?.membership?.witness?.membership.peer, a.peer)
    }))

  test('whose ticket another claimed before it leaves the ring and says so, and the others cut it off', () =>
    onStage(async (stage) => {
      await createHomeNetwork(stage.home('a'), 'test', 'invited')
      const a = await stage.open('a')
      const { invitation } = await inviteToHomeNetwork(stage.home('a'), { addresses: a.addresses() })
      const b = await stage.open('b', { invitation })
      await agree(a, b)
      const home = new MembershipFiles(stage.home('a'))
      const { network, membership } = (await home.network())!
      const rival = membershipOf(readInvitation(invitation), (await peerNumber(7)).peer, 0)!
      const founder = { membership: membership!, identitySeed: seedOfIdentity(await home.identity()) }
      const earlier = { ...rival, witness: witnessFor(rival, network, founder, 1_000)! }
      const { promise: isCut, resolve } = Promise.withResolvers<void>()
      a.members.listen({
        conflict: ({ refused, isChanged }) => void (isChanged && refused === b.peer && resolve()),
      })
      a.members.hear(earlier)
      await isCut
      b.members.hear(earlier)
      assert.match(b.problems().join(), /has left the ring/)
      const isMember = () => b.view().positions.some(({ status }) => status === 'member')
      const isKnown = () => a.view().known.some(({ contact }) => contact.peer === b.peer)
      await until('the peer without a ticket to be off the ring', () => !isMember() && !isKnown(), 50)
      await assert.rejects(b.lookup(keys[0]!), { code: 'ring-not-member' })
    }))

  test('of an open network needs no invitation but to know of it', () =>
    onStage(async (stage) => {
      const { invitation } = await createHomeNetwork(stage.home('a'), 'test', 'open')
      const a = await stage.open('a')
      const b = await stage.open('b', { invitation, join: a.addresses() })
      const { known } = b.view()
      assert(known.length > 0)
      assert.equal(a.view().network.kind, 'open')
    }))
})

describe('an invitation', () => {
  test('is good for as many members as it says, who need not agree on their tickets', () =>
    onStage(async (stage) => {
      await createHomeNetwork(stage.home('a'), 'test', 'invited')
      const a = await stage.open('a')
      const addresses = a.addresses()
      const { invitation } = await inviteToHomeNetwork(stage.home('a'), { addresses, uses: 3 })
      const [b, c, d] = await Promise.all(['b', 'c', 'd'].map((name) => stage.open(name, { invitation })))
      await agree(a, b!, c!, d!)
      const tickets = await Promise.all(['b', 'c', 'd'].map((name) => ticketOf(stage.home(name))))
      assert.deepEqual(tickets.toSorted(), [0, 1, 2])
      await assert.rejects(stage.open('e', { invitation }), {
        code: 'network-invitation-used',
        message: /good for 3 members, and all 3 have joined: ask for another/,
      })
      assert.equal(await new MembershipFiles(stage.home('e')).network(), undefined)
      // With another it can join.
      const other = await inviteToHomeNetwork(stage.home('a'), { addresses })
      await agree(a, b!, c!, d!, await stage.open('e', { invitation: other.invitation }))
    }))

  test('is used up by the first, also while the founder is away; who lost its disk needs another', () =>
    onStage(async (stage) => {
      await createHomeNetwork(stage.home('a'), 'test', 'invited')
      const a = await stage.open('a')
      const invited = async (): Promise<string> =>
        (await inviteToHomeNetwork(stage.home('a'), { addresses: a.addresses() })).invitation
      const [first, second] = [await invited(), await invited()]
      const b = await stage.open('b', { invitation: first })
      const c = await stage.open('c', { invitation: second })
      await agree(a, b, c)
      await a.close()
      const join = b.addresses()
      await assert.rejects(stage.open('c with another disk', { invitation: second, join }), {
        code: 'network-invitation-used',
      })
      // The one that has joined comes again as it likes.
      await c.close()
      const place = c.view().positions[0]!.place
      const again = await stage.open('c', { invitation: second, join })
      assert.equal(again.view().positions[0]!.place, place)
      await agree(b, again)
    }))
})

describe('homes from before there were tickets', () => {
  /** As an earlier version wrote them: the first made the network, and all but the last know each other. */
  async function oldHomes(stage: Stage, names: readonly string[]): Promise<string> {
    const made = networkNumber(1)
    const old = oldInvitation(made.network, made.seed, new RealRandom())
    const { name, kind, key } = made.network
    const network = { name, kind, key: bytesToText(key) }
    const peers = await Promise.all(names.map((one) => new MembershipFiles(stage.home(one)).peer()))
    const known = peers.slice(0, -1).map((peer) => ({ peer, history: { knownSinceMs: 0 }, positions: [] }))
    for (const [index, one] of names.entries()) {
      const membership = writeMembership(old.join(peers[index]!))
      const seed = index === 0 ? { seed: bytesToText(made.seed) } : {}
      const file = { format: 1, network, membership, ...seed }
      await writeFile(join(stage.home(one), 'network.json'), JSON.stringify(file))
      await writeFile(join(stage.home(one), 'presence.json'), JSON.stringify({ peers: known }))
    }
    return writeInvitation(old.invitation)
  }

  test('open, and stay where they are; new identities with an old invitation are refused', () =>
    onStage(async (stage) => {
      const invitation = await oldHomes(stage, ['a', 'b', 'ground'])
      const a = await stage.open('a')
      const b = await stage.open('b', { join: a.addresses() })
      await agree(a, b)
      for (const peer of [a, b]) {
        const { network, positions } = peer.view()
        assert.equal(positions[0]!.place, placeOf(network.id, peer.peer, 0))
      }
      // Whoever holds the network's key has confirmed the other, for those who never knew it.
      const files = new MembershipFiles(stage.home('b'))
      const isConfirmed = async () => (await files.network())?.membership?.confirmation !== undefined
      await until('the confirmation of the old member', isConfirmed, 20)
      await assertRefused(stage, 'ground', { join: a.addresses() })
      await assert.rejects(stage.open('new', { invitation, join: a.addresses() }), {
        code: 'network-invitation-old',
      })
      // With a new one it gets in, and so does everybody else.
      const invited = await inviteToHomeNetwork(stage.home('a'), { addresses: a.addresses() })
      const again = await stage.open('ground', { invitation: invited.invitation })
      await agree(a, b, again)
    }))
})

describe('who is not invited', () => {
  test('cannot join without an invitation, with an expired one, or into a second network', () =>
    onStage(async (stage) => {
      await createHomeNetwork(stage.home('a'), 'one', 'invited')
      const a = await stage.open('a')
      await assert.rejects(stage.open('b', { join: a.addresses() }), { code: 'network-none' })
      const expired = await inviteToHomeNetwork(stage.home('a'), { addresses: [], expiresInMs: -1 })
      await assert.rejects(stage.open('b', { invitation: expired.invitation }), {
        code: 'network-invitation-expired',
      })
      await createHomeNetwork(stage.home('c'), 'other', 'invited')
      const { invitation } = await inviteToHomeNetwork(stage.home('a'), { addresses: a.addresses() })
      await assert.rejects(stage.open('c', { invitation }), { code: 'network-other' })
    }))

  test('and makes its membership up is refused, and told so', () =>
    onStage(async (stage) => {
      const { invitation } = await createHomeNetwork(stage.home('a'), 'one', 'invited')
      const a = await stage.open('a')
      await new MembershipFiles(stage.home('b')).enter(readInvitation(invitation), clock.nowMs())
      const path = join(stage.home('b'), 'network.json')
      const file = JSON.parse(await readFile(path, 'utf8'))
      file.membership.signature = Buffer.alloc(64, 1).toString('base64url')
      await writeFile(path, JSON.stringify(file))
      await assertRefused(stage, 'b', { join: a.addresses() })
      assert.equal(a.view().known.length, 1)
    }))

  test('a membership that was copied to another home is of no use there', () =>
    onStage(async (stage) => {
      const { invitation } = await createHomeNetwork(stage.home('a'), 'one', 'invited')
      const a = await stage.open('a')
      await new MembershipFiles(stage.home('b')).enter(readInvitation(invitation), clock.nowMs())
      await new MembershipFiles(stage.home('thief')).identity()
      await writeFile(
        join(stage.home('thief'), 'network.json'),
        await readFile(join(stage.home('b'), 'network.json')),
      )
      await assertRefused(stage, 'thief', { join: a.addresses() })
    }))
})

test('a member that asks nonsense, answers nonsense and wants to be a neighbour harms nobody', () =>
  onStage(async (stage) => {
    const { invitation } = await createHomeNetwork(stage.home('a'), 'one', 'invited')
    const a = await stage.open('a')
    const b = await stage.open('b', { invitation, join: a.addresses() })
    await agree(a, b)
    const other = await inviteToHomeNetwork(stage.home('a'), { addresses: [] })
    await new MembershipFiles(stage.home('hostile')).enter(readInvitation(other.invitation), clock.nowMs())
    const network = await stage.transport('hostile')
    const random = new RealRandom()
    const services = new CallServices(new Calls({ network, clock, random }))
    let asked = 0
    services.service('ring').answer(() => {
      asked++
      return random.bytes(random.below(2_000))
    })
    await network.meet(a.addresses()[0]!)
    await network.meet(b.addresses()[0]!)
    for (let round = 0; round < 300; round++) {
      const bytes = random.bytes(1 + random.below(200))
      // Half of them begin like a question of the ring.
      if (round % 2 === 0) bytes[0] = random.below(12)
      const to = round % 3 === 0 ? a.peer : b.peer
      await services
        .service('ring')
        .call(to, bytes, { deadlineMs: 5_000 })
        .catch((error) => assert(typeof error.code === 'string', error))
    }
    // Told of it as a peer to begin with, they find out for themselves.
    await Promise.allSettled(
      [a, b].map((peer) => peer.ring.join([{ peer: network.self, addresses: network.addresses() }])),
    )
    // Time for it to do harm.
    await clock.sleep(2_000)
    assert(asked > 0)
    const ownersSeenBy = async (peer: RingPeer): Promise<string[]> => {
      const found = await Promise.all(keys.map((key) => peer.lookup(key)))
      for (const { owner } of found) assert([a.peer, b.peer].includes(owner.peer))
      return found.map(({ owner }) => JSON.stringify(owner))
    }
    // A busy machine may make one too slow for the other for a moment.
    await until(
      'both to name the same owners',
      async () => (await ownersSeenBy(a)).join() === (await ownersSeenBy(b)).join(),
      100,
    )
  }))
