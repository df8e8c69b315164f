// Places on the ring: identities ground until they surround a chosen site, and one ticket used twice.

import { hash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseUrl } from '../../../src/model/url/url.ts'
import { newIdentity, peerOf } from '../../../src/platform/real/network/identity.ts'
import { hostileMember } from '../../ring/hostile-member.ts'
import type { Attack } from '../attack.ts'
import { HostileProcess } from '../hostile-process.ts'
import { recoverMsMax, type Stage, sleep, within, wordsFor } from '../stage.ts'

const thieves = 3
const settleMs = { short: 2_000, full: 45_000 }

/** Where an identity would lie if its key alone decided. */
function placeByKey(networkId: string, peer: string): string {
  return hash('sha256', `polyhistor-place\n${networkId}\n${peer}\n0`, 'hex').slice(0, 40)
}

/** Tries keys until so many lie right behind the site, before anybody else. */
async function groundIdentities(stage: Stage, count: number): Promise<Uint8Array[]> {
  const { ringKey } = parseUrl(stage.origin.web.start)
  const { network, known } = await stage.honest[0]!.view()
  const distance = (place: string): bigint =>
    (BigInt(`0x${place}`) - BigInt(`0x${ringKey}`) + (1n << 160n)) % (1n << 160n)
  const [nearest] = known
    .map(({ contact }) => distance(contact.place))
    .sort((one, other) => (one < other ? -1 : 1))
  const found: Uint8Array[] = []
  while (found.length < count) {
    const identity = await newIdentity()
    if (distance(placeByKey(network.id, peerOf(identity))) < nearest!) found.push(identity)
  }
  return found
}

async function surround(stage: Stage): Promise<string[]> {
  const invitation = await stage.newInvitation()
  const identities = await groundIdentities(stage, thieves)
  const started: HostileProcess[] = []
  try {
    const starting = identities.map(async (identity, index) => {
      const home = join(stage.network.folder, `thief-${performance.now()}-${index}`)
      await mkdir(home, { mode: 0o700 })
      await writeFile(join(home, 'identity.key'), identity, { mode: 0o600 })
      const joining = ['--join', `127.0.0.1:${stage.network.ports[0]}`, '--invite', invitation]
      const words = [
        ...wordsFor(stage.size),
        '--set',
        'ring.positions=1',
        '--listen',
        '127.0.0.1:0',
        ...joining,
      ]
      started.push(await HostileProcess.start({ home, words, behaviour: 'thief' }))
    })
    // Those that are not let in may end at once.
    await Promise.allSettled(starting)
    const ids = new Set(identities.map(peerOf))
    await within(recoverMsMax, 'one of the thieves to be on the ring', async () => {
      const { known } = await stage.honest[0]!.view()
      return known.some(({ contact }) => ids.has(contact.peer))
    })
    const before = await stage.acknowledged()
    await sleep(settleMs[stage.size])
    return await stage.harm(before)
  } finally {
    await Promise.all(started.map((thief) => thief.end()))
  }
}

/** The hostile member is on the ring by the only ticket of its invitation; another identity comes with the same. */
async function claimTwice({ invitation, addresses }: Stage): Promise<string[]> {
  const second = await hostileMember(invitation, 0)
  const isRefusedBy = (address: string): Promise<boolean> =>
    second.network.meet(address).then(
      () => false,
      () => true,
    )
  try {
    await within(recoverMsMax, 'the second claim of a ticket to be refused by every honest peer', async () =>
      (await Promise.all(addresses.map(isRefusedBy))).every((isRefused) => isRefused),
    )
    return []
  } catch (error) {
    return [(error as Error).message]
  } finally {
    await second.network.close()
  }
}

export const placeAttacks: readonly Attack[] = [
  {
    name: 'places: ground',
    tries:
      'Three identities behind one invitation, ground until their keys surround a site, keep nothing of it',
    run: surround,
  },
  {
    name: 'places: a ticket twice',
    tries: 'A second identity claims the ticket of an invitation that was used',
    run: claimTwice,
  },
]
