// Store check: validates all stored announcements at start, as if they came from other peers, so that a home that is damaged, or
// that took invalid ones in an earlier version, still opens.
//
// Invalid ones go to the quarantine. Announcements from before they were signed are signed by us, with their version. Our own
// ones from a clock that was ahead are dated anew; those of others are invalid.

import { PolyhistorError } from '../../errors.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { KeyValue } from '../../platform/storage/key-value.ts'
import {
  type AnnouncementSigner,
  idOf,
  statementOf,
  type UnsignedAnnouncement,
  unsignedAnnouncement,
} from './announcement.ts'
import { type AnnouncementStore, storedAnnouncement } from './announcement-store.ts'
import type { ChargedAnnouncement } from './author-quotas.ts'

interface InspectionNeeds {
  readonly store: AnnouncementStore
  readonly map: KeyValue
  readonly signer: AnnouncementSigner
  readonly self: PeerId
  readonly nowMs: number
  /** Versions beyond are of no clock that can be right. */
  readonly versionMax: number
}

const atOnce = 500
const idBytes = 16

/** Gives how many were set aside. */
export async function checkStore(needs: InspectionNeeds): Promise<number> {
  return (await inspectStored(needs)) + (await adoptUnsigned(needs))
}

async function inspectStored({ store, signer, self, nowMs, versionMax }: InspectionNeeds): Promise<number> {
  const unsound: [key: Uint8Array, reason: string][] = []
  const ahead: UnsignedAnnouncement[] = []
  for (const [key, bytes] of store.stored({})) {
    const read = tryRead(store, key, bytes)
    if (typeof read === 'string') unsound.push([key, read])
    else {
      const { announcement } = read
      if (announcement.version <= versionMax || store.kinds.get(announcement.kind)?.isTimeless) {
        store.usage.add(read)
        continue
      }
      unsound.push([key, 'its version is ahead of all clocks'])
      if (announcement.peer === self) ahead.push({ ...announcement, version: Math.floor(nowMs) })
    }
  }
  for (const [key, reason] of unsound) await store.setAside(key, { reason, atMs: nowMs, isCharged: false })
  for (const announcement of ahead) await store.write(() => signed(store, announcement, signer))
  return unsound.length - ahead.length
}

function tryRead(store: AnnouncementStore, key: Uint8Array, bytes: Uint8Array): ChargedAnnouncement | string {
  try {
    const stored = storedAnnouncement.decode(bytes)
    const { announcement } = stored
    const fault = store.kinds.fault(announcement)
    if (fault !== undefined) return fault
    const isInPlace = Buffer.compare(store.kinds.keyOf(announcement), key) === 0
    const isWhole = Buffer.compare(idOf(announcement), bytes.subarray(0, idBytes)) === 0
    return isInPlace && isWhole ? stored : 'it is not what was stored'
  } catch (error) {
    if (!(error instanceof PolyhistorError)) throw error
    return error.message
  }
}

/** Of a home of before announcements were signed. Can be cut short by a crash, and goes on next time. */
async function adoptUnsigned(needs: InspectionNeeds): Promise<number> {
  const { store, map, nowMs } = needs
  const [announcements, sums] = [map.table('notices'), map.table('sums')]
  let setAside = 0
  for (;;) {
    const entries = [...announcements.range({ limit: atOnce })]
    if (entries.length === 0) break
    for (const [key, bytes] of entries) {
      const reason = await adopt(needs, bytes.subarray(idBytes))
      await map.transaction(() => {
        announcements.remove(key)
        if (reason !== undefined)
          store.quarantine.add(bytes.slice(0, idBytes), { atMs: nowMs, reason, bytes })
      })
      if (reason !== undefined) setAside++
    }
  }
  for (;;) {
    const keys = [...sums.range({ limit: atOnce })].map(([key]) => key)
    if (keys.length === 0) return setAside
    await map.transaction(() => {
      for (const key of keys) sums.remove(key)
    })
  }
}

/** Gives why it cannot be adopted. */
async function adopt(needs: InspectionNeeds, bytes: Uint8Array): Promise<string | undefined> {
  const { store, signer } = needs
  const adopted = tryAdopt(needs, bytes)
  // Of no use any more, as its kind says.
  if (adopted === undefined) return undefined
  if (typeof adopted === 'string') return adopted
  const fault = store.kinds.fault(adopted)
  if (fault !== undefined) return fault
  const { refused } = await store.merge([signed(store, adopted, signer)])
  return refused[0]?.reason
}

function tryAdopt(needs: InspectionNeeds, bytes: Uint8Array): UnsignedAnnouncement | string | undefined {
  const { store, signer, self, versionMax, nowMs } = needs
  try {
    const old = unsignedAnnouncement.decode(bytes)
    const announcement = { ...old, version: old.version > versionMax ? Math.floor(nowMs) : old.version }
    const kind = store.kinds.get(old.kind)
    if (kind?.adopt === undefined) return { ...announcement, peer: self }
    return kind.adopt(announcement, { self, sign: (statement) => signer.sign(statement) })
  } catch (error) {
    // Whatever others wrote must not keep the home from opening.
    return (error as Error).message
  }
}

/** A sound announcement as we write it. */
export function signed(
  store: AnnouncementStore,
  announcement: UnsignedAnnouncement,
  signer: AnnouncementSigner,
): ChargedAnnouncement {
  return store.kinds.charge({ ...announcement, signature: signer.sign(statementOf(announcement)) })
}
