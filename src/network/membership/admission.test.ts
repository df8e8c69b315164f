import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import type { Clock } from '../../platform/clock.ts'
import { Admission } from './admission.ts'
import type { ArchiveNetwork } from './archive-network.ts'
import { type MadeNetwork, networkNumber, peerNumber, randomNumber } from './fixtures/networks.ts'
import { properties } from './hello.fuzz.ts'
import { writeHello } from './hello.ts'
import { invite } from './invitation.ts'
import { MemberDirectory } from './member-directory.ts'
import { join, type Membership } from './membership.ts'
import { commonVersion, type ProtocolVersions, protocolVersions } from './protocol-versions.ts'

const made = networkNumber(1)
const random = randomNumber(1)
const expiry = 1_000_000
const refused = { code: 'network-refused' }

interface Door {
  peer: string
  admission: Admission
  members: MemberDirectory
  kept: Membership[]
}

async function door(
  number: number,
  options: {
    network?: MadeNetwork
    expiresAtMs?: number
    nowMs?: () => number
    membership?: Membership | null
    oldMembers?: ReadonlySet<string>
    versions?: ProtocolVersions
  } = {},
): Promise<Door> {
  const { network, seed } = options.network ?? made
  const { peer, seed: identitySeed } = await peerNumber(number)
  const own = join(invite(network, seed, random, { expiresAtMs: options.expiresAtMs }), peer, 0)
  const membership = options.membership === null ? undefined : (options.membership ?? own)
  const kept: Membership[] = []
  const clock = { nowMs: options.nowMs ?? (() => 500) } as Clock
  const addresses = (): string[] => [`/ip4/10.0.0.${number}/tcp/1`]
  const ourselves = {
    peer,
    network,
    identitySeed,
    program: 'polyhistor/test',
    membership,
    addresses,
    versions: options.versions,
  }
  const members = new MemberDirectory({ clock }, network, options.oldMembers)
  if (membership !== undefined) members.beginAs(membership)
  const admission = new Admission({ clock, members }, ourselves, (better) => kept.push(better))
  return { peer, admission, members, kept }
}

/** As the transport does it: the one who dials says hello, the other answers. */
function meet(dialler: Door, listener: Door): { atListener: string[]; atDialler: string[] } {
  const hello = dialler.admission.hello()
  const atListener = listener.admission.judge(dialler, hello)
  const answer = listener.admission.answer(dialler, hello)
  return { atListener, atDialler: dialler.admission.judge(listener, answer) }
}

describe('admission', () => {
  test('members let each other in, and learn where to find each other', async () => {
    const { atListener, atDialler } = meet(await door(1), await door(2))
    assert.deepEqual([atListener, atDialler], [['/ip4/10.0.0.1/tcp/1'], ['/ip4/10.0.0.2/tcp/1']])
  })

  test('who has no membership, somebody else’s or one of another network is refused', async () => {
    const listener = await door(1)
    assert.throws(() => listener.admission.judge({ peer: 'x' }, Buffer.from('nonsense')), refused)
    for (const intruder of [
      await door(2, { membership: null }),
      await door(2, {
        membership: join(invite(made.network, made.seed, random), (await peerNumber(3)).peer, 0)!,
      }),
      await door(2, { network: networkNumber(2) }),
    ]) {
      assert.throws(() => meet(intruder, listener), refused)
    }
    const stolen = await door(2)
    assert.throws(
      () => listener.admission.judge({ peer: 'somebody else' }, stolen.admission.hello()),
      refused,
    )
  })

  test('the one who dials refuses likewise', async () => {
    const [dialler, impostor] = [await door(1), await door(2, { membership: null })]
    assert.throws(() => dialler.admission.judge(impostor, impostor.admission.hello()), refused)
  })

  test('an open network takes everybody who knows it', async () => {
    const network = networkNumber(1, 'open')
    meet(await door(1, { network }), await door(2, { network }))
    const [one, other] = [await door(1, { network }), await door(2, { network: networkNumber(2, 'open') })]
    assert.throws(() => meet(other, one), refused)
  })

  test('a guest is witnessed on its first visit, and is let in after its invitation has expired', async () => {
    let nowMs = 500
    const [founder, other] = [await door(1, { nowMs: () => nowMs }), await door(3, { nowMs: () => nowMs })]
    const guest = await door(2, { expiresAtMs: expiry, nowMs: () => nowMs })
    const tardy = await door(4, { expiresAtMs: expiry, nowMs: () => nowMs })
    meet(guest, founder)
    assert.equal(guest.kept.length, 1)
    meet(guest, founder)
    assert.equal(guest.kept.length, 1, 'once is enough')
    nowMs = expiry * 2
    meet(guest, other)
    assert.throws(() => meet(tardy, other), refused)
    // From what was kept.
    meet(await door(2, { membership: guest.kept[0]!, nowMs: () => nowMs }), other)
  })

  test('a false witness is not kept', async () => {
    const guest = await door(2, { expiresAtMs: expiry })
    const founder = await door(1)
    const hello = guest.admission.hello()
    const answer = JSON.parse(Buffer.from(founder.admission.answer(guest, hello)).toString())
    answer.witness.atMs++
    guest.admission.judge(founder, Buffer.from(JSON.stringify(answer)))
    assert.deepEqual(guest.kept, [])
  })

  test('peers of the last and the next version meet in one network; two that have none in common do not', async () => {
    const [, newest] = protocolVersions
    const versions: ProtocolVersions[] = [[newest - 1, newest], protocolVersions, [newest, newest + 1]]
    const doors = await Promise.all(versions.map((spoken, number) => door(number, { versions: spoken })))
    for (const dialler of doors) {
      for (const listener of doors) if (dialler !== listener) meet(dialler, listener)
    }
    const after = await door(4, { versions: [newest + 1, newest + 2] })
    assert.throws(() => meet(after, doors[1]!), { code: 'network-version' })
    assert.throws(() => meet(doors[1]!, after), { code: 'network-version' })
    meet(after, doors[2]!)
    assert.deepEqual(
      versions.map((spoken) => commonVersion(spoken, [newest, newest + 1])),
      [newest, newest, newest + 1],
    )
  })

  test('who speaks no version that we speak is refused; fields of later versions are passed over', async () => {
    const [a, b] = [await door(1), await door(2)]
    const hello = JSON.parse(Buffer.from(b.admission.hello()).toString())
    const say = (more: object): Uint8Array => Buffer.from(JSON.stringify({ ...hello, ...more }))
    assert.deepEqual(a.admission.judge(b, say({ versionMin: 2, versionMax: 7, colour: 'blue' })), [
      '/ip4/10.0.0.2/tcp/1',
    ])
    assert.throws(() => a.admission.judge(b, say({ versionMin: 3, versionMax: 7 })), {
      code: 'network-version',
    })
  })
})

describe('hello', () => {
  test.each(properties)('$name', ({ property }) => {
    fc.assert(property as fc.IProperty<unknown>, { seed: 1, numRuns: 300 })
  })

  test('keeps to its bounds', () => {
    const network: ArchiveNetwork = made.network
    const addresses = Array.from({ length: 100 }, (_, index) => `/ip4/10.0.0.${index}/tcp/1`)
    const bytes = writeHello({
      networkId: network.name,
      versions: [1, 1],
      program: 'x',
      addresses,
      membership: undefined,
      witness: undefined,
      confirmation: undefined,
    })
    assert.equal(JSON.parse(Buffer.from(bytes).toString()).addresses.length, 16)
  })
})
