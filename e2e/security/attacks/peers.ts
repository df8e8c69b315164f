// Announcements about other peers: that living ones have left, with versions that nobody could ever outdo.

import type { Announcement } from '../announcements.ts'
import type { Attack } from '../attack.ts'
import { recoverMsMax, type Stage, sleep, within } from '../stage.ts'

const last = 2 ** 50
const gone = new Uint8Array(Buffer.from('gone'))
const away = new Uint8Array(Buffer.from('away'))

/** By the hostile member, and again as if each victim had said it. */
function aboutAll(stage: Stage, kind: string, value: Uint8Array, version?: number): Announcement[] {
  return stage.ids.flatMap((name) => [
    { kind, name, value, ...(version !== undefined && { version }) },
    { kind, name, value, author: name, version: version ?? Date.now() + 1 },
  ])
}

/** Every honest peer knows all the others, and tells of none that it is away. */
export async function isOneRing({ honest, ids }: Stage): Promise<boolean> {
  for (const peer of honest) {
    const { known } = await peer.view()
    const seen = new Set(known.map(({ contact }) => contact.peer))
    if (ids.some((id) => !seen.has(id))) return false
  }
  return true
}

async function untilOneRing(stage: Stage): Promise<string[]> {
  try {
    await within(recoverMsMax, 'all honest peers to know each other again', () => isOneRing(stage))
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

/** One announcement about each peer, by the hostile member. */
async function announceAll(stage: Stage, kind: string, value: Uint8Array, version?: number): Promise<void> {
  const announcements = aboutAll(stage, kind, value, version)
  await stage.hostile.do('announce', { peers: stage.ids, announcements })
}

export const peerAttacks: readonly Attack[] = [
  {
    name: 'left: version 2^50',
    tries: 'Each peer is said to have left, with a version that it cannot outdo',
    run: async (stage) => {
      await announceAll(stage, 'left', gone, last)
      return untilOneRing(stage)
    },
  },
  {
    name: 'peer: version 2^50',
    tries: 'Each peer is said to be away, with a version that it cannot outdo',
    run: async (stage) => {
      await announceAll(stage, 'peer', away, last)
      return untilOneRing(stage)
    },
  },
  {
    name: 'left: living peers',
    tries: 'Each living peer is said to have left, five times, as `forget` would say it',
    run: async (stage) => {
      for (let round = 0; round < 5; round++) {
        await announceAll(stage, 'left', gone)
        await sleep(100)
      }
      return untilOneRing(stage)
    },
  },
  {
    name: 'announcement of the future',
    tries: 'A name is taken for ever by a version of next year',
    run: async (stage) => {
      const version = Date.now() + 365 * 24 * 3_600_000
      await stage.hostile.do('announce', {
        peers: stage.ids,
        announcements: [...aboutAll(stage, 'left', gone, version), ...aboutAll(stage, 'peer', away, version)],
      })
      return untilOneRing(stage)
    },
  },
]
